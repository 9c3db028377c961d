/* Paths that never leave the backing, and never lead to the store's own links. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "client/file.h"

#define MAX_DEPTH 512

static bool beneath_is_component(const char *text, size_t length, const char *what) {
    return length == strlen(what) && memcmp(text, what, length) == 0;
}

/* Whether a path without symbolic links leads to .weir-ime or below it. */
static bool beneath_leads_to_links(const char *path) {
    bool links = false; /* the first component that is left is theirs */
    unsigned depth = 0;
    for (const char *at = path; *at != '\0';) {
        size_t length = strcspn(at, "/");
        if (beneath_is_component(at, length, "..")) {
            depth -= depth > 0;
        } else if (length > 0 && !beneath_is_component(at, length, ".")) {
            links = depth == 0 ? beneath_is_component(at, length, LINKS_DIRECTORY) : links;
            depth++;
        }
        at += length + (at[length] == '/');
    }
    return depth > 0 && links;
}

/* The same for what was opened, by the path that it was reached by. */
static bool beneath_descriptor_leads_to_links(const struct store *store, int fd) {
    char link[64];
    char path[PATH_MAX];
    char links[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    snprintf(link, sizeof link, "/proc/self/fd/%d", store->links_fd);
    ssize_t links_length = readlink(link, links, sizeof links - 1);
    return length < 0 || links_length < 0 ||
           (length >= links_length && memcmp(path, links, (size_t)links_length) == 0 &&
            (length == links_length || path[links_length] == '/'));
}

/* For kernels before 5.6, and sandboxes that know no openat2: neither symbolic links nor "..". */
static int beneath_open_stepwise(const struct store *store, const char *path, int flags, mode_t mode) {
    int directory = store->backing_fd;
    for (unsigned depth = 0; depth < MAX_DEPTH; depth++) {
        char name[NAME_MAX + 1];
        path += strspn(path, "/");
        size_t length = strcspn(path, "/");
        const char *rest = path + length + strspn(path + length, "/");
        if (length > NAME_MAX || beneath_is_component(path, length, "..")) {
            errno = length > NAME_MAX ? ENAMETOOLONG : EXDEV;
            break;
        }
        memcpy(name, path, length);
        name[length] = '\0';
        bool last = rest[0] == '\0';
        int step = last ? flags | O_NOFOLLOW : O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
        int fd = openat(directory, name, step, mode);
        int error = errno;
        if (directory != store->backing_fd) {
            close(directory);
        }
        errno = error;
        if (last || fd < 0) {
            return fd;
        }
        directory = fd;
        path = rest;
    }
    if (directory != store->backing_fd) {
        close(directory);
    }
    return -1;
}

/* openat2 refuses flags that it does not know; open ignores them, and the kernel adds some of its own for the
 * mount, such as the one of execve. */
#define KNOWN_FLAGS                                                                                          \
    (O_ACCMODE | O_APPEND | O_CREAT | O_EXCL | O_TRUNC | O_DIRECT | O_DIRECTORY | O_NOFOLLOW | O_NOATIME |   \
     O_CLOEXEC | O_SYNC | O_DSYNC | O_NONBLOCK | O_NOCTTY | O_PATH)

static int beneath_open_resolved(const struct store *store, const char *path, int flags, mode_t mode,
                                 uint64_t resolve) {
    struct open_how how = {.flags = (uint64_t)(unsigned)(flags & KNOWN_FLAGS), .resolve = resolve};
    if ((flags & O_CREAT) != 0) {
        how.mode = mode & 07777;
    }
    return (int)syscall(SYS_openat2, store->backing_fd, path, &how, sizeof how);
}

int open_beneath(const struct store *store, const char *path, int flags, mode_t mode) {
    if (beneath_leads_to_links(path)) {
        errno = ENOENT;
        return -1;
    }
    int fd = beneath_open_resolved(store, path, flags, mode,
                                   RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
    if (fd < 0 && errno == ELOOP) { /* over symbolic links: those that stay in the backing are followed */
        fd = beneath_open_resolved(store, path, flags, mode, RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS);
        if (fd >= 0 && beneath_descriptor_leads_to_links(store, fd)) {
            close(fd);
            errno = ENOENT;
            return -1;
        }
    }
    return fd < 0 && (errno == ENOSYS || errno == EPERM) ? beneath_open_stepwise(store, path, flags, mode)
                                                         : fd;
}

/* The directory that a name is in, and the name: a path whose last component is not followed. */
int parent_beneath(const struct store *store, const char *path, struct parent *parent) {
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') {
        length--;
    }
    size_t start = length;
    while (start > 0 && path[start - 1] != '/') {
        start--;
    }
    if (length - start > NAME_MAX) {
        return ENAMETOOLONG;
    }
    memcpy(parent->name, path + start, length - start);
    parent->name[length - start] = '\0';
    if (strcmp(parent->name, "..") == 0) {
        return EXDEV;
    }
    if (beneath_leads_to_links(path)) {
        return ENOENT;
    }
    parent->directory_fd = store->backing_fd;
    parent->own = start > 0;
    if (parent->own) {
        char directory[PATH_MAX];
        snprintf(directory, sizeof directory, "%.*s", (int)start, path);
        parent->directory_fd = open_beneath(store, directory, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
    }
    return parent->directory_fd < 0 ? errno : 0;
}

void parent_leave(const struct parent *parent) {
    if (parent->own) {
        int error = errno;
        close(parent->directory_fd);
        errno = error;
    }
}
