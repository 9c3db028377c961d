/* How a phase went. Each of these is called on all ranks, reports what failed, and is false on all of them
 * where any rank failed. */
#pragma once

#include "document.h"

/* Runs the phase. */
bool weir_judge_phase(struct weir_document *document, struct weir_phase *phase, struct weir_measure *measure);
/* Is there what was written? After weir_judge_phase. */
bool weir_judge_stored(struct weir_document *document, const struct weir_phase *phase,
                       struct weir_measure *measure);
/* Were the bytes right? The verdict goes into the result (NULL except on rank 0); `where` goes into the
 * message if they were not: "after the write". */
bool weir_judge_bytes(struct weir_document *document, const char *path, const struct weir_verify *verify,
                      struct weir_result *result, const char *where);
