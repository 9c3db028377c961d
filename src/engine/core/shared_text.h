/* Small files that rank 0 reads and writes for all. */
#pragma once

#include "job.h"
#include "problem.h"

/* A whole file as text, on every rank. NULL on all ranks after a message of rank 0, which begins with `who`.
 * The caller frees it. Rank 0 reads for all: a thousand ranks that open one file are a benchmark of their
 * own. */
char *weir_shared_text(const struct weir_job *job, const char *who, const char *name);
/* How much a write was able to do before its stonewall, kept in a file for the runs that read: one number, as
 * IOR and mdtest write it, so that each can go on where another stopped; -1 where there is none. */
void weir_status_write(const struct weir_job *job, const char *name, uint64_t operations,
                       struct weir_problem *problem);
int64_t weir_status_read(const struct weir_job *job, const char *name, struct weir_problem *problem);
