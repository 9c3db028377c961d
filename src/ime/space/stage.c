/* Staging: fetching from the backing into the fast tier. */

#include "space/space.h"

#define CHUNK_BYTES (UINT64_C(4) << 20)

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
    object_set_states(object, run, GRANULE_BUSY, error == 0 ? GRANULE_CLEAN : GRANULE_EVICTED);
    return error;
}

static bool stage_next_backed(const struct object *object, uint64_t from, uint64_t end, uint64_t limit,
                              struct run *run) {
    while (from < end && !granule_is_backed(object, from, object_state(object, from))) {
        from++;
    }
    run->first = from;
    while (from < end && from - run->first < limit &&
           granule_is_backed(object, from, object_state(object, from))) {
        from++;
    }
    run->end = from;
    return run->end > run->first;
}

/* Staging never drains: it must not slow down what is being written. */
static int stage_run(struct object *object, uint64_t from, uint64_t end, struct run *run, uint64_t *staged) {
    struct store *store = object->store;
    const uint64_t reserve = CHUNK_BYTES;
    *staged = 0;
    int error = index_ensure(object, from, end, space_reserve_clean);
    error = error != 0 ? error : space_reserve_clean(store, reserve);
    if (error != 0) {
        return error;
    }
    error = object_lock(object);
    if (error == 0) {
        struct thread_slot *slot = slot_enter(store, object->inode | SLOT_LOCKED, 0, 0);
        if (stage_next_backed(object, from, end, UINT64_MAX, run)) {
            object_work(object, WORK_COPY, run->first << store->granule_shift,
                        run->end << store->granule_shift);
            atomic_store(&object->header->ever_resident, 1);
            error = object_fill(object, run);
            object_work(object, WORK_NONE, 0, 0);
            *staged = error == 0 ? (run->end - run->first) << store->granule_shift : 0;
        } else {
            run->end = end;
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
        if (!stage_next_backed(object, from, end, UINT64_MAX, &run)) {
            break;
        }
        uint64_t staged = 0;
        uint64_t chunk_end = run.first + (CHUNK_BYTES >> object->store->granule_shift);
        error = stage_run(object, run.first, chunk_end < end ? chunk_end : end, &run, &staged);
        *moved_bytes += staged;
    }
    return error;
}
