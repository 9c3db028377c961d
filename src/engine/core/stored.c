#include "stored.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int weir_stored_plain(const char *path, struct weir_stored *stored, struct weir_problem *problem) {
    struct stat facts;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return weir_problem_set(problem, "open", path, errno, NULL,
                                "looking at the file after it was closed");
    }
    if (fstat(descriptor, &facts) != 0) {
        int cause = errno;
        close(descriptor);
        return weir_problem_set(problem, "fstat", path, cause, NULL,
                                "looking at the file after it was closed");
    }
    stored->bytes = (uint64_t)facts.st_size;
    /* File systems without holes answer with the end of the file, or not at all. */
    off_t hole = lseek(descriptor, 0, SEEK_HOLE);
    stored->first_hole_bytes = hole >= 0 ? (uint64_t)hole : stored->bytes;
    close(descriptor);
    return 0;
}

int weir_remove_plain(const char *path, struct weir_problem *problem) {
    struct stat facts;
    if (lstat(path, &facts) != 0) {
        return errno == ENOENT ? 0
                               : weir_problem_set(problem, "lstat", path, errno, NULL, "before removing it");
    }
    if (!S_ISREG(facts.st_mode) && !S_ISLNK(facts.st_mode)) {
        return weir_problem_set(problem, "unlink", path, EINVAL, "it is not a regular file",
                                "weir-io removes nothing but files");
    }
    if (unlink(path) != 0 && errno != ENOENT) {
        return weir_problem_set(problem, "unlink", path, errno, NULL, "%s", "");
    }
    return 0;
}
