/* Time in which this process did not run at all: stopped by a signal, frozen with its control group, or the
 * whole machine suspended, or stopped by its host with its clocks (host_clock.h). A rank that waits, for
 * storage or for a core, does not count. */
#pragma once

#include <stdint.h>

/* Since the first call, which begins to look; pauses shorter than half a second are not told from waiting. A
 * child of the process that looks has none. */
uint64_t weir_pauses_ns(void);

/* What its thread calls at each beat; to be set before it begins. */
extern void (*weir_pauses_also)(void);
