/* The public interface: POSIX's ways (errno, -1) around the store. */
#include "ime_native.h"

#include <errno.h>
#include <unistd.h>

#include "session.h"

static ssize_t native_posix_bytes(ssize_t bytes) {
    return bytes < 0 ? native_posix_result((int)-bytes) : bytes;
}

void ime_native_init(void) {
    session_begin();
}

int ime_native_finalize(void) {
    session_end();
    return 0;
}

const char *ime_native_version(void) {
    return "weir libim_client, interface 132 (emulation)";
}

int ime_native_open(const char *path, int flags, mode_t mode) {
    struct store *store = session_store();
    char relative[PATH_MAX];
    struct file *file;
    if (store == NULL) {
        return -1;
    }
    int error = path_in_store(store, path, relative);
    if (error == 0) {
        error = file_open(store, relative, flags, mode, store->config.strict_truncate, &file);
    }
    return error != 0 ? native_posix_result(error) : descriptors_add(file);
}

int ime_native_close(int fd) {
    return descriptors_close(fd);
}

int ime_native_dup2(int from, int to) {
    return descriptors_duplicate(from, to);
}

static ssize_t native_at_offset(int fd, const struct iovec *iov, int count, off_t offset, bool write) {
    struct description *description = descriptors_get(fd);
    if (description == NULL) {
        return -1;
    }
    ssize_t bytes = write ? file_write(description->file, iov, count, offset)
                          : file_read(description->file, iov, count, offset);
    descriptors_put(description);
    return native_posix_bytes(bytes);
}

static ssize_t native_at_position(int fd, const struct iovec *iov, bool write) {
    struct description *description = descriptors_get(fd);
    if (description == NULL) {
        return -1;
    }
    struct file *file = description->file;
    pthread_mutex_lock(&description->position_mutex);
    ssize_t bytes = write ? file_write(file, iov, 1, description->position)
                          : file_read(file, iov, 1, description->position);
    if (bytes > 0) {
        bool append = write && (file->flags & O_APPEND) != 0;
        description->position = append ? file_size(file) : description->position + bytes;
    }
    pthread_mutex_unlock(&description->position_mutex);
    descriptors_put(description);
    return native_posix_bytes(bytes);
}

ssize_t ime_native_read(int fd, void *buffer, size_t bytes) {
    return native_at_position(fd, &(struct iovec){buffer, bytes}, false);
}

ssize_t ime_native_write(int fd, const void *buffer, size_t bytes) {
    return native_at_position(fd, &(struct iovec){(void *)(uintptr_t)buffer, bytes}, true);
}

ssize_t ime_native_pread(int fd, void *buffer, size_t bytes, off_t offset) {
    return native_at_offset(fd, &(struct iovec){buffer, bytes}, 1, offset, false);
}

ssize_t ime_native_pwrite(int fd, const void *buffer, size_t bytes, off_t offset) {
    return native_at_offset(fd, &(struct iovec){(void *)(uintptr_t)buffer, bytes}, 1, offset, true);
}

ssize_t ime_native_preadv(int fd, const struct iovec *iov, int iovcnt, off_t offset) {
    return native_at_offset(fd, iov, iovcnt, offset, false);
}

ssize_t ime_native_pwritev(int fd, const struct iovec *iov, int iovcnt, off_t offset) {
    return native_at_offset(fd, iov, iovcnt, offset, true);
}

static off_t native_new_position(struct description *description, off_t offset, int whence) {
    off_t base = 0;
    if (whence == SEEK_CUR) {
        base = description->position;
    } else if (whence == SEEK_END) {
        base = file_size(description->file);
    } else if (whence != SEEK_SET) {
        return -1;
    }
    return base + offset;
}

off_t ime_native_lseek(int fd, off_t offset, int whence) {
    struct description *description = descriptors_get(fd);
    if (description == NULL) {
        return -1;
    }
    pthread_mutex_lock(&description->position_mutex);
    off_t position = native_new_position(description, offset, whence);
    if (position >= 0) {
        description->position = position;
    }
    pthread_mutex_unlock(&description->position_mutex);
    descriptors_put(description);
    return position >= 0 ? position : native_posix_result(EINVAL);
}

int ime_native_fsync(int fd) {
    struct description *description = descriptors_get(fd);
    if (description == NULL) {
        return -1;
    }
    int error = file_sync(description->file);
    descriptors_put(description);
    return native_posix_result(error);
}

int ime_native_ftruncate(int fd, off_t length) {
    struct description *description = descriptors_get(fd);
    if (description == NULL) {
        return -1;
    }
    struct file *file = description->file;
    int error = file_truncate(file, length, file->store->config.strict_truncate);
    descriptors_put(description);
    return native_posix_result(error);
}
