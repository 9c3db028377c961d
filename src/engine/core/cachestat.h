/* How the kernel's page cache holds a file, by cachestat(2) of Linux 6.5. */
#pragma once

#include <stdint.h>

struct weir_cachestat {
    uint64_t files;                        /* that were looked at */
    uint64_t pages;                        /* of them that the cache has, or had: 0 shows nothing */
    uint64_t dirty_bytes, writeback_bytes; /* not written back, or not through with it */
};

/* Adds one file, with its own calls of the kernel: no library can answer them. Adds nothing where the kernel
 * has no such call, where the file is another user's, or where its pages belong to another file system
 * (overlay): a cache of which nothing is seen is not an empty one. */
void weir_cachestat_add(const char *path, struct weir_cachestat *sum);
