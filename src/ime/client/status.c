/* What stat(2) shows of a file: size and times of a buffered one are in its object. */
#include <errno.h>
#include <fcntl.h>

#include "client/file.h"

/* Objects go by inode numbers, which are those of one file system. */
bool path_is_bufferable(const struct store *store, const struct stat *status) {
    return S_ISREG(status->st_mode) && status->st_dev == store->links_status.st_dev;
}

void status_overlay(const struct object_header *header, struct stat *status) {
    int64_t changed = atomic_load(&header->changed_ns);
    int64_t seconds = changed / 1000000000 - (changed % 1000000000 < 0);
    status->st_size = (off_t)atomic_load(&header->size_bytes);
    status->st_blocks = (status->st_size + 511) / 512; /* a copier must not take undrained data for holes */
    status->st_mtim = (struct timespec){seconds, changed - seconds * 1000000000};
    const struct timespec *change = &status->st_ctim;
    if (change->tv_sec < seconds ||
        (change->tv_sec == seconds && change->tv_nsec < status->st_mtim.tv_nsec)) {
        status->st_ctim = status->st_mtim;
    }
    if (status->st_nlink > 0) {
        status->st_nlink--; /* our link */
    }
}

bool path_overlay(struct store *store, struct stat *status) {
    struct object_header header;
    if (!path_is_bufferable(store, status) || !object_peek(store, status->st_ino, &header)) {
        return false;
    }
    status_overlay(&header, status);
    return true;
}

static bool status_has_link(struct store *store, uint64_t inode) {
    char name[24];
    struct stat status;
    object_name(inode, name);
    return fstatat(store->links_fd, name, &status, 0) == 0;
}

/* While an object comes or goes, our link may be there without it: count it out only if it surely was. */
static int status_stat_unbuffered(struct store *store, int directory_fd, const char *name, int flags,
                                  struct stat *status) {
    bool before = false;
    bool after = status->st_nlink > 1 && path_is_bufferable(store, status);
    while (before != after) {
        before = status_has_link(store, status->st_ino);
        if (fstatat(directory_fd, name, status, flags) != 0) {
            return errno;
        }
        after = status_has_link(store, status->st_ino);
    }
    status->st_nlink -= after ? 1 : 0;
    return 0;
}

int path_stat(struct store *store, int directory_fd, const char *name, int flags, struct stat *status) {
    for (;;) {
        uint32_t dropped = atomic_load(&store->control->objects_dropped);
        if (fstatat(directory_fd, name, status, flags) != 0) {
            return errno;
        }
        if (path_overlay(store, status)) {
            return 0;
        }
        int error = status_stat_unbuffered(store, directory_fd, name, flags, status);
        if (error != 0 || !S_ISREG(status->st_mode) ||
            dropped == atomic_load(&store->control->objects_dropped)) {
            return error;
        } /* else it may have been drained and dropped between the two looks */
    }
}
