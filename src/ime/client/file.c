#include "client/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "drain/drainer.h"

#define CLOSE_PAUSE_NS INT64_C(100000000)

/* Flags about the path of the data, which the store chooses. */
#define OUR_FLAGS (O_TRUNC | O_APPEND | O_DIRECT | O_SYNC | O_DSYNC)

static bool file_may_write(int flags) {
    return (flags & O_ACCMODE) != O_RDONLY;
}

static void count_file(struct object *object) {
    if (object != NULL) {
        atomic_fetch_add(&object->files, 1);
    }
}

/* Readers of a file that is not buffered look again when any object has been made since. */
static struct object *file_object_of(struct file *file) {
    struct object *object = atomic_load(&file->object);
    uint32_t created = atomic_load(&file->store->control->objects_created);
    if (object != NULL || !file->regular || created == atomic_load(&file->seen_created)) {
        return object;
    }
    pthread_mutex_lock(&file->attach_mutex);
    object = atomic_load(&file->object);
    if (object == NULL) {
        int error;
        object = object_find(file->store, file->inode, &error);
        count_file(object);
        atomic_store(&file->object, object);
        atomic_store(&file->seen_created, created);
    }
    pthread_mutex_unlock(&file->attach_mutex);
    return object;
}

/* The file's object, made if it has none: its first page takes room, which may have to be made. */
static struct object *file_attach_with_room(struct file *file, int *error) {
    struct store *store = file->store;
    for (;;) {
        bool created = false;
        struct object *object = NULL;
        if (space_try(store, INDEX_PAGE_BYTES)) {
            struct thread_slot *slot = slot_of_thread(store);
            atomic_store(&slot->credit_bytes, INDEX_PAGE_BYTES); /* so that a recount knows of it */
            object = object_attach(store, file->inode, file->backing_fd, &created, error);
            atomic_store(&slot->credit_bytes, 0);
            if (!created) {
                space_return(store, INDEX_PAGE_BYTES);
            }
            return object;
        }
        object = object_find(store, file->inode, error);
        if (object != NULL || *error != 0) {
            return object;
        }
        *error = space_reserve(store, INDEX_PAGE_BYTES);
        if (*error != 0) {
            return NULL;
        }
        space_return(store, INDEX_PAGE_BYTES); /* another client may take it first: try again */
    }
}

static struct object *file_make_object(struct file *file, int *error) {
    pthread_mutex_lock(&file->attach_mutex);
    struct object *object = atomic_load(&file->object);
    if (object == NULL) {
        object = file_attach_with_room(file, error);
        count_file(object);
        atomic_store(&file->object, object);
    }
    pthread_mutex_unlock(&file->attach_mutex);
    return object;
}

static int file_resize(struct file *file, off_t size, bool strict) {
    struct object *object = atomic_load(&file->object);
    if (object == NULL) {
        return ftruncate(file->backing_fd, size) == 0 ? 0 : errno;
    }
    return size == 0 && !strict ? object_truncate_repeatable(object) : object_resize(object, (uint64_t)size);
}

static int file_prepare(struct file *file, int flags, bool strict) {
    struct stat status;
    int error = 0;
    if (fstat(file->backing_fd, &status) != 0) {
        return errno;
    }
    file->inode = status.st_ino;
    file->regular = path_is_bufferable(file->store, &status);
    atomic_store(&file->seen_created, atomic_load(&file->store->control->objects_created) - 1);
    if (!file->regular) { /* below another mount, inode numbers mean other files: read there, never written */
        return S_ISREG(status.st_mode) && (file_may_write(flags) || (flags & O_TRUNC) != 0) ? EXDEV : 0;
    }
    if (!file_may_write(flags) && (flags & O_TRUNC) == 0) {
        /* Whoever removes the file's last name must know that we may still want its data. */
        error = share_byte(file->backing_fd, LOCK_UNBUFFERED);
        error =
            locks_are_missing(error) ? 0 : error; /* then every removal is taken for one that concerns us */
        return error == 0 && fstat(file->backing_fd, &status) == 0 && status.st_nlink == 0 ? ESTALE : error;
    }
    if (file_make_object(file, &error) == NULL) {
        return error;
    }
    if ((flags & O_TRUNC) == 0) {
        return 0;
    }
    /* A process that has the file open already is past the opening that ranks have in common. */
    bool opened_before = atomic_load(&atomic_load(&file->object)->files) > 1;
    return file_resize(file, 0, strict || opened_before);
}

int file_adopt(struct store *store, int backing_fd, int flags, bool strict, struct file **out) {
    struct file *file = calloc(1, sizeof *file);
    if (file == NULL) {
        close(backing_fd);
        return ENOMEM;
    }
    file->store = store;
    file->backing_fd = backing_fd;
    file->flags = flags;
    pthread_mutex_init(&file->attach_mutex, NULL);
    int error = file_prepare(file, flags, strict);
    if (error != 0) {
        file_close(file);
        return error;
    }
    *out = file;
    return 0;
}

int file_open(struct store *store, const char *path, int flags, mode_t mode, bool strict,
              struct file **file) {
    struct injection injection = inject(store, OP_OPEN, 0);
    if (injection.error != 0) {
        return injection.error;
    }
    for (unsigned tries = 0;; tries++) {
        int fd = open_beneath(store, path, (flags & ~OUR_FLAGS) | O_CLOEXEC, mode);
        if (fd < 0) {
            return errno;
        }
        int error = file_adopt(store, fd, flags, strict, file);
        if (error != ESTALE || tries > 8) {
            return error;
        } /* else the name was removed while we opened it: see what it is now */
    }
}

void file_close(struct file *file) {
    struct object *object = atomic_load(&file->object);
    if (object != NULL) {
        if (file_may_write(file->flags) && !is_settled(object->header)) {
            drainer_check(file->store,
                          CLOSE_PAUSE_NS); /* the last chance of this client to notice its death */
        }
        atomic_fetch_sub(&object->files, 1);
        object_release(object);
    }
    close(file->backing_fd);
    pthread_mutex_destroy(&file->attach_mutex);
    free(file);
}

static ssize_t file_total_bytes(const struct iovec *iov, int count) {
    size_t total = 0;
    for (int i = 0; i < count; i++) {
        total += iov[i].iov_len;
        if (iov[i].iov_len > SSIZE_MAX || total > SSIZE_MAX) {
            return -EINVAL;
        }
    }
    return (ssize_t)total;
}

static ssize_t file_begin(struct file *file, enum operation operation, const struct iovec *iov, int count,
                          off_t offset) {
    int mode = file->flags & O_ACCMODE;
    if (mode == (operation == OP_READ ? O_WRONLY : O_RDONLY)) {
        return -EBADF;
    }
    if (offset < 0 || count < 0 || count > IOV_MAX) {
        return -EINVAL;
    }
    ssize_t bytes = file_total_bytes(iov, count);
    if (bytes <= 0) {
        return bytes;
    }
    struct injection injection = inject(file->store, operation, (uint64_t)bytes);
    if (injection.error != 0) {
        return -injection.error;
    }
    return injection.halve ? (bytes + 1) / 2 : bytes;
}

ssize_t file_read(struct file *file, const struct iovec *iov, int count, off_t offset) {
    ssize_t bytes = file_begin(file, OP_READ, iov, count, offset);
    if (bytes <= 0) {
        return bytes;
    }
    struct cursor cursor = {iov, count, 0};
    struct object *object = file_object_of(file);
    int error = 0;
    if (object == NULL && file->store->config.stage_on_read && file->regular) {
        object = file_make_object(file, &error);
    }
    if (object != NULL) {
        return object_read(object, &cursor, (uint64_t)offset, (uint64_t)bytes);
    }
    uint64_t moved = 0;
    error = move_all(file->backing_fd, &cursor, (uint64_t)offset, (uint64_t)bytes, false, &moved);
    return error != 0 && moved == 0 ? -error : (ssize_t)moved;
}

ssize_t file_write(struct file *file, const struct iovec *iov, int count, off_t offset) {
    ssize_t bytes = file_begin(file, OP_WRITE, iov, count, offset);
    if (bytes <= 0) {
        return bytes;
    }
    struct cursor cursor = {iov, count, 0};
    if (!file->regular) {
        uint64_t moved = 0;
        int error = move_all(file->backing_fd, &cursor, (uint64_t)offset, (uint64_t)bytes, true, &moved);
        return error != 0 && moved == 0 ? -error : (ssize_t)moved;
    }
    struct object *object = atomic_load(&file->object);
    bool append = (file->flags & O_APPEND) != 0;
    uint64_t most = file->store->max_bytes, room = (uint64_t)offset < most ? most - (uint64_t)offset : 0;
    if (!append && room == 0) {
        return -EFBIG;
    }
    uint64_t all = append || (uint64_t)bytes < room ? (uint64_t)bytes : room;
    ssize_t result = object_write(object, &cursor, (uint64_t)offset, all, append);
    if (result > 0 && (file->flags & (O_SYNC | O_DSYNC)) != 0) {
        int error = file_sync(file);
        return error != 0 ? -error : result;
    }
    return result;
}

int file_truncate(struct file *file, off_t size, bool strict) {
    return size < 0 || !file_may_write(file->flags) ? EINVAL : file_resize(file, size, strict);
}

int file_sync(struct file *file) {
    struct injection injection = inject(file->store, OP_FSYNC, 0);
    if (injection.error != 0) {
        return injection.error;
    }
    struct object *object = file_object_of(file);
    if (object != NULL && file->store->config.full_through) { /* some of it may have gone to the backing */
        int error = object_sync_backing(object);
        if (error != 0) {
            return error;
        }
    }
    int fd = object != NULL ? object->fd : file->backing_fd;
    return fdatasync(fd) == 0 ? 0 : errno;
}

int file_stat(struct file *file, struct stat *status) {
    struct object *object = file_object_of(file);
    if (object == NULL) {
        return path_stat(file->store, file->backing_fd, "", AT_EMPTY_PATH, status);
    }
    if (fstat(file->backing_fd, status) != 0) {
        return errno;
    }
    status_overlay(object->header, status);
    return 0;
}

off_t file_size(struct file *file) {
    struct object *object = file_object_of(file);
    struct stat status;
    if (object != NULL) {
        return (off_t)atomic_load(&object->header->size_bytes);
    }
    return fstat(file->backing_fd, &status) == 0 ? status.st_size : -1;
}

int file_stage(struct file *file, uint64_t *moved_bytes) {
    int error = 0;
    struct object *object = file_make_object(file, &error);
    return object == NULL ? error : object_stage(object, 0, UINT64_MAX, moved_bytes);
}
