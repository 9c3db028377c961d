#include <errno.h>
#include <stdlib.h>

#include "space/space.h"

struct aged {
    uint64_t inode;
    int64_t used_ns;
};

struct listing {
    struct aged *entries;
    size_t count;
    size_t room;
};

static void oldest_list_object(struct store *store, const char *name, void *context) {
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

static int oldest_by_age(const void *a, const void *b) {
    int64_t x = ((const struct aged *)a)->used_ns;
    int64_t y = ((const struct aged *)b)->used_ns;
    return (x > y) - (x < y);
}

int migrate_oldest(struct store *store, migration *migrate, uint64_t wanted_bytes, uint64_t *freed_bytes) {
    struct listing listing = {NULL, 0, 0};
    int first_error = 0;
    objects_each(store, oldest_list_object, &listing);
    if (listing.count > 0) {
        qsort(listing.entries, listing.count, sizeof *listing.entries, oldest_by_age);
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
    return migrate_oldest(store, object_evict, bytes > batch ? bytes : batch, freed_bytes);
}

int space_reserve_clean(struct store *store, uint64_t bytes) {
    uint64_t freed_bytes;
    if (!space_try(store, bytes)) {
        space_evict(store, bytes, &freed_bytes);
        return space_try(store, bytes) ? 0 : ENOSPC;
    }
    return 0;
}
