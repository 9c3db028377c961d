/* Names. They live in the backing alone; the difference that matters is whether a file's size and times do
 * too.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "client/file.h"
#include "ime_native.h"

const char *path_below(const char *path, const char *directory) {
    size_t length = strlen(directory);
    if (length == 0 || strncmp(path, directory, length) != 0 ||
        (path[length] != '/' && path[length] != '\0')) {
        return NULL;
    }
    return path + length;
}

/* ime:///BACKING/file, ime:///MOUNT/file and ime://file all name the file in the backing directory. */
int path_in_store(const struct store *store, const char *path, char relative[PATH_MAX]) {
    const char *const prefixes[] = {DEFAULT_IME_FILE_PREFIX, DEFAULT_IME_PREFIX_NO_FWD_SLASH};
    for (size_t i = 0; i < 2; i++) {
        if (strncmp(path, prefixes[i], strlen(prefixes[i])) == 0) {
            path += strlen(prefixes[i]);
            break;
        }
    }
    const char *inside = path_below(path, store->config.backing);
    inside = inside != NULL ? inside : path_below(path, store->config.mount);
    path = inside != NULL ? inside : path;
    path += strspn(path, "/");
    if (strlen(path) >= PATH_MAX) {
        return ENAMETOOLONG;
    }
    strcpy(relative, path[0] == '\0' ? "." : path);
    return 0;
}

static void paths_drop_if_last(struct store *store, const struct stat *before) {
    struct object_header header;
    if (path_is_bufferable(store, before) && before->st_nlink <= 2 &&
        object_peek(store, before->st_ino, &header)) {
        object_try_drop(store, before->st_ino);
    }
}

int path_unlink(struct store *store, int directory_fd, const char *name) {
    struct stat before;
    if (fstatat(directory_fd, name, &before, AT_SYMLINK_NOFOLLOW) != 0 ||
        unlinkat(directory_fd, name, 0) != 0) {
        return errno;
    }
    paths_drop_if_last(store, &before);
    return 0;
}

int path_rename(struct store *store, int from_fd, const char *from, int to_fd, const char *to,
                unsigned flags) {
    struct stat before;
    bool replaces = fstatat(to_fd, to, &before, AT_SYMLINK_NOFOLLOW) == 0;
    if (syscall(SYS_renameat2, from_fd, from, to_fd, to, flags) != 0) {
        return errno;
    }
    if (replaces) {
        paths_drop_if_last(store, &before);
    }
    return 0;
}

int path_look(struct store *store, const char *path, struct stat *status) {
    int fd = open_beneath(store, path, O_PATH | O_CLOEXEC, 0);
    if (fd < 0) {
        return errno;
    }
    int error = path_stat(store, fd, "", AT_EMPTY_PATH, status);
    close(fd);
    return error;
}
