/* Capacity. What is full is emptied in the order of last use: clean granules go first, then the oldest dirty
 * ones are drained and go too. Whoever needs the room does the work, so that no client waits for a process
 * that may be dead. */
#include <errno.h>
#include <unistd.h>

#include "drain/drain.h"

static int room_drain_and_evict(struct object *object, uint64_t limit_bytes, uint64_t *freed_bytes) {
    uint64_t drained = 0;
    int error = object_drain(object, limit_bytes, &drained);
    return drained > 0 ? object_evict(object, limit_bytes, freed_bytes) : error;
}

static int make_room(struct store *store, uint64_t bytes, bool *progress) {
    uint64_t batch = store->control->capacity_bytes / 32;
    uint64_t freed = 0;
    int error = space_evict(store, bytes, &freed);
    if (freed < bytes) {
        error = migrate_oldest(store, room_drain_and_evict, bytes > batch ? bytes : batch, &freed);
    }
    *progress = freed > 0;
    return freed > 0 ? 0 : error;
}

int space_reserve(struct store *store, uint64_t bytes) {
    const unsigned patience = 2000; /* milliseconds without anything to drain or evict */
    int error = 0;
    store_lock(store, LOCK_SPACE);
    for (unsigned idle = 0; !space_try(store, bytes) && error == 0;) {
        bool progress;
        error = make_room(store, bytes, &progress);
        if (!progress && error == 0) {
            if (idle == 100 || atomic_load(&store->control->recount) != 0) {
                clients_recount(store);
            }
            usleep(1000);
            error = ++idle > patience ? ENOSPC : 0;
        }
    }
    store_unlock(store, LOCK_SPACE);
    return error;
}
