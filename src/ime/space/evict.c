/* Eviction: freeing the fast tier of what the backing has. */
#include <errno.h>
#include <sys/mman.h>
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

/* The states, to the disk of the fast tier: an older index that survives a loss of power must not take freed
 * granules for data, which a drain would write over the backing. */
static int evict_flush_index(const struct object *object, uint64_t end) {
    uint64_t bytes = (index_page_of(end) + 1) * INDEX_PAGE_BYTES;
    return msync(object->header, bytes, MS_SYNC) == 0 ? 0 : errno;
}

/* Sets clean granules aside, limit of them at most; end is behind the last one. */
static uint64_t evict_set_aside(struct object *object, uint64_t limit, uint64_t *end) {
    struct run run = {0, 0};
    uint64_t left = limit;
    while (left > 0 && object_next_run(object, run.end, MAX_GRANULES, STATE_SET(GRANULE_CLEAN), left, &run)) {
        object_set_states(object, &run, GRANULE_CLEAN, GRANULE_BUSY);
        left -= run.end - run.first;
        *end = run.end;
    }
    return limit - left;
}

static int evict_punch_all(struct object *object, uint64_t end, uint64_t *freed_bytes) {
    unsigned shift = object->store->granule_shift;
    struct run run = {0, 0};
    int error = 0;
    while (object_next_run(object, run.end, end, STATE_SET(GRANULE_BUSY), UINT64_MAX, &run)) {
        uint64_t bytes = (run.end - run.first) << shift;
        error = error == 0 ? object_punch(object, run.first, run.end) : error;
        object_set_states(object, &run, GRANULE_BUSY, error == 0 ? GRANULE_EVICTED : GRANULE_CLEAN);
        *freed_bytes += error == 0 ? bytes : 0;
    }
    return error;
}

/* Frozen. First the states, then their flush, then the holes: see evict_flush_index(). */
static int evict_frozen(struct object *object, uint64_t limit, uint64_t *freed_bytes) {
    uint64_t end = 0;
    object_work(object, WORK_COPY, 0, atomic_load(&object->header->size_bytes));
    int error = 0;
    if (evict_set_aside(object, limit, &end) > 0) {
        error = evict_flush_index(object, end);
        if (error == 0) {
            error = evict_punch_all(object, end, freed_bytes);
        } else {
            struct run run = {0, 0}; /* they are taken back */
            while (object_next_run(object, run.end, end, STATE_SET(GRANULE_BUSY), UINT64_MAX, &run)) {
                object_set_states(object, &run, GRANULE_BUSY, GRANULE_CLEAN);
            }
        }
    }
    object_work(object, WORK_NONE, 0, 0);
    return error;
}

int object_evict(struct object *object, uint64_t limit_bytes, uint64_t *moved_bytes) {
    struct store *store = object->store;
    uint64_t freed_bytes = 0;
    int error = object_lock(object);
    if (error != 0) {
        return error;
    }
    struct thread_slot *slot = slot_enter(store, object->inode | SLOT_LOCKED, 0, 0);
    error = object_sync_backing(object);
    if (error == 0) {
        object_freeze(object);
        error = evict_frozen(object, limit_bytes >> store->granule_shift, &freed_bytes);
        object_thaw(object);
    }
    space_return(store, freed_bytes);
    slot_leave(slot);
    object_unlock(object);
    *moved_bytes += freed_bytes;
    return error;
}
