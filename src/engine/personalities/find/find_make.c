/* A tree to be searched, where none is at hand: each rank makes its part before the clock starts. */
#include "find.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH 2048

static bool find_make_directory(struct find_run *run, const char *path) {
    if (mkdir(path, 0775) != 0 && errno != EEXIST) {
        weir_problem_set(&run->base.problem, "mkdir", path, errno, NULL, "making the tree");
        return false;
    }
    return true;
}

static bool find_make_file(struct find_run *run, const char *path, const char *buffer) {
    size_t bytes = (size_t)run->requested.make_bytes, done = 0;
    int descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0664);
    bool good = descriptor >= 0;
    while (good && done < bytes) {
        ssize_t moved = write(descriptor, buffer + done, bytes - done);
        good = moved > 0 || (moved < 0 && errno == EINTR);
        done += moved > 0 ? (size_t)moved : 0;
    }
    int cause = errno;
    if (descriptor >= 0 && close(descriptor) != 0 && good) {
        cause = errno;
        good = false;
    }
    if (!good) {
        weir_problem_set(&run->base.problem, "write", path, cause, NULL, "making the tree");
    }
    return good;
}

/* Names are those of mdtest, so that patterns of IO500 find their share. */
static void find_make_part(struct find_run *run) {
    const struct find_params *a = &run->requested;
    char path[PATH];
    char *buffer = calloc(1, (size_t)a->make_bytes + 1);
    if (buffer == NULL || !find_make_directory(run, a->directory)) {
        free(buffer);
        return;
    }
    bool good = true;
    for (int64_t i = 0; good && i < a->make_files; i++) {
        long long folder = (long long)(i % a->make_directories);
        if (i < a->make_directories) {
            snprintf(path, sizeof path, "%s/mdtest_tree.%d.%lld", a->directory, run->base.job->rank, folder);
            good = find_make_directory(run, path);
        }
        snprintf(path, sizeof path, "%s/mdtest_tree.%d.%lld/file.mdtest.%d.%lld", a->directory,
                 run->base.job->rank, folder, run->base.job->rank, (long long)i);
        good = good && find_make_file(run, path, buffer);
    }
    free(buffer);
}

bool find_make(struct find_run *run) {
    if (run->requested.make_files > 0) {
        find_make_part(run);
    }
    return weir_run_settle(&run->base);
}
