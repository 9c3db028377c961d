/* The same operation through the library, or through the mount with the system's own calls. */
#ifndef INTERFACES_H
#define INTERFACES_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "ime_native.h"

#define THROUGH(mounted, system_call, native_call) ((mounted) ? (system_call) : (native_call))

static inline int io_open(bool mounted, const char *path, int flags, mode_t mode) {
    return THROUGH(mounted, open(path, flags, mode), ime_native_open(path, flags, mode));
}

static inline int io_close(bool mounted, int fd) {
    return THROUGH(mounted, close(fd), ime_native_close(fd));
}

static inline ssize_t io_read(bool mounted, int fd, void *buffer, size_t bytes) {
    return THROUGH(mounted, read(fd, buffer, bytes), ime_native_read(fd, buffer, bytes));
}

static inline ssize_t io_write(bool mounted, int fd, const void *buffer, size_t bytes) {
    return THROUGH(mounted, write(fd, buffer, bytes), ime_native_write(fd, buffer, bytes));
}

static inline ssize_t io_pread(bool mounted, int fd, void *buffer, size_t bytes, off_t offset) {
    return THROUGH(mounted, pread(fd, buffer, bytes, offset), ime_native_pread(fd, buffer, bytes, offset));
}

static inline ssize_t io_pwrite(bool mounted, int fd, const void *buffer, size_t bytes, off_t offset) {
    return THROUGH(mounted, pwrite(fd, buffer, bytes, offset), ime_native_pwrite(fd, buffer, bytes, offset));
}

static inline ssize_t io_preadv(bool mounted, int fd, const struct iovec *iov, int count, off_t offset) {
    return THROUGH(mounted, preadv(fd, iov, count, offset), ime_native_preadv(fd, iov, count, offset));
}

static inline ssize_t io_pwritev(bool mounted, int fd, const struct iovec *iov, int count, off_t offset) {
    return THROUGH(mounted, pwritev(fd, iov, count, offset), ime_native_pwritev(fd, iov, count, offset));
}

static inline int io_ftruncate(bool mounted, int fd, off_t size) {
    return THROUGH(mounted, ftruncate(fd, size), ime_native_ftruncate(fd, size));
}

static inline off_t io_lseek(bool mounted, int fd, off_t offset, int whence) {
    return THROUGH(mounted, lseek(fd, offset, whence), ime_native_lseek(fd, offset, whence));
}

static inline int io_fsync(bool mounted, int fd) {
    return THROUGH(mounted, fsync(fd), ime_native_fsync(fd));
}

static inline int io_stat(bool mounted, const char *path, struct stat *status) {
    return THROUGH(mounted, stat(path, status), ime_native_stat(path, status));
}

static inline int io_access(bool mounted, const char *path, int mode) {
    return THROUGH(mounted, access(path, mode), ime_native_access(path, mode));
}

static inline int io_unlink(bool mounted, const char *path) {
    return THROUGH(mounted, unlink(path), ime_native_unlink(path));
}

static inline int io_mkdir(bool mounted, const char *path, mode_t mode) {
    return THROUGH(mounted, mkdir(path, mode), ime_native_mkdir(path, mode));
}

static inline int io_rmdir(bool mounted, const char *path) {
    return THROUGH(mounted, rmdir(path), ime_native_rmdir(path));
}

#endif
