#include "clock.h"

#include "closing.h"

#include <stdio.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define CALIBRATION_NS 50000000u /* two clock readings of 50 ns over 50 ms: an error of 2 in a million */
#define PAIRS          16        /* of readings; of these the tightest counts */

struct weir_clock weir_clock;

#if defined(__x86_64__)
/* The kernel names a clock source that rests on the counter only while it found the counter trustworthy. */
static bool clock_kernel_trusts_tsc(void) {
    char name[64] = "";
    WEIR_FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "r");
    return file != NULL && fgets(name, sizeof name, file) != NULL &&
           (strstr(name, "tsc") != NULL || strncmp(name, "kvm-clock", 9) == 0);
}

static bool clock_tsc_is_invariant(void) {
    unsigned a, b, c, d;
    if (!__get_cpuid(0x80000007u, &a, &b, &c, &d) || (d & (1u << 8)) == 0) {
        return false;
    }
    return clock_kernel_trusts_tsc();
}
#else
static bool clock_tsc_is_invariant(void) {
    return false;
}
#endif

/* The same moment on both clocks. A process can lose its processor between two readings; hardly in all. */
static void clock_both(uint64_t *ticks, uint64_t *ns) {
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < PAIRS; i++) {
        uint64_t before = weir_clock_ticks();
        uint64_t now_ns = weir_clock_ns();
        uint64_t between = weir_clock_ticks() - before;
        if (between < least) {
            least = between;
            *ticks = before + between / 2;
            *ns = now_ns;
        }
    }
}

void weir_clock_begin(void) {
    weir_clock.tsc = clock_tsc_is_invariant();
    weir_clock.ns_per_tick32 = (uint64_t)1 << 32;
    clock_both(&weir_clock.begin_ticks, &weir_clock.begin_ns);
    struct timespec wall;
    clock_gettime(CLOCK_REALTIME, &wall);
    uint64_t since_ns = weir_clock_ns() - weir_clock.begin_ns;
    weir_clock.begin_wall_ns = (uint64_t)wall.tv_sec * 1000000000u + (uint64_t)wall.tv_nsec - since_ns;
}

void weir_clock_calibrate(void) {
    if (!weir_clock.tsc) {
        return;
    }
    uint64_t now_ns = weir_clock_ns();
    if (now_ns - weir_clock.begin_ns < CALIBRATION_NS) {
        struct timespec rest = {0, (long)(CALIBRATION_NS - (now_ns - weir_clock.begin_ns))};
        nanosleep(&rest, NULL);
    }
    uint64_t ticks = 0;
    uint64_t ns = 0;
    clock_both(&ticks, &ns);
    ticks -= weir_clock.begin_ticks;
    ns -= weir_clock.begin_ns;
    if (ticks == 0) {
        weir_clock.tsc = false;
        return;
    }
    weir_clock.ns_per_tick32 = (uint64_t)((long double)ns / (long double)ticks * 4294967296.0L);
}

const char *weir_clock_name(void) {
    return weir_clock.tsc ? "tsc" : "CLOCK_MONOTONIC";
}

double weir_clock_resolution_ns(void) {
    if (weir_clock.tsc) {
        return (double)weir_clock.ns_per_tick32 / 4294967296.0;
    }
    struct timespec resolution = {0, 1};
    clock_getres(CLOCK_MONOTONIC, &resolution);
    return (double)resolution.tv_sec * 1e9 + (double)resolution.tv_nsec;
}

uint64_t weir_clock_ticks_of(double seconds) {
    return (uint64_t)(seconds * 1e9 * 4294967296.0 / (double)weir_clock.ns_per_tick32);
}

void weir_clock_local(const char *format, char text[32]) {
    time_t now = time(NULL);
    struct tm local;
    localtime_r(&now, &local);
    strftime(text, 32, format, &local);
}

void weir_clock_iso8601(char text[40]) {
    uint64_t now_ns = weir_clock.begin_wall_ns + (weir_clock_ns() - weir_clock.begin_ns);
    time_t now = (time_t)(now_ns / 1000000000u);
    struct tm utc;
    char seconds[24];
    gmtime_r(&now, &utc);
    strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(text, 40, "%s.%06uZ", seconds, (unsigned)(now_ns / 1000 % 1000000u));
}
