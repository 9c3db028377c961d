/* Size and time of change, which live in the object's header until they reach the backing. */
#include <errno.h>
#include <time.h>

#include "client/client.h"
#include "drain/drainer.h"

#define CHECK_EVERY_NS INT64_C(1000000000)

void object_notify(struct object *object) {
    if (epoch_mark_changed(object->header)) {
        drainer_wake(object->store);
    } else {
        drainer_check(object->store, CHECK_EVERY_NS); /* it may have been killed since it was woken */
    }
}

void object_touch(struct object *object) {
    /* Strictly later than the last change, so that a cache that compares times never misses one. */
    int64_t now = now_ns(CLOCK_REALTIME);
    int64_t seen = atomic_load(&object->header->changed_ns);
    int64_t next;
    do {
        next = now > seen || seen - now > 1000000000 ? now
                                                     : seen + 1; /* a time set to the future does not hold */
    } while (!atomic_compare_exchange_weak(&object->header->changed_ns, &seen, next));
    object_notify(object);
}

void object_grow(struct object *object, uint64_t size_bytes) {
    uint64_t size = atomic_load(&object->header->size_bytes);
    while (size < size_bytes &&
           !atomic_compare_exchange_weak(&object->header->size_bytes, &size, size_bytes)) {
    }
}

static int change_resize_locked(struct object *object, uint64_t size_bytes) {
    struct thread_slot *slot = slot_enter(object->store, object->inode | SLOT_LOCKED, 0, 0);
    int error = 0;
    if (size_bytes >= atomic_load(&object->header->size_bytes)) {
        object_grow(object, size_bytes);
    } else {
        object_freeze(object);
        object_work(object, WORK_TRUNCATE, size_bytes, 0);
        error = resize_shrink(object, size_bytes);
        object_work(object, WORK_NONE, 0, 0);
        object_thaw(object);
    }
    if (error == 0) {
        object_touch(object);
    }
    slot_leave(slot);
    return error;
}

int object_resize(struct object *object, uint64_t size_bytes) {
    if (size_bytes > object->store->max_bytes) {
        return EFBIG;
    }
    int error = object_lock(object);
    if (error == 0) {
        error = change_resize_locked(object, size_bytes);
        object_unlock(object);
    }
    return error;
}

/* Whether another rank of our job has truncated the file and still has it open, and we have not yet. */
static bool change_repeats_truncation(struct object *object) {
    const struct store *store = object->store;
    const struct process_slot *slots = store->control->processes;
    const struct process_slot *own = &slots[store->process];
    if (atomic_load(&object->participants[store->process]) / 2 == store->incarnation) {
        return false; /* we did so already: this one is meant */
    }
    for (uint32_t i = 0; i < MAX_PROCESSES; i++) {
        uint32_t participant = atomic_load(&object->participants[i]);
        if (participant % 2 == 1 && i != store->process && client_is_alive(store, i) &&
            atomic_load(&slots[i].incarnation) == participant / 2 &&
            atomic_load(&slots[i].job) == atomic_load(&own->job) &&
            atomic_load(&slots[i].rank) != atomic_load(&own->rank)) {
            return true;
        }
    }
    return false;
}

/* Ranks of a job that all truncate a shared file to zero while they open it, without a barrier, mean one
 * truncation. That of the first rank counts; that of another one joins it, once, while one that took part
 * still has the file open. For a process outside a job every truncation counts. */
int object_truncate_repeatable(struct object *object) {
    struct store *store = object->store;
    clients_reenter(store);
    if (atomic_load(&store->control->processes[store->process].job) == 0) {
        return object_resize(object, 0);
    }
    int error = index_ensure_page(object, PARTICIPANTS_PAGE, space_reserve);
    error = error != 0 ? error : object_lock(object);
    if (error != 0) {
        return error;
    }
    if (!change_repeats_truncation(object)) {
        error = change_resize_locked(object, 0);
        for (uint32_t i = 0; error == 0 && i < MAX_PROCESSES; i++) {
            if (atomic_load(&object->participants[i]) != 0) {
                atomic_store(&object->participants[i], 0);
            }
        }
    }
    if (error == 0) {
        atomic_store(&object->participants[store->process], store->incarnation * 2 + 1);
        object->takes_part = true;
    }
    object_unlock(object);
    return error;
}

int object_set_time(struct object *object, int64_t changed_ns) {
    int error = object_lock(object);
    if (error == 0) {
        atomic_store(&object->header->changed_ns, changed_ns);
        object_notify(object);
        object_unlock(object);
    }
    return error;
}
