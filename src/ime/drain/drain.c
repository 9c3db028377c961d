/* Between the tiers: drain, evict, stage in. Each holds the object lock for one chunk at a time. */
#include <errno.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "drain/drain.h"

#define CHUNK_BYTES (UINT64_C(4) << 20)
#define CATCH_UP_NS INT64_C(250000000) /* a drain that was held up for less keeps its rate */

static int drain_run(struct object *object, const struct run *run, uint64_t *bytes) {
    unsigned shift = object->store->granule_shift;
    uint64_t low = run->first << shift;
    uint64_t high = run->end << shift;
    int fd;
    int error = object_backing_fd(object, &fd);
    /* A dead drainer's DRAINING granules are dirty ones to the next holder of the lock. */
    object_set_states(object, run, GRANULE_DIRTY, GRANULE_DRAINING);
    uint64_t size = atomic_load(&object->header->size_bytes);
    high = high < size ? high : size;
    struct injection injection = inject(object->store, OP_DRAIN, high - low);
    error = error != 0 ? error : injection.error;
    /* The fast tier has it on its disk before the backing gets it, or after a loss of power the older bytes
     * that it still has would be drained over the newer ones. What is written after this makes its granule
     * dirty. */
    if (error == 0 && fdatasync(object->fd) != 0) {
        error = errno;
    }
    if (error == 0) {
        atomic_store(&object->header->backing_unsynced, 1);
        error = copy_range(object->fd, DATA_OFFSET, fd, 0, low, high - low);
    }
    object_set_states(object, run, GRANULE_DRAINING, error == 0 ? GRANULE_CLEAN : GRANULE_DIRTY);
    *bytes = error == 0 ? high - low : 0;
    return error;
}

static uint64_t drain_chunk_granules(const struct store *store, uint64_t limit_bytes) {
    uint64_t chunk = CHUNK_BYTES;
    double rate = store->config.drain_bytes_s;
    if (rate > 0 && rate * 0.02 < (double)chunk) {
        chunk = (uint64_t)(rate * 0.02); /* small steps keep a slow drain even */
    }
    chunk = limit_bytes < chunk ? limit_bytes : chunk;
    uint64_t granules = chunk >> store->granule_shift;
    return granules > 0 ? granules : 1;
}

/* Size and time of change, once every dirty granule is in the backing. */
static int drain_settle(struct object *object) {
    struct stat status;
    int fd;
    int error = object_lock(object);
    if (error != 0) {
        return error;
    }
    error = object_backing_fd(object, &fd);
    uint64_t size = atomic_load(&object->header->size_bytes);
    int64_t changed = atomic_load(&object->header->changed_ns);
    if (error == 0 && fstat(fd, &status) != 0) {
        error = errno;
    }
    if (error == 0 && (uint64_t)status.st_size != size && ftruncate(fd, (off_t)size) != 0) {
        error = errno;
    }
    int64_t seconds = changed / 1000000000 - (changed % 1000000000 < 0);
    struct timespec times[2] = {{0, UTIME_OMIT}, {seconds, changed - seconds * 1000000000}};
    if (error == 0 && futimens(fd, times) != 0) {
        error =
            errno == EPERM ? 0 : errno; /* another user's file, shared for writing: its data matter more */
    }
    object_unlock(object);
    return error;
}

static int drain_chunk(struct object *object, uint64_t from, uint64_t limit_bytes, struct run *run,
                       uint64_t *bytes) {
    struct store *store = object->store;
    *bytes = 0;
    int error = object_lock(object);
    if (error != 0) {
        return error;
    }
    struct thread_slot *slot = slot_enter(store, object->inode | SLOT_LOCKED, 0, 0);
    uint64_t end = granules_up_to(object, atomic_load(&object->header->size_bytes));
    bool found = object_next_run(object, from, end, DIRTY_SET, drain_chunk_granules(store, limit_bytes), run);
    if (found) {
        error = drain_run(object, run, bytes);
    } else {
        run->end = UINT64_MAX;
    }
    slot_leave(slot);
    object_unlock(object);
    return error;
}

int object_drain(struct object *object, uint64_t limit_bytes, uint64_t *moved_bytes) {
    uint64_t left = limit_bytes;
    struct run run = {0, 0};
    int error = 0;
    if (is_settled(object->header)) {
        return 0;
    }
    uint32_t begun = epoch_begin_drain(object->header);
    while (error == 0 && left > 0 && run.end != UINT64_MAX) {
        uint64_t bytes;
        error = drain_chunk(object, run.end, left, &run, &bytes);
        pace(&object->store->control->drain_next_ns, object->store->config.drain_bytes_s, bytes, CATCH_UP_NS);
        *moved_bytes += bytes;
        left -= bytes < left ? bytes : left;
    }
    if (error == 0 && run.end == UINT64_MAX) {
        error = drain_settle(object);
        if (error == 0) {
            epoch_end_drain(object->header, begun);
        }
    }
    return error;
}

/* Others have the nameless file open, and have not looked at its object yet: leave them the data. */
void drain_for_readers(struct object *object) {
    int fd;
    uint64_t drained_bytes = 0;
    if (object_backing_fd(object, &fd) == 0 && byte_may_be_locked(fd, LOCK_UNBUFFERED)) {
        object_drain(object, UINT64_MAX, &drained_bytes);
    }
}
