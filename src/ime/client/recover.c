/* After a loss of power: there are no clients, what was drained may not have reached the backing's disks, and
 * what lies in the fast tier is what had been written to its disk by then. A flush wrote index and data; of
 * what came later, any page may be there or not.
 *
 * So what is in the fast tier is dirty again, and only that: a granule whose bytes are a hole was freed, or
 * never reached the disk, whatever an older page of the index has, and the backing has the best there is. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "client/client.h"

static void recover_set_all(struct object *object, uint64_t first, uint64_t end, uint8_t state) {
    for (uint64_t granule = first; granule < end; granule++) {
        atomic_store(&object->states[granule], state);
    }
}

/* low..high is a hole of the fast tier's data: whole granules are the backing's, pieces are fetched from it.
 */
static void recover_hole(struct object *object, int backing_fd, uint64_t low, uint64_t high) {
    unsigned shift = object->store->granule_shift;
    uint64_t first = granules_up_to(object, low);
    uint64_t end = high >> shift;
    if (first > end) { /* inside one granule */
        copy_range(backing_fd, 0, object->fd, DATA_OFFSET, low, high - low);
        return;
    }
    if (low < first << shift) {
        copy_range(backing_fd, 0, object->fd, DATA_OFFSET, low, (first << shift) - low);
    }
    if (end << shift < high) {
        copy_range(backing_fd, 0, object->fd, DATA_OFFSET, end << shift, high - (end << shift));
    }
    recover_set_all(object, first, end, GRANULE_EVICTED);
}

static void recover_run(struct object *object, int backing_fd, const struct run *run) {
    unsigned shift = object->store->granule_shift;
    uint64_t at = run->first << shift;
    uint64_t end = run->end << shift;
    recover_set_all(object, run->first, run->end, GRANULE_DIRTY);
    while (at < end && backing_fd >= 0) {
        off_t data = lseek(object->fd, (off_t)(DATA_OFFSET + at), SEEK_DATA);
        uint64_t low = data < 0 ? end : (uint64_t)data - DATA_OFFSET;
        low = low < end ? low : end;
        if (low > at) {
            recover_hole(object, backing_fd, at, low);
        }
        off_t hole = low < end ? lseek(object->fd, (off_t)(DATA_OFFSET + low), SEEK_HOLE) : -1;
        at = hole < 0 ? end : (uint64_t)hole - DATA_OFFSET;
    }
}

/* Their fetching, overwriting or freeing was under way: the backing has the truth. */
static void recover_free_busy(struct object *object) {
    struct run run = {0, 0};
    while (object_next_run(object, run.end, MAX_GRANULES, STATE_SET(GRANULE_BUSY), UINT64_MAX, &run)) {
        if (object_punch(object, run.first, run.end) == 0) {
            recover_set_all(object, run.first, run.end, GRANULE_EVICTED);
        }
    }
}

void recover_object(struct store *store, const char *name, void *unused) {
    (void)unused;
    const unsigned resident =
        STATE_SET(GRANULE_DIRTY) | STATE_SET(GRANULE_DRAINING) | STATE_SET(GRANULE_CLEAN);
    uint64_t inode;
    struct object_header header;
    struct object object;
    if (!object_inode(name, &inode) || !object_peek(store, inode, &header) ||
        !object_view(store, name, PROT_READ | PROT_WRITE, &object)) {
        return;
    }
    int backing_fd = openat(store->links_fd, name, O_RDONLY | O_CLOEXEC);
    struct run run = {0, 0};
    while (object_next_run(&object, run.end, MAX_GRANULES, resident, UINT64_MAX, &run)) {
        recover_run(&object, backing_fd, &run);
    }
    recover_free_busy(&object);
    epoch_mark_changed(object.header);
    if (backing_fd >= 0) {
        close(backing_fd);
    }
    object_unview(&object);
}
