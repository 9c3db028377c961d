/* Files of the mount belong to the user who runs it, whoever makes or writes them. So no other user sets the
 * set-user-id or set-group-id bit of one, and whoever but root writes to one clears them, as the kernel does
 * on its own file systems. */
#include <errno.h>
#include <unistd.h>

#include "mount.h"

mode_t permitted_mode(fuse_req_t req, mode_t mode) {
    return fuse_req_ctx(req)->uid == geteuid() ? mode : mode & ~(mode_t)(S_ISUID | S_ISGID);
}

int drop_privileges_of(fuse_req_t req, const struct file *file) {
    struct stat status;
    if (fuse_req_ctx(req)->uid == 0) {
        return 0;
    }
    if (fstat(file->backing_fd, &status) != 0) {
        return errno;
    }
    mode_t gone = S_ISUID | ((status.st_mode & S_IXGRP) != 0 ? S_ISGID : 0);
    if (!S_ISREG(status.st_mode) || (status.st_mode & gone) == 0) {
        return 0;
    }
    return fchmod(file->backing_fd, status.st_mode & 07777 & ~gone) == 0 ? 0 : errno;
}
