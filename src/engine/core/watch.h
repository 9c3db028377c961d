/* What the operating system says about a phase: looked at before its clock starts and after it stopped. */
#ifndef WEIR_WATCH_H
#define WEIR_WATCH_H

#include "backend.h"
#include "job.h"
#include "llite.h"
#include "medium.h"
#include "page_cache.h"
#include "process_io.h"

/* Of one rank; after weir_watched_gather, on rank 0, of all. What is unknown says so itself. */
struct weir_watched {
    struct weir_medium medium; /* on the first rank of each node */
    struct weir_process_io io;
    struct weir_residency before, after; /* of a read, on the ranks that sampled */
    struct weir_llite llite;             /* on the first rank of each node */
};

void weir_watch_begin(const struct weir_job *job, const struct weir_backend *backend,
                      const struct weir_open *how, struct weir_watched *watched);
/* Turns what was seen at the begin into differences. */
void weir_watch_end(const struct weir_job *job, const struct weir_backend *backend,
                    const struct weir_open *how, struct weir_watched *watched);
/* Called by all ranks. */
void weir_watched_gather(const struct weir_job *job, const struct weir_watched *mine,
                         struct weir_watched *all);

#endif
