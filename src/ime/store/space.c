/* Capacity. What is full is emptied in the order of last use: clean granules go first, then the oldest dirty
 * ones are drained and go too. Whoever needs the room does the work, so that nobody waits for a process that
 * may be dead. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "object.h"

struct aged {
    uint64_t inode;
    int64_t used_ns;
};

struct listing {
    struct aged *entries;
    size_t count;
    size_t room;
};

bool space_try(struct store *store, uint64_t bytes) {
    uint64_t used = atomic_load(&store->control->used_bytes);
    do {
        if (used + bytes > store->control->capacity_bytes) {
            return false;
        }
    } while (!atomic_compare_exchange_weak(&store->control->used_bytes, &used, used + bytes));
    return true;
}

void space_return(struct store *store, uint64_t bytes) {
    uint64_t used = atomic_load(&store->control->used_bytes);
    while (
        !atomic_compare_exchange_weak(&store->control->used_bytes, &used, used > bytes ? used - bytes : 0)) {
    }
}

static void list_object(struct store *store, const char *name, void *context) {
    struct listing *listing = context;
    struct object_header header;
    uint64_t inode;
    if (!object_inode(name, &inode) || !object_peek(store, inode, &header) || header.ever_resident == 0) {
        return;
    }
    if (listing->count == listing->room) {
        size_t room = listing->room == 0 ? 64 : 2 * listing->room;
        struct aged *entries = realloc(listing->entries, room * sizeof *entries);
        if (entries == NULL) {
            return;
        }
        listing->entries = entries;
        listing->room = room;
    }
    listing->entries[listing->count++] = (struct aged){inode, header.used_ns};
}

static int by_age(const void *a, const void *b) {
    int64_t x = ((const struct aged *)a)->used_ns;
    int64_t y = ((const struct aged *)b)->used_ns;
    return (x > y) - (x < y);
}

typedef int migration(struct object *, uint64_t, uint64_t *);

static int drain_and_evict(struct object *object, uint64_t limit_bytes, uint64_t *freed_bytes) {
    uint64_t drained = 0;
    int error = object_drain(object, limit_bytes, &drained);
    return drained > 0 ? object_evict(object, limit_bytes, freed_bytes) : error;
}

static int from_oldest(struct store *store, migration *migrate, uint64_t wanted_bytes,
                       uint64_t *freed_bytes) {
    struct listing listing = {NULL, 0, 0};
    int first_error = 0;
    objects_each(store, list_object, &listing);
    if (listing.count > 0) {
        qsort(listing.entries, listing.count, sizeof *listing.entries, by_age);
    }
    for (size_t i = 0; i < listing.count && *freed_bytes < wanted_bytes; i++) {
        int error;
        struct object *object = object_find(store, listing.entries[i].inode, &error);
        if (object != NULL) {
            error = migrate(object, wanted_bytes - *freed_bytes, freed_bytes);
            object_release(object);
        }
        first_error = first_error != 0 ? first_error : error;
    }
    free(listing.entries);
    return first_error;
}

int space_evict(struct store *store, uint64_t bytes, uint64_t *freed_bytes) {
    uint64_t batch =
        store->control->capacity_bytes / 32; /* a pass looks at every object: make it worth while */
    *freed_bytes = 0;
    return from_oldest(store, object_evict, bytes > batch ? bytes : batch, freed_bytes);
}

static int make_room(struct store *store, uint64_t bytes, bool *progress) {
    uint64_t batch = store->control->capacity_bytes / 32;
    uint64_t freed = 0;
    int error = space_evict(store, bytes, &freed);
    if (freed < bytes) {
        error = from_oldest(store, drain_and_evict, bytes > batch ? bytes : batch, &freed);
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
