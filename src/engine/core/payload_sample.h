/* What compression and deduplication can save of the bytes that a phase writes, found in a sample of them. */
#pragma once

#include "phase.h"

/* Called by all ranks after the phase; the sample is filled on rank 0, and is empty (no bytes) where the
 * phase does not write by pattern and payload. The payload is left as it was but for its buffer. */
void weir_payload_sample_take(const struct weir_job *job, const struct weir_phase *phase,
                              struct weir_payload_sample *sample);
