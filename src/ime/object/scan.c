/* Objects seen from outside, by their names in the fast tier. */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "object/object.h"

int object_name(uint64_t inode, char name[24]) {
    return snprintf(name, 24, "%" PRIx64, inode);
}

bool object_inode(const char *name, uint64_t *inode) {
    char *end;
    *inode = strtoull(name, &end, 16);
    return end != name && *end == '\0' && name[0] != '.';
}

void names_each(struct store *store, int folder_fd, void (*visit)(struct store *, const char *, void *),
                void *context) {
    int fd = openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
    if (directory == NULL) {
        return;
    }
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        if (entry->d_name[0] != '.') {
            visit(store, entry->d_name, context);
        }
    }
    closedir(directory);
}

void objects_each(struct store *store, void (*visit)(struct store *, const char *, void *), void *context) {
    names_each(store, store->objects_fd, visit, context);
}

bool object_peek(struct store *store, uint64_t inode, struct object_header *header) {
    char name[24];
    object_name(inode, name);
    int fd = openat(store->objects_fd, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    bool whole = pread(fd, header, sizeof *header, 0) == sizeof *header;
    close(fd);
    return whole && atomic_load(&header->magic) == OBJECT_MAGIC;
}

void object_unview(struct object *object) {
    munmap(object->header, INDEX_BYTES);
    close(object->fd);
    free(object->pages);
}

bool object_view(struct store *store, const char *name, int protection, struct object *object) {
    memset(object, 0, sizeof *object);
    object->store = store;
    object->fd = openat(store->objects_fd, name, O_RDWR | O_CLOEXEC);
    struct stat status;
    if (object->fd < 0) {
        return false;
    }
    void *map = MAP_FAILED;
    if (fstat(object->fd, &status) == 0 && (uint64_t)status.st_size >= INDEX_BYTES) {
        map = mmap(NULL, INDEX_BYTES, protection, MAP_SHARED, object->fd, 0);
    }
    if (map == MAP_FAILED) {
        close(object->fd);
        return false;
    }
    object->header = map;
    object->states = (_Atomic uint8_t *)map + STATES_OFFSET;
    object->pages = calloc(1, sizeof *object->pages);
    if (object->pages == NULL) {
        object_unview(object);
        return false;
    }
    return true;
}

uint64_t object_used_bytes(struct store *store, const char *name) {
    struct object object;
    if (!object_view(store, name, PROT_READ, &object)) {
        return 0;
    }
    uint64_t bytes = index_bytes(object.fd);
    if (bytes > 0) {
        bytes += object_count(&object, 0, MAX_GRANULES, RESIDENT_SET) << store->granule_shift;
    }
    object_unview(&object);
    return bytes;
}

static void scan_mark_dirty(struct object *object, uint64_t granule) {
    uint8_t state = object_state(object, granule);
    while ((state == GRANULE_CLEAN || state == GRANULE_DRAINING) &&
           !atomic_compare_exchange_weak(&object->states[granule], &state, GRANULE_DIRTY)) {
    }
}

void object_mark_torn(struct store *store, uint64_t inode, uint64_t low, uint64_t high) {
    char name[24];
    struct object object;
    object_name(inode, name);
    if (!object_view(store, name, PROT_READ | PROT_WRITE, &object)) {
        return;
    }
    struct object_header *header = object.header;
    for (uint64_t granule = granule_of(&object, low); granule < granules_up_to(&object, high); granule++) {
        scan_mark_dirty(&object, granule);
    }
    uint64_t end = atomic_load(&header->garbage_end);
    while (end < high && !atomic_compare_exchange_weak(&header->garbage_end, &end, high)) {
    }
    epoch_mark_changed(header);
    atomic_fetch_or(&header->gate, GATE_REPAIR);
    object_unview(&object);
}
