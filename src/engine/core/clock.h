/* The fastest monotonic clock of this machine.
 *
 * Operations are timed in ticks: the time stamp counter where it runs at a constant rate, else nanoseconds of
 * CLOCK_MONOTONIC. Phases are timed by CLOCK_MONOTONIC itself, which all processes of a node share. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct weir_clock {
    bool tsc;               /* ticks come from the time stamp counter */
    uint64_t ns_per_tick32; /* nanoseconds per tick, scaled by 2^32 */
    uint64_t begin_ticks;
    uint64_t begin_ns;
    uint64_t begin_wall_ns; /* CLOCK_REALTIME at begin_ns */
};

extern struct weir_clock weir_clock;

/* Call first thing in main, so that the time MPI takes to start calibrates the counter. */
void weir_clock_begin(void);
/* Call once after MPI has started. */
void weir_clock_calibrate(void);

const char *weir_clock_name(void);
double weir_clock_resolution_ns(void);
uint64_t weir_clock_ticks_of(double seconds);
/* Adds the monotonic clock since the begin to its wall clock: setting the wall clock reorders no phases. */
void weir_clock_iso8601(char text[40]);
/* The local time, by a format of strftime. */
void weir_clock_local(const char *format, char text[32]);

static inline uint64_t weir_clock_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* CPU time of all threads of the process. */
static inline uint64_t weir_clock_cpu_ns(void) {
    struct timespec used = {0, 0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

static inline uint64_t weir_clock_ticks(void) {
#if defined(__x86_64__)
    if (weir_clock.tsc) {
        /* The compiler would read 48,000 lines of x86intrin.h for __rdtsc(), in nearly every file. */
        return __builtin_ia32_rdtsc();
    }
#endif
    return weir_clock_ns();
}

static inline uint64_t weir_clock_ns_of(uint64_t ticks) {
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)(((wide)ticks * weir_clock.ns_per_tick32) >> 32);
}
