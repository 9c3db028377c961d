/* The page cache of this node: what it holds of a file, and how to make it hold nothing. */
#include "io_model.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define WINDOW_BYTES ((off_t)1 << 30)

/* A path with a prefix, as in ime://, is no file of the system's. */
static bool has_prefix(const char *path) {
    const char *at = path;
    while (isalnum((unsigned char)*at)) {
        at++;
    }
    return at > path && *at == ':';
}

bool iom_cache_can_tell(const struct iom_run *run) {
    bool stores = (run->backend->traits & WEIR_STORES) != 0;
    return stores && !has_prefix(run->asked.test_file) && strcmp(run->backend->name, "IME") != 0;
}

static int drop(const char *path, struct weir_problem *problem) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return errno == ENOENT
                   ? 0
                   : weir_problem_set(problem, "open", path, errno, NULL, "to drop it from the page cache");
    }
    const char *call = "fsync"; /* what is dirty cannot be dropped */
    int cause = fsync(descriptor) != 0 ? errno : 0;
    if (cause == 0) {
        call = "posix_fadvise";
        cause = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
    }
    close(descriptor);
    return cause == 0 ? 0
                      : weir_problem_set(problem, call, path, cause, NULL, "to drop it from the page cache");
}

static int64_t resident_in(int descriptor, off_t offset, size_t bytes, size_t page_bytes) {
    size_t pages = (bytes + page_bytes - 1) / page_bytes;
    unsigned char *there = malloc(pages);
    void *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, descriptor, offset);
    int64_t resident = -1;
    if (there != NULL && map != MAP_FAILED && mincore(map, bytes, there) == 0) {
        resident = 0;
        for (size_t i = 0; i < pages; i++) {
            size_t last_bytes = bytes - i * page_bytes;
            resident +=
                (there[i] & 1) == 0 ? 0 : (int64_t)(last_bytes < page_bytes ? last_bytes : page_bytes);
        }
    }
    if (map != MAP_FAILED) {
        munmap(map, bytes);
    }
    free(there);
    return resident;
}

static int64_t resident_bytes_of(const char *path) {
    struct stat facts;
    int64_t resident = 0;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return errno == ENOENT ? 0 : -1;
    }
    if (fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode)) {
        resident = -1;
    }
    for (off_t at = 0; resident >= 0 && at < facts.st_size; at += WINDOW_BYTES) {
        off_t left = facts.st_size - at;
        size_t bytes = (size_t)(left < WINDOW_BYTES ? left : WINDOW_BYTES);
        int64_t more = resident_in(descriptor, at, bytes, (size_t)sysconf(_SC_PAGESIZE));
        resident = more < 0 ? -1 : resident + more;
    }
    close(descriptor);
    return resident;
}

/* Some pages may be busy; a file of which a tenth is in the wrong place is measured in the wrong place. */
static int prove(const struct iom_run *run, int64_t resident_bytes, struct weir_problem *problem) {
    int64_t file_bytes = run->asked.file_bytes;
    if (run->cache == IOM_UNCACHED && resident_bytes > file_bytes / 10) {
        return weir_problem_set(problem, "mincore", run->path, 0, "the file cannot be dropped from memory",
                                "--cache uncached, but %lld of its %lld bytes stay; a file system in memory "
                                "has no other place",
                                (long long)resident_bytes, (long long)file_bytes);
    }
    if (run->cache == IOM_CACHED && resident_bytes < file_bytes - file_bytes / 10) {
        return weir_problem_set(problem, "mincore", run->path, 0, "the file is not kept in memory",
                                "--cache cached, but only %lld of its %lld bytes are there after it was read",
                                (long long)resident_bytes, (long long)file_bytes);
    }
    return 0;
}

int iom_cache_prepare(struct iom_run *run, bool there, int64_t *resident_bytes,
                      struct weir_problem *problem) {
    *resident_bytes = -1;
    if (!iom_cache_can_tell(run) || run->cache == IOM_DISCARDED) {
        return 0;
    }
    if (run->cache == IOM_UNCACHED && drop(run->path, problem) != 0) {
        return -1;
    }
    if (run->cache == IOM_CACHED && there && iom_file_read_whole(run, problem) != 0) {
        return -1;
    }
    *resident_bytes = resident_bytes_of(run->path);
    return *resident_bytes < 0 || !there ? 0 : prove(run, *resident_bytes, problem);
}
