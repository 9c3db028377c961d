/* IOR's file names, and making and removing the files. */
#include "ior.h"

#include "page_cache.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Length of the directory in the test file's name, its slash included; 0 where the name stands alone. */
static int ior_directory_length(const struct ior_run *run) {
    const char *slash = strrchr(run->requested.test_file, '/');
    return slash != NULL ? (int)(slash - run->requested.test_file) + 1 : 0;
}

/* DIR/FILE, DIR/FILE.<owner> with -F, DIR/<owner>/FILE.<owner> with -u; and .<iteration> with -m */
static void ior_path_of(const struct ior_run *run, int owner, char *path, size_t bytes) {
    const char *name = run->requested.test_file;
    int directory = ior_directory_length(run);
    if (!run->requested.file_per_process) {
        snprintf(path, bytes, "%s", name);
    } else if (!run->requested.unique_dir) {
        snprintf(path, bytes, "%s.%08d", name, owner);
    } else {
        snprintf(path, bytes, "%.*s%d/%s.%08d", directory, name, owner, name + directory, owner);
    }
    size_t used = strlen(path);
    if (run->requested.multi_file && used < bytes) {
        snprintf(path + used, bytes - used, ".%d", run->iteration);
    }
}

static void ior_own_directory(const struct ior_run *run, char *path, size_t bytes) {
    snprintf(path, bytes, "%.*s%d", ior_directory_length(run), run->requested.test_file, run->base.job->rank);
}

void ior_path(struct ior_run *run) {
    ior_path_of(run, (int)ior_owner(run), run->path, sizeof run->path);
}

void ior_make_directory(struct ior_run *run) {
    char directory[1000];
    if (!run->requested.unique_dir || !(run->base.backend->traits & WEIR_STORES)) {
        return;
    }
    ior_own_directory(run, directory, sizeof directory);
    if (mkdir(directory, 0775) == 0) {
        run->made_directory = true;
    } else if (errno != EEXIST) {
        weir_problem_set(&run->base.problem, "mkdir", directory, errno, NULL, "%s", "");
    }
}

void ior_drop_caches(const void *forgetful, struct weir_problem *problem) {
    const struct ior_run *run = forgetful;
    char own[1024];
    bool alone = run->requested.file_per_process;
    ior_path_of(run, run->base.job->rank, own, sizeof own);
    if (alone && strcmp(own, run->path) != 0) {
        weir_page_cache_drop(run->path, problem);
    }
    bool wrote = run->requested.write || strcmp(own, run->path) == 0;
    if (wrote && (alone || weir_job_first_on_node(run->base.job))) {
        weir_page_cache_drop(own, problem);
    }
}

/* Each rank removes the file it wrote itself, whatever it read. */
void ior_remove(struct ior_run *run) {
    char path[1024], directory[1000];
    if (!run->requested.file_per_process && run->base.job->rank != 0) {
        return;
    }
    ior_path_of(run, run->base.job->rank, path, sizeof path);
    int status = run->base.backend->remove(path, run->base.settings, &run->base.problem);
    if (status == 0 && run->made_directory) {
        ior_own_directory(run, directory, sizeof directory);
        run->made_directory = rmdir(directory) != 0; /* foreign files may be in it: then it stays */
    }
}
