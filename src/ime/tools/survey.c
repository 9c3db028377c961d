/* Names of buffered files: the store knows inodes, the backing knows names. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>

#include "imectl.h"

static struct buffered_list *walked; /* nftw passes no context */
static size_t walked_prefix;

void survey_free(struct buffered_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        free(list->entries[i].path);
    }
    free(list->entries);
    *list = (struct buffered_list){NULL, 0, 0};
}

static uint64_t survey_within(const struct store *store, const struct run *run, uint64_t size) {
    uint64_t low = run->first << store->granule_shift;
    uint64_t high = run->end << store->granule_shift;
    high = high < size ? high : size;
    return high > low ? high - low : 0;
}

static uint64_t survey_count_bytes(struct object *object, unsigned state_set, uint64_t size) {
    uint64_t bytes = 0;
    struct run run = {0, 0};
    while (object_next_run(object, run.end, granules_up_to(object, size), state_set, UINT64_MAX, &run)) {
        bytes += survey_within(object->store, &run, size);
    }
    return bytes;
}

static int survey_add(struct store *store, struct buffered_list *list, uint64_t inode, const char *path) {
    int error;
    if (list->count == list->room) {
        size_t room = list->room == 0 ? 64 : 2 * list->room;
        struct buffered *entries = realloc(list->entries, room * sizeof *entries);
        if (entries == NULL) {
            return ENOMEM;
        }
        list->entries = entries;
        list->room = room;
    }
    struct object *object = object_find(store, inode, &error);
    if (object == NULL) {
        return error;
    }
    struct buffered *entry = &list->entries[list->count++];
    uint64_t size = atomic_load(&object->header->size_bytes);
    uint64_t origin = atomic_load(&object->header->origin_bytes);
    *entry =
        (struct buffered){.inode = inode, .path = path != NULL ? strdup(path) : NULL, .size_bytes = size};
    entry->resident_bytes = survey_count_bytes(object, RESIDENT_SET, size);
    entry->dirty_bytes = survey_count_bytes(object, DIRTY_SET, size);
    entry->drained_bytes = survey_count_bytes(
        object, STATE_SET(GRANULE_CLEAN) | STATE_SET(GRANULE_EVICTED) | STATE_SET(GRANULE_BUSY), size);
    struct run run = {0, 0};
    for (uint64_t granule = 0; granule < granules_up_to(object, origin < size ? origin : size); granule++) {
        if (object_state(object, granule) == GRANULE_NONE) { /* there before it was buffered */
            run = (struct run){granule, granule + 1};
            entry->drained_bytes += survey_within(store, &run, size);
        }
    }
    entry->settled = is_settled(object->header);
    object_release(object);
    return 0;
}

struct gathering {
    struct buffered_list *list;
    int error;
};

static void survey_gather(struct store *store, const char *name, void *context) {
    struct gathering *gathering = context;
    uint64_t inode;
    struct object_header header;
    if (gathering->error == 0 && object_inode(name, &inode) && object_peek(store, inode, &header)) {
        gathering->error = survey_add(store, gathering->list, inode, NULL);
    }
}

static int survey_by_inode(const void *a, const void *b) {
    uint64_t x = ((const struct buffered *)a)->inode;
    uint64_t y = ((const struct buffered *)b)->inode;
    return (x > y) - (x < y);
}

static int survey_by_path(const void *a, const void *b) {
    const char *x = ((const struct buffered *)a)->path;
    const char *y = ((const struct buffered *)b)->path;
    return x == NULL || y == NULL ? (x == NULL) - (y == NULL) : strcmp(x, y);
}

static int survey_name_entry(const char *path, const struct stat *status, int type, struct FTW *position) {
    if (type == FTW_D && position->level == 1 && strcmp(path + position->base, LINKS_DIRECTORY) == 0) {
        return FTW_SKIP_SUBTREE;
    }
    struct buffered key = {.inode = status->st_ino};
    struct buffered *found = NULL;
    if (type == FTW_F && S_ISREG(status->st_mode)) {
        found = bsearch(&key, walked->entries, walked->count, sizeof key, survey_by_inode);
    }
    if (found != NULL && found->path == NULL) {
        found->path = strdup(path + walked_prefix);
    }
    return FTW_CONTINUE;
}

static int survey_all(struct store *store, struct buffered_list *list) {
    struct gathering gathering = {list, 0};
    objects_each(store, survey_gather, &gathering);
    if (gathering.error != 0 || list->count == 0) {
        return gathering.error;
    }
    qsort(list->entries, list->count, sizeof *list->entries, survey_by_inode);
    walked = list;
    walked_prefix = strlen(store->config.backing) + 1;
    nftw(store->config.backing, survey_name_entry, 32, FTW_PHYS | FTW_MOUNT | FTW_ACTIONRETVAL);
    qsort(list->entries, list->count, sizeof *list->entries, survey_by_path);
    return 0;
}

static int survey_named(struct store *store, const char *name, struct buffered_list *list) {
    char relative[PATH_MAX];
    struct stat status;
    int error = path_in_store(store, name, relative);
    error = error != 0 ? error : path_look(store, relative, &status);
    if (error == 0 && !S_ISREG(status.st_mode)) {
        error = EISDIR;
    }
    if (error != 0) {
        fprintf(stderr, "imectl: %s: %s (looked for it in %s)\n", name, strerror(error),
                store->config.backing);
        return error;
    }
    struct object_header header;
    if (path_is_bufferable(store, &status) && object_peek(store, status.st_ino, &header)) {
        return survey_add(store, list, status.st_ino, relative);
    }
    return 0; /* not buffered: nothing of it is in the fast tier */
}

int survey(struct store *store, const struct invocation *invocation, struct buffered_list *list) {
    int error = 0;
    if (invocation->file_count == 0) {
        return survey_all(store, list);
    }
    for (int i = 0; i < invocation->file_count; i++) {
        int one = survey_named(store, invocation->files[i], list);
        error = error != 0 ? error : one;
    }
    return error;
}

void print_json_text(const char *text) {
    putchar('"');
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\') {
            printf("\\%c", *c);
        } else if (*c < 0x20) {
            printf("\\u%04x", *c);
        } else {
            putchar(*c);
        }
    }
    putchar('"');
}
