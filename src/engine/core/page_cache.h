/* What the page cache of this node keeps of a file. */
#pragma once

#include "problem.h"

#include <stdint.h>

struct weir_residency {
    uint64_t sampled_pages; /* 0: unknown */
    uint64_t resident_pages;
};

/* All of a small file, a sample spread evenly over a large one. Unknown where the file is memory itself, is
 * empty, cannot be mapped, or belongs to another user: then the kernel reports every page as resident.
 */
void weir_page_cache_look(const char *path, struct weir_residency *residency);
/* Write back what waits and let go of every page; needs no privilege. A path of a file that the kernel does
 * not know (ime://..., xpd:...) has no pages. */
int weir_page_cache_drop(const char *path, struct weir_problem *problem);
