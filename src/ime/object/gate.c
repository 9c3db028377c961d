/* The object lock and the gate. Whoever gets the lock after a holder was killed finishes or undoes its work
 * first. */

#include "object/object.h"

void object_work(struct object *object, enum object_work work, uint64_t low, uint64_t high) {
    atomic_store(&object->header->work_low, low);
    atomic_store(&object->header->work_high, high);
    atomic_store(&object->header->work, (uint32_t)work);
}

void object_freeze(struct object *object) {
    atomic_fetch_or(&object->header->gate, GATE_FROZEN);
    slots_wait(object->store, object->inode);
}

void object_thaw(struct object *object) {
    atomic_fetch_and(&object->header->gate, ~GATE_FROZEN);
}

/* BUSY granules: the fast tier holds a half-made copy, the backing holds the truth. They count as used, by
 * whoever made them BUSY and by a recount. */
static void gate_undo_copy(struct object *object, uint64_t low, uint64_t high) {
    struct run run = {0, granule_of(object, low)};
    unsigned shift = object->store->granule_shift;
    uint64_t freed_bytes = 0;
    while (object_next_run(object, run.end, granules_up_to(object, high), STATE_SET(GRANULE_BUSY), UINT64_MAX,
                           &run)) {
        object_punch(object, run.first, run.end);
        for (uint64_t granule = run.first; granule < run.end; granule++) {
            atomic_store(&object->states[granule], GRANULE_EVICTED);
        }
        freed_bytes += (run.end - run.first) << shift;
    }
    space_return(object->store, freed_bytes);
}

static int gate_repair(struct object *object) {
    struct object_header *header = object->header;
    int error = 0;
    struct thread_slot *slot = slot_enter(object->store, object->inode | SLOT_LOCKED, 0, 0);
    object_freeze(object);
    uint32_t work = atomic_load(&header->work);
    uint64_t low = atomic_load(&header->work_low);
    uint64_t high = atomic_load(&header->work_high);
    uint64_t garbage_end = atomic_load(&header->garbage_end);
    if (work == WORK_TRUNCATE) {
        error = resize_shrink(object, low);
    } else if (work == WORK_COPY) {
        gate_undo_copy(object, low, high);
        garbage_end = high > garbage_end ? high : garbage_end;
    }
    if (error == 0 && garbage_end > atomic_load(&header->size_bytes)) {
        error = resize_clean_tail(object, garbage_end);
    }
    if (error == 0) {
        object_work(object, WORK_NONE, 0, 0);
        atomic_store(&header->garbage_end, 0);
        atomic_store(&header->gate, 0);
        epoch_mark_changed(header);
    }
    slot_leave(slot);
    return error;
}

/* 0, or the error of a repair that could not be finished; then the lock is not held. */
int object_lock(struct object *object) {
    pthread_mutex_lock(&object->lock);
    int error = lock_byte(object->fd, 0, true);
    if (error == 0 &&
        (atomic_load(&object->header->work) != WORK_NONE || atomic_load(&object->header->gate) != 0)) {
        error = gate_repair(object);
        if (error != 0) {
            unlock_byte(object->fd, 0);
        }
    }
    if (error != 0) {
        pthread_mutex_unlock(&object->lock);
    }
    return error;
}

void object_unlock(struct object *object) {
    unlock_byte(object->fd, 0);
    pthread_mutex_unlock(&object->lock);
}
