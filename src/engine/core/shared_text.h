/* A whole file as text, on every rank. */
#pragma once

#include "job.h"

/* NULL on all ranks after a message of rank 0, which begins with `who`. The caller frees it. Rank 0 reads for
 * all: a thousand ranks that open one file are a benchmark of their own. */
char *weir_shared_text(const struct weir_job *job, const char *who, const char *name);
