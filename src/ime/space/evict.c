/* Eviction: freeing the fast tier of what the backing has. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "space/space.h"

/* What leaves the fast tier must be safe in the backing, even from a loss of power. */
int object_sync_backing(struct object *object) {
    int fd;
    if (atomic_exchange(&object->header->backing_unsynced, 0) == 0) {
        return 0;
    }
    int error = object_backing_fd(object, &fd);
    if (error == 0 && fdatasync(fd) != 0) {
        error = errno;
    }
    if (error != 0) {
        atomic_store(&object->header->backing_unsynced, 1);
    }
    return error;
}

static int punch_run(struct object *object, const struct run *run) {
    unsigned shift = object->store->granule_shift;
    object_work(object, WORK_COPY, run->first << shift, run->end << shift);
    object_set_states(object, run, GRANULE_CLEAN, GRANULE_BUSY);
    int error = 0;
    if (fallocate(object->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  (off_t)(DATA_OFFSET + (run->first << shift)),
                  (off_t)((run->end - run->first) << shift)) != 0) {
        error = errno;
    }
    object_set_states(object, run, GRANULE_BUSY, error == 0 ? GRANULE_EVICTED : GRANULE_CLEAN);
    object_work(object, WORK_NONE, 0, 0);
    return error;
}

int object_evict(struct object *object, uint64_t limit_bytes, uint64_t *moved_bytes) {
    struct store *store = object->store;
    struct run run = {0, 0};
    uint64_t left = limit_bytes >> store->granule_shift;
    uint64_t freed = 0;
    int error = object_lock(object);
    if (error != 0) {
        return error;
    }
    struct thread_slot *slot = slot_enter(store, object->inode | SLOT_LOCKED, 0, 0);
    error = object_sync_backing(object);
    if (error == 0) {
        object_freeze(object);
        while (error == 0 && left > 0 &&
               object_next_run(object, run.end, MAX_GRANULES, STATE_SET(GRANULE_CLEAN), left, &run)) {
            error = punch_run(object, &run);
            if (error == 0) {
                left -= run.end - run.first;
                freed += (run.end - run.first) << store->granule_shift;
            }
        }
        object_thaw(object);
    }
    space_return(store, freed);
    slot_leave(slot);
    object_unlock(object);
    *moved_bytes += freed;
    return error;
}
