/* Locks of the kernel on byte ranges of open file descriptions: a kill frees them, whatever the process was
 * doing. Threads of one process share a description, so a mutex goes in front. */
#include <errno.h>
#include <fcntl.h>

#include "layout/store.h"

int lock_byte(int fd, int64_t byte, bool wait) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    while (fcntl(fd, wait ? F_OFD_SETLKW : F_OFD_SETLK, &lock) != 0) {
        if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

void unlock_byte(int fd, int64_t byte) {
    struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    fcntl(fd, F_OFD_SETLK, &lock);
}

int share_byte(int fd, int64_t byte) {
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    return fcntl(fd, F_OFD_SETLK, &lock) == 0 ? 0 : errno;
}

bool locks_are_missing(int error) {
    return error == ENOLCK || error == EOPNOTSUPP || error == ENOSYS || error == EINVAL;
}

bool byte_may_be_locked(int fd, int64_t byte) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    return fcntl(fd, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

bool byte_is_locked(int fd, int64_t byte) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

void store_lock(struct store *store, int64_t which) {
    pthread_mutex_lock(&store->locks[which]);
    lock_byte(store->control_fd, which, true);
}

bool store_trylock(struct store *store, int64_t which) {
    if (pthread_mutex_trylock(&store->locks[which]) != 0) {
        return false;
    }
    if (lock_byte(store->control_fd, which, false) != 0) {
        pthread_mutex_unlock(&store->locks[which]);
        return false;
    }
    return true;
}

void store_unlock(struct store *store, int64_t which) {
    unlock_byte(store->control_fd, which);
    pthread_mutex_unlock(&store->locks[which]);
}
