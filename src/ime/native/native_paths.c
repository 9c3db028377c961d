/* The part of the public interface that names files without opening them. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "drain/drainer.h"
#include "ime_native.h"
#include "session.h"

/* The store with the path resolved in it, or NULL with errno. */
static struct store *resolve(const char *path, char relative[PATH_MAX]) {
    struct store *store = session_store();
    if (store != NULL) {
        int error = path_in_store(store, path, relative);
        if (error != 0) {
            errno = error;
            return NULL;
        }
    }
    return store;
}

int ime_native_access(const char *path, int mode) {
    char relative[PATH_MAX];
    struct store *store = resolve(path, relative);
    return store == NULL ? -1 : faccessat(store->backing_fd, relative, mode, 0);
}

int ime_native_stat(const char *path, struct stat *status) {
    char relative[PATH_MAX];
    struct store *store = resolve(path, relative);
    if (store == NULL) {
        return -1;
    }
    int error = path_stat(store, store->backing_fd, relative, 0, status);
    if (error != 0) {
        errno = error;
    }
    return error == 0 ? 0 : -1;
}

int ime_native_unlink(const char *path) {
    char relative[PATH_MAX];
    struct store *store = resolve(path, relative);
    if (store == NULL) {
        return -1;
    }
    int error = path_unlink(store, store->backing_fd, relative);
    if (error != 0) {
        errno = error;
    }
    return error == 0 ? 0 : -1;
}

int ime_native_mkdir(const char *path, mode_t mode) {
    char relative[PATH_MAX];
    struct store *store = resolve(path, relative);
    return store == NULL ? -1 : mkdirat(store->backing_fd, relative, mode);
}

int ime_native_rmdir(const char *path) {
    char relative[PATH_MAX];
    struct store *store = resolve(path, relative);
    return store == NULL ? -1 : unlinkat(store->backing_fd, relative, AT_REMOVEDIR);
}

int ime_native_mknod(const char *path, mode_t mode, dev_t device) {
    char relative[PATH_MAX];
    struct store *store = resolve(path, relative);
    return store == NULL ? -1 : mknodat(store->backing_fd, relative, mode, device);
}

int ime_native_statvfs(const char *path, struct statvfs *status) {
    char relative[PATH_MAX];
    struct store *store = resolve(path, relative);
    if (store == NULL) {
        return -1;
    }
    int fd = openat(store->backing_fd, relative, O_PATH | O_CLOEXEC);
    if (fd < 0) {
        return -1;
    }
    int result = fstatvfs(fd, status);
    int error = errno;
    close(fd);
    errno = error;
    return result;
}

int ime_native_sync(int flags) {
    struct store *store = session_store();
    uint64_t moved_bytes = 0;
    if (store == NULL) {
        return -1;
    }
    if (flags != 0) {
        errno = EINVAL;
        return -1;
    }
    int error = drain_everything(store, &moved_bytes);
    if (error == 0) {
        error = sync_backings(store);
    }
    if (error != 0) {
        errno = error;
    }
    return error == 0 ? 0 : -1;
}
