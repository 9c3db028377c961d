/* Between the tiers: drain, evict, stage in. Each holds the object lock for one chunk at a time. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "object.h"

#define CHUNK_BYTES (UINT64_C(4) << 20)
#define CATCH_UP_NS INT64_C(250000000) /* a drain that was held up for less keeps its rate */

static int copy_range(int from, uint64_t from_base, int to, uint64_t to_base, uint64_t at, uint64_t bytes) {
    const uint64_t step = UINT64_C(1) << 20;
    char *buffer = malloc(step);
    int error = buffer == NULL ? ENOMEM : 0;
    for (uint64_t done = 0; done < bytes && error == 0;) {
        uint64_t part = bytes - done < step ? bytes - done : step;
        struct iovec iov = {buffer, part};
        struct cursor cursor = {&iov, 1, 0};
        uint64_t got = 0;
        error = move_all(from, &cursor, from_base + at + done, part, false, &got);
        cursor_zero(&cursor, part - got);
        cursor = (struct cursor){&iov, 1, 0};
        uint64_t put = 0;
        if (error == 0) {
            error = move_all(to, &cursor, to_base + at + done, part, true, &put);
        }
        done += part;
    }
    free(buffer);
    return error;
}

static void set_states(struct object *object, const struct run *run, uint8_t from, uint8_t to) {
    for (uint64_t granule = run->first; granule < run->end; granule++) {
        uint8_t expected = from;
        atomic_compare_exchange_strong(&object->states[granule], &expected, to);
    }
}

/* A dead drainer's DRAINING granules are dirty ones to the next holder of the lock. */
static void claim_run(struct object *object, const struct run *run) {
    set_states(object, run, GRANULE_DIRTY, GRANULE_DRAINING);
}

static int drain_run(struct object *object, const struct run *run, uint64_t *bytes) {
    unsigned shift = object->store->granule_shift;
    uint64_t low = run->first << shift;
    uint64_t high = run->end << shift;
    int fd;
    int error = object_backing_fd(object, &fd);
    claim_run(object, run);
    uint64_t size = atomic_load(&object->header->size_bytes);
    high = high < size ? high : size;
    struct injection injection = inject(object->store, OP_DRAIN, high - low);
    error = error != 0 ? error : injection.error;
    if (error == 0) {
        atomic_store(&object->header->backing_unsynced, 1);
        error = copy_range(object->fd, DATA_OFFSET, fd, 0, low, high - low);
    }
    set_states(object, run, GRANULE_DRAINING, error == 0 ? GRANULE_CLEAN : GRANULE_DIRTY);
    *bytes = error == 0 ? high - low : 0;
    return error;
}

static uint64_t chunk_granules(const struct store *store, uint64_t limit_bytes) {
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
static int settle(struct object *object) {
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
            errno == EPERM ? 0 : errno; /* somebody else's file, shared for writing: its data matter more */
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
    bool found = object_next_run(object, from, end, DIRTY_SET, chunk_granules(store, limit_bytes), run);
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
        error = settle(object);
        if (error == 0) {
            epoch_end_drain(object->header, begun);
        }
    }
    return error;
}

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
    set_states(object, run, GRANULE_CLEAN, GRANULE_BUSY);
    int error = 0;
    if (fallocate(object->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  (off_t)(DATA_OFFSET + (run->first << shift)),
                  (off_t)((run->end - run->first) << shift)) != 0) {
        error = errno;
    }
    set_states(object, run, GRANULE_BUSY, error == 0 ? GRANULE_EVICTED : GRANULE_CLEAN);
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

int object_fill(struct object *object, const struct run *run) {
    unsigned shift = object->store->granule_shift;
    int fd;
    int error = object_backing_fd(object, &fd);
    if (error != 0) {
        return error;
    }
    for (uint64_t granule = run->first; granule < run->end; granule++) {
        atomic_store(&object->states[granule], GRANULE_BUSY);
    }
    error = copy_range(fd, 0, object->fd, DATA_OFFSET, run->first << shift, (run->end - run->first) << shift);
    set_states(object, run, GRANULE_BUSY, error == 0 ? GRANULE_CLEAN : GRANULE_EVICTED);
    return error;
}

static bool next_backed(const struct object *object, uint64_t from, uint64_t end, uint64_t limit,
                        struct run *run) {
    while (from < end && !granule_is_backed(object, from, atomic_load(&object->states[from]))) {
        from++;
    }
    run->first = from;
    while (from < end && from - run->first < limit &&
           granule_is_backed(object, from, atomic_load(&object->states[from]))) {
        from++;
    }
    run->end = from;
    return run->end > run->first;
}

static int stage_run(struct object *object, uint64_t from, uint64_t end, struct run *run, uint64_t *staged) {
    struct store *store = object->store;
    uint64_t reserve = CHUNK_BYTES;
    uint64_t freed = 0;
    *staged = 0;
    if (!space_try(store, reserve)) {
        space_evict(store, reserve, &freed);
        if (!space_try(store, reserve)) {
            return ENOSPC; /* staging never drains: it must not slow down what is being written */
        }
    }
    int error = object_lock(object);
    if (error == 0) {
        struct thread_slot *slot = slot_enter(store, object->inode | SLOT_LOCKED, 0, 0);
        if (next_backed(object, from, end, reserve >> store->granule_shift, run)) {
            object_work(object, WORK_COPY, run->first << store->granule_shift,
                        run->end << store->granule_shift);
            atomic_store(&object->header->ever_resident, 1);
            error = object_fill(object, run);
            object_work(object, WORK_NONE, 0, 0);
            *staged = error == 0 ? (run->end - run->first) << store->granule_shift : 0;
        }
        slot_leave(slot);
        object_unlock(object);
    }
    space_return(store, reserve - *staged);
    return error;
}

int object_stage(struct object *object, uint64_t low, uint64_t high, uint64_t *moved_bytes) {
    uint64_t size = atomic_load(&object->header->size_bytes);
    uint64_t end = granules_up_to(object, high < size ? high : size);
    struct run run;
    int error = 0;
    for (uint64_t from = granule_of(object, low); from < end && error == 0; from = run.end) {
        if (!next_backed(object, from, end, UINT64_MAX, &run)) {
            break;
        }
        uint64_t staged = 0;
        error = stage_run(object, run.first, end, &run, &staged);
        *moved_bytes += staged;
    }
    return error;
}
