/* Whether the processors of this node are enough for all that wants to run. */
#pragma once

#include <stdint.h>
#include <stdio.h>

/* Time since the boot in which some process waited for a processor, as a mean of those that are not idle;
 * UINT64_MAX where the kernel does not tell (/proc/pressure: Linux 4.20, psi=1). */
uint64_t weir_cpu_waited_us(void);
/* The same of a text like that of /proc/pressure/cpu. */
uint64_t weir_cpu_waits_parse(FILE *file);
