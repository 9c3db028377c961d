/* The real-time clock of a virtual machine, which its host keeps: it goes on where the host stops the machine
 * with all its other clocks, as the monitors of QEMU and libvirt do. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct weir_host_reading {
    int64_t seconds;              /* of the real-time clock, which has no fractions */
    uint64_t before_ns, after_ns; /* CLOCK_BOOTTIME around it */
    int64_t wall_s;               /* CLOCK_REALTIME */
};

struct weir_host_clock {
    bool known;         /* a reading came before */
    bool agreed;        /* with the wall clock then */
    int64_t most_ns;    /* that it was ahead of CLOCK_BOOTTIME */
    uint64_t latest_ns; /* reading, by CLOCK_BOOTTIME */
};

/* How long it went on while CLOCK_BOOTTIME stood still, at least: a stop is up to 1 s longer. 0 if less than
 * half a second is certain, or somebody set it by the wall clock. */
uint64_t weir_host_clock_ahead_ns(struct weir_host_clock *clock, const struct weir_host_reading *reading);

/* The clock that nobody sets or slows. */
uint64_t weir_raw_clock_ns(void);
/* False on a machine without a host, or without such a clock. */
bool weir_host_clock_read(struct weir_host_reading *reading);
