/* Passes of a read: one that ends before its stonewall begins again, from the storage and not from memory. */
#ifndef WEIR_PASSES_H
#define WEIR_PASSES_H

#include "phase.h"

/* Called by all ranks where their transfers ended; hit: this rank's by the stonewall or by an error, and set
 * where the stonewall has passed since. True where all begin again: what the pass before left in memory is
 * gone, and the deadline is later by the time that took.
 */
bool weir_passes_again(const struct weir_phase *phase, struct weir_measure *measure, bool *hit,
                       uint64_t *deadline_ticks, struct weir_problem *problem);

#endif
