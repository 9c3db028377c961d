#include "page_cache.h"

#include "stored.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define WINDOWS      64u
#define WINDOW_PAGES 256u

static bool page_cache_is_memory(int descriptor) {
    struct statfs system;
    return fstatfs(descriptor, &system) != 0 || system.f_type == TMPFS_MAGIC ||
           system.f_type == RAMFS_MAGIC || system.f_type == HUGETLBFS_MAGIC;
}

/* Mapping reads nothing: only touching a page would. */
static void page_cache_sample(unsigned char *map, uint64_t pages, uint64_t page_bytes,
                              struct weir_residency *residency) {
    unsigned char states[WINDOW_PAGES];
    bool whole = pages <= (uint64_t)WINDOWS * WINDOW_PAGES;
    uint64_t windows = whole ? (pages + WINDOW_PAGES - 1) / WINDOW_PAGES : WINDOWS;
    for (uint64_t i = 0; i < windows; i++) {
        uint64_t first = whole ? i * WINDOW_PAGES : i * (pages - WINDOW_PAGES) / (WINDOWS - 1);
        uint64_t count = pages - first < WINDOW_PAGES ? pages - first : WINDOW_PAGES;
        if (mincore(map + first * page_bytes, (size_t)(count * page_bytes), states) != 0) {
            return;
        }
        residency->sampled_pages += count;
        for (uint64_t page = 0; page < count; page++) {
            residency->resident_pages += states[page] & 1;
        }
    }
}

void weir_page_cache_look(const char *path, struct weir_residency *residency) {
    struct stat facts;
    uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    memset(residency, 0, sizeof *residency);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) {
        return;
    }
    bool known = fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size > 0 &&
                 !page_cache_is_memory(descriptor) && (facts.st_uid == geteuid() || access(path, W_OK) == 0);
    if (known) {
        size_t bytes = (size_t)facts.st_size;
        void *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, descriptor, 0);
        if (map != MAP_FAILED) {
            page_cache_sample(map, (bytes + page_bytes - 1) / page_bytes, page_bytes, residency);
            munmap(map, bytes);
        }
    }
    close(descriptor);
}

int weir_page_cache_drop(const char *path, struct weir_problem *problem) {
    static const char what[] = "to drop its pages";
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return weir_has_prefix(path) ? 0 : weir_problem_set(problem, "open", path, errno, NULL, "%s", what);
    }
    int cause = 0;
    const char *call = "fsync";
    if (fsync(descriptor) != 0) {
        cause = errno; /* dirty pages cannot be dropped */
    } else {
        call = "posix_fadvise";
        cause = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
    }
    close(descriptor);
    return cause == 0 ? 0 : weir_problem_set(problem, call, path, cause, NULL, "%s", what);
}
