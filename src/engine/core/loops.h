/* What the loops of transfers share: the passes of a read, which begins again where it ends before its
 * stonewall, from the storage and not from memory; the wall and the schedule. */
#pragma once

#include "phase.h"

/* Called by all ranks where their transfers ended; hit: this rank's by the stonewall or by an error, and set
 * where the stonewall has passed since. True where all begin again: what the pass before left in memory is
 * gone, and the deadline is later by the time that took.
 */
bool weir_passes_again(const struct weir_phase *phase, struct weir_measure *measure, bool *hit,
                       uint64_t *deadline_ticks, struct weir_problem *problem);

/* Pass on the status of a call that other ranks may be in; where it failed, see to it that they come out. */
int weir_phase_with_others(const struct weir_phase *phase, int status, const struct weir_problem *problem);

/* Before the first transfer: the timelines; after the last: the bytes. */
void weir_transfers_begin(const struct weir_phase *phase, struct weir_measure *measure);
void weir_transfers_end(const struct weir_phase *phase, struct weir_measure *measure);
/* Since the first transfer, without what lay between passes. */
uint64_t weir_phase_ns(const struct weir_measure *measure);
struct weir_schedule weir_phase_schedule(const struct weir_phase *phase);
/* Operations of the quickest rank at the wall, which all do; 0 where any rank failed. Called by all ranks. */
uint64_t weir_transfers_goal(const struct weir_phase *phase, uint64_t operations, bool failed);
