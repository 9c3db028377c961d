/* Directories whose names others can guess. */
#include <errno.h>
#include <unistd.h>

#include "layout/store.h"

/* Ours alone: what others plant in it we would open. */
int directory_is_private(const char *path) {
    struct stat status;
    if (lstat(path, &status) != 0) {
        return errno;
    }
    if (!S_ISDIR(status.st_mode)) {
        return ENOTDIR;
    }
    return status.st_uid == geteuid() && (status.st_mode & 022) == 0 ? 0 : EPERM;
}
