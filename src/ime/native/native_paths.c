/* The part of the public interface that names files without opening them. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "drain/drainer.h"
#include "ime_native.h"
#include "session.h"

/* The store with the path resolved in it, or NULL with errno. */
static struct store *native_resolve(const char *path, char relative[PATH_MAX]) {
    struct store *store = session_store();
    int error = store != NULL ? path_in_store(store, path, relative) : 0;
    return native_posix_result(error) == 0 ? store : NULL;
}

int ime_native_access(const char *path, int mode) {
    char relative[PATH_MAX];
    char link[64];
    struct store *store = native_resolve(path, relative);
    int fd = store == NULL ? -1 : open_beneath(store, relative, O_PATH | O_CLOEXEC, 0);
    if (fd < 0) {
        return -1;
    }
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    int error = access(link, mode) == 0 ? 0 : errno;
    close(fd);
    return native_posix_result(error);
}

int ime_native_stat(const char *path, struct stat *status) {
    char relative[PATH_MAX];
    struct store *store = native_resolve(path, relative);
    return store == NULL ? -1 : native_posix_result(path_look(store, relative, status));
}

/* The store, with the directory that the path's last name is in. */
static struct store *native_enter(const char *path, struct parent *parent) {
    char relative[PATH_MAX];
    struct store *store = native_resolve(path, relative);
    int error = store == NULL ? 0 : parent_beneath(store, relative, parent);
    return native_posix_result(error) == 0 ? store : NULL;
}

int ime_native_unlink(const char *path) {
    struct parent parent;
    struct store *store = native_enter(path, &parent);
    if (store == NULL) {
        return -1;
    }
    int error = path_unlink(store, parent.directory_fd, parent.name);
    parent_leave(&parent);
    return native_posix_result(error);
}

int ime_native_mkdir(const char *path, mode_t mode) {
    struct parent parent;
    if (native_enter(path, &parent) == NULL) {
        return -1;
    }
    int result = mkdirat(parent.directory_fd, parent.name, mode);
    parent_leave(&parent);
    return result;
}

int ime_native_rmdir(const char *path) {
    struct parent parent;
    if (native_enter(path, &parent) == NULL) {
        return -1;
    }
    int result = unlinkat(parent.directory_fd, parent.name, AT_REMOVEDIR);
    parent_leave(&parent);
    return result;
}

int ime_native_mknod(const char *path, mode_t mode, dev_t device) {
    struct parent parent;
    if (native_enter(path, &parent) == NULL) {
        return -1;
    }
    int result = mknodat(parent.directory_fd, parent.name, mode, device);
    parent_leave(&parent);
    return result;
}

int ime_native_statvfs(const char *path, struct statvfs *status) {
    char relative[PATH_MAX];
    struct store *store = native_resolve(path, relative);
    if (store == NULL) {
        return -1;
    }
    int fd = open_beneath(store, relative, O_PATH | O_CLOEXEC, 0);
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
    int error = flags == 0 ? drain_everything(store, &moved_bytes) : EINVAL;
    return native_posix_result(error != 0 ? error : sync_backings(store));
}
