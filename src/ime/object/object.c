#include "object/object.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static struct shard *object_shard_of(struct store *store, uint64_t inode) {
    return &store->shards[(inode * UINT64_C(0x9e3779b97f4a7c15)) >> 58];
}

/* A shared lock on the object file means "in use"; whoever drops the object takes it exclusively first. */
static int object_lock_in_use(int fd) {
    while (flock(fd, LOCK_SH) != 0) {
        if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

static bool object_still_has_name(const struct store *store, int fd, const char *name) {
    struct stat opened;
    struct stat named;
    return fstat(fd, &opened) == 0 && fstatat(store->objects_fd, name, &named, 0) == 0 &&
           opened.st_ino == named.st_ino;
}

static int object_open_in_use(struct store *store, const char *name, bool create, int *error) {
    for (;;) {
        int fd = openat(store->objects_fd, name, O_RDWR | O_CLOEXEC | (create ? O_CREAT : 0), 0600);
        if (fd < 0) {
            *error = errno == ENOENT && !create ? 0 : errno;
            return -1;
        }
        *error = object_lock_in_use(fd);
        if (*error == 0 && object_still_has_name(store, fd, name)) {
            return fd;
        }
        close(fd); /* dropped while we opened it */
        if (*error != 0) {
            return -1;
        }
    }
}

static int object_link_backing(struct store *store, int backing_fd, const char *name) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", backing_fd);
    if (linkat(AT_FDCWD, path, store->links_fd, name, AT_SYMLINK_FOLLOW) == 0 || errno == EEXIST) {
        return 0;
    }
    return errno == ENOENT ? ESTALE : errno; /* ESTALE: the file lost its last name meanwhile */
}

/* The caller holds the object lock. The magic number comes last: without it there is no object. */
static int object_initialise(struct store *store, struct object *object, int backing_fd, const char *name) {
    struct object_header *header = object->header;
    struct stat status;
    if (fstat(backing_fd, &status) != 0) {
        return errno;
    }
    if ((uint64_t)status.st_size > store->max_bytes) {
        return EFBIG;
    }
    int error = object_link_backing(store, backing_fd, name);
    if (error != 0) {
        return error;
    }
    header->inode = object->inode;
    atomic_store(&header->size_bytes, (uint64_t)status.st_size);
    atomic_store(&header->origin_bytes, (uint64_t)status.st_size);
    atomic_store(&header->changed_ns, (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec);
    atomic_store(&header->magic, OBJECT_MAGIC);
    atomic_fetch_add(&store->control->objects_created, 1);
    return 0;
}

static bool object_has_magic(const struct object *object) {
    uint64_t magic = 0; /* by a system call: touching a page that is missing would take room */
    struct stat status;
    return fstat(object->fd, &status) == 0 && (uint64_t)status.st_size >= INDEX_BYTES &&
           pread(object->fd, &magic, sizeof magic, 0) == sizeof magic && magic == OBJECT_MAGIC;
}

/* The object may be one whose end a kill interrupted. Others may have the index mapped already, to look for
 * the magic number, so that the file must not become shorter than it. */
static int object_make_content(int fd) {
    if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)INDEX_BYTES) != 0 ||
        ftruncate(fd, (off_t)INDEX_BYTES) != 0 || fallocate(fd, 0, 0, (off_t)INDEX_PAGE_BYTES) != 0) {
        return errno;
    }
    return 0;
}

static int object_ensure_initialised(struct store *store, struct object *object, int backing_fd,
                                     const char *name, bool *created) {
    int error = lock_byte(object->fd, 0, true);
    if (error != 0) {
        return error;
    }
    if (!object_has_magic(object)) {
        error = object_make_content(object->fd);
        error = error == 0 ? object_initialise(store, object, backing_fd, name) : error;
        *created = error == 0;
    }
    unlock_byte(object->fd, 0);
    return error;
}

static int map_object(struct object *object) {
    void *map = mmap(NULL, INDEX_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, object->fd, 0);
    if (map == MAP_FAILED) {
        return errno;
    }
    object->header = map;
    object->participants = (_Atomic uint32_t *)(void *)((char *)map + PARTICIPANTS_PAGE * INDEX_PAGE_BYTES);
    object->states = (_Atomic uint8_t *)map + STATES_OFFSET;
    return 0;
}

void object_unmap(struct object *object) {
    if (object->header != NULL) {
        munmap(object->header, INDEX_BYTES);
    }
    if (object->backing_fd >= 0) {
        close(object->backing_fd);
    }
    if (object->fd >= 0) {
        close(object->fd);
    }
    pthread_mutex_destroy(&object->lock);
    pthread_mutex_destroy(&object->open_mutex);
    pthread_mutex_destroy(&object->index_mutex);
    free(object->pages);
    free(object);
}

static struct object *object_load(struct store *store, uint64_t inode, int backing_fd, bool *created,
                                  int *error) {
    char name[24];
    object_name(inode, name);
    struct object *object = calloc(1, sizeof *object);
    struct index_pages *pages = calloc(1, sizeof *pages);
    if (object == NULL || pages == NULL) {
        free(object);
        free(pages);
        *error = ENOMEM;
        return NULL;
    }
    object->pages = pages;
    object->store = store;
    object->inode = inode;
    object->backing_fd = -1;
    pthread_mutex_init(&object->lock, NULL);
    pthread_mutex_init(&object->open_mutex, NULL);
    pthread_mutex_init(&object->index_mutex, NULL);
    object->fd = object_open_in_use(store, name, backing_fd >= 0, error);
    if (object->fd >= 0) {
        *error = map_object(object);
        if (*error == 0 && backing_fd >= 0) {
            *error = object_ensure_initialised(store, object, backing_fd, name, created);
        }
        if (*error == 0 && object_has_magic(object)) {
            return object;
        }
    }
    object_unmap(object);
    return NULL;
}

struct object *object_attach(struct store *store, uint64_t inode, int backing_fd, bool *created, int *error) {
    struct shard *shard = object_shard_of(store, inode);
    *error = 0;
    *created = false;
    pthread_mutex_lock(&shard->mutex);
    struct object *object = shard->objects;
    while (object != NULL && object->inode != inode) {
        object = object->next;
    }
    if (object == NULL) {
        object = object_load(store, inode, backing_fd, created, error);
        if (object != NULL) {
            object->next = shard->objects;
            shard->objects = object;
            atomic_store(&object->header->used_ns, now_ns(CLOCK_MONOTONIC_COARSE));
        }
    }
    if (object != NULL) {
        object->references++;
    }
    pthread_mutex_unlock(&shard->mutex);
    return object;
}

struct object *object_find(struct store *store, uint64_t inode, int *error) {
    bool created;
    return object_attach(store, inode, -1, &created, error);
}

void object_release(struct object *object) {
    struct store *store = object->store;
    struct shard *shard = object_shard_of(store, object->inode);
    pthread_mutex_lock(&shard->mutex);
    if (--object->references == 0) {
        struct object **link = &shard->objects;
        while (*link != object) {
            link = &(*link)->next;
        }
        *link = object->next;
        if (object->takes_part && store->process != NO_PROCESS) {
            atomic_fetch_and(&object->participants[store->process], ~UINT32_C(1));
        }
        object_drop_if_idle(object);
        object_unmap(object);
    }
    pthread_mutex_unlock(&shard->mutex);
}

/* Locks belong to open descriptions, which fork shares: the child takes descriptions of its own. */
void object_reopen_after_fork(struct object *object) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", object->fd);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd >= 0) {
        flock(fd, LOCK_SH);
        dup3(fd, object->fd, O_CLOEXEC);
        close(fd);
    }
    object->takes_part = false;
    pthread_mutex_init(&object->lock, NULL);
    pthread_mutex_init(&object->open_mutex, NULL);
    pthread_mutex_init(&object->index_mutex, NULL);
}
