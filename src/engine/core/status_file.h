/* How much a write was able to do before its stonewall, kept in a file for the runs that read: one number, as
 * IOR and mdtest write it, so that each can go on where another stopped. */
#pragma once

#include "job.h"
#include "problem.h"

/* Rank 0 writes; the others do nothing. */
void weir_status_write(const struct weir_job *job, const char *name, uint64_t operations,
                       struct weir_problem *problem);
/* Rank 0 reads; the number arrives on all ranks, -1 where there is none. */
int64_t weir_status_read(const struct weir_job *job, const char *name, struct weir_problem *problem);
