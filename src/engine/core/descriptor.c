#include "descriptor.h"

#include "closing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DIRECT_BYTES 512 /* no device has smaller blocks; larger ones refuse by EINVAL */

/* Where two clients create a file at the same time, MooseFS answers one of them EEXIST, although nobody
 * requested O_EXCL. The file is there then, and the next call opens it. */
enum { MOST_REFUSALS = 3 };

int weir_descriptor_open(const struct weir_open *how, struct weir_problem *problem) {
    bool writes = how->access == WEIR_WRITE;
    int flags = O_CLOEXEC | (writes ? O_CREAT | O_RDWR : O_RDONLY) | (how->direct ? O_DIRECT : 0);
    int descriptor, refusals = 0;
    do {
        descriptor = open(how->path, flags, 0664);
    } while (descriptor < 0 && (errno == EINTR || (errno == EEXIST && refusals++ < MOST_REFUSALS)));
    if (descriptor < 0) {
        weir_problem_set(problem, "open", how->path, errno, NULL, "%s", writes ? "to write" : "to read");
    }
    return descriptor;
}

int weir_descriptor_sync(int descriptor, const char *path, struct weir_problem *problem) {
    int status;
    do {
        status = fsync(descriptor);
    } while (status != 0 && errno == EINTR);
    return weir_problem_of(problem, "fsync", path, status);
}

const char *weir_descriptor_refuse(const struct weir_open *how) {
    bool fits = how->geometry.xfer_bytes % DIRECT_BYTES == 0;
    return how->direct && !fits ? "--posix.odirect needs transfers of a multiple of 512 bytes" : NULL;
}

int weir_descriptor_flags_of(int descriptor) {
#ifdef SYS_fcntl
    return (int)syscall(SYS_fcntl, descriptor, F_GETFL);
#else
    return (int)syscall(SYS_fcntl64, descriptor, F_GETFL);
#endif
}

int weir_descriptor_flags(const char *path) {
    struct stat file, other;
    int flags = -1;
    WEIR_DIR *directory = stat(path, &file) == 0 ? opendir("/proc/self/fd") : NULL;
    struct dirent *entry;
    while (directory != NULL && flags < 0 && (entry = readdir(directory)) != NULL) {
        int descriptor = atoi(entry->d_name);
        bool numeric = entry->d_name[0] >= '0' && entry->d_name[0] <= '9';
        if (numeric && fstat(descriptor, &other) == 0 && other.st_dev == file.st_dev &&
            other.st_ino == file.st_ino) {
            flags = weir_descriptor_flags_of(descriptor);
        }
    }
    return flags;
}
