/* The page cache of this node as it has to be when an access begins, and the proof that it is. */
#include "io_model.h"
#include "page_cache.h"

#include <string.h>
#include <sys/stat.h>

bool iom_cache_can_tell(const struct iom_run *run) {
    bool stores = (run->base.backend->traits & WEIR_STORES) != 0;
    return stores && strchr(run->requested.test_file, ':') == NULL &&
           strcmp(run->base.backend->name, "IME") != 0;
}

/* -1: unknown */
static int64_t iom_resident_bytes_of(const char *path) {
    struct stat facts;
    struct weir_residency residency;
    weir_page_cache_look(path, &residency);
    if (residency.sampled_pages == 0 || stat(path, &facts) != 0) {
        return -1;
    }
    double share = (double)residency.resident_pages / (double)residency.sampled_pages;
    return (int64_t)(share * (double)facts.st_size);
}

/* Some pages may be busy; a file of which a tenth is in the wrong place is measured in the wrong place. */
static void iom_prove(struct iom_run *run, int64_t resident_bytes) {
    struct weir_problem *problem = &run->base.problem;
    int64_t file_bytes = run->requested.file_bytes;
    bool steered = run->cache == IOM_CACHED || run->cache == IOM_UNCACHED;
    if (steered && resident_bytes < 0) {
        weir_problem_set(problem, "mincore", run->path, 0, "the page cache cannot be seen",
                         "--cache %s would be a guess: the file is in memory, or belongs to another user",
                         run->requested.cache);
    } else if (run->cache == IOM_UNCACHED && resident_bytes > file_bytes / 10) {
        weir_problem_set(problem, "mincore", run->path, 0, "the file is not dropped from memory",
                         "--cache uncached, but %lld of its %lld bytes stay", (long long)resident_bytes,
                         (long long)file_bytes);
    } else if (run->cache == IOM_CACHED && resident_bytes < file_bytes - file_bytes / 10) {
        weir_problem_set(problem, "mincore", run->path, 0, "the file is not kept in memory",
                         "--cache cached, but only %lld of its %lld bytes are there after it was read",
                         (long long)resident_bytes, (long long)file_bytes);
    }
}

int64_t iom_cache_prepare(struct iom_run *run, bool there) {
    if (!iom_cache_can_tell(run) || run->cache == IOM_DISCARDED) {
        return -1;
    }
    if (!there) {
        return 0;
    }
    if ((run->cache == IOM_UNCACHED && weir_page_cache_drop(run->path, &run->base.problem) != 0) ||
        (run->cache == IOM_CACHED && iom_file_walk(run, WEIR_READ) != 0)) {
        return -1;
    }
    int64_t resident_bytes = iom_resident_bytes_of(run->path);
    iom_prove(run, resident_bytes);
    return resident_bytes;
}
