/* The backing file of an object. */
#include <errno.h>
#include <fcntl.h>

#include "object/object.h"

/* A file of mode 0444 is written by those who opened it before the mode was set; the drain comes later. */
static int backing_open_despite_mode(const struct store *store, const char *name) {
    struct stat status;
    if (fstatat(store->links_fd, name, &status, 0) != 0 ||
        fchmodat(store->links_fd, name, (status.st_mode & 07777) | 0600, 0) != 0) {
        return openat(store->links_fd, name, O_RDONLY | O_CLOEXEC);
    }
    int fd = openat(store->links_fd, name, O_RDWR | O_CLOEXEC);
    fchmodat(store->links_fd, name, status.st_mode & 07777, 0);
    return fd;
}

int object_backing_fd(struct object *object, int *fd) {
    *fd = atomic_load(&object->backing_fd);
    if (*fd >= 0) {
        return 0;
    }
    int error = 0;
    pthread_mutex_lock(&object->open_mutex);
    *fd = atomic_load(&object->backing_fd);
    if (*fd < 0) {
        char name[24];
        object_name(object->inode, name);
        *fd = openat(object->store->links_fd, name, O_RDWR | O_CLOEXEC);
        if (*fd < 0 && errno == EACCES) {
            *fd = backing_open_despite_mode(object->store, name);
        }
        error = *fd < 0 ? errno : 0;
        atomic_store(&object->backing_fd, *fd);
    }
    pthread_mutex_unlock(&object->open_mutex);
    return error;
}
