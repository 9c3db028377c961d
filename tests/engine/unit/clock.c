#include "clock.h"

#include "check.h"

#include <string.h>

/* Ticks and nanoseconds are the same time, whatever the counter. */
static void test_conversion(void) {
    uint64_t ns = weir_clock_ns_of(weir_clock_ticks_of(1.5));
    CHECK(ns > 1499990000u && ns < 1500010000u);
    CHECK(weir_clock_ns_of(0) == 0);
    CHECK(weir_clock_resolution_ns() > 0 && weir_clock_resolution_ns() < 1e8);
    CHECK(strcmp(weir_clock_name(), weir_clock.tsc ? "tsc" : "CLOCK_MONOTONIC") == 0);
}

static void test_ticks_run_with_the_monotonic_clock(void) {
    uint64_t ticks = weir_clock_ticks();
    uint64_t ns = weir_clock_ns();
    struct timespec rest = {0, 20000000};
    nanosleep(&rest, NULL);
    uint64_t by_ticks = weir_clock_ns_of(weir_clock_ticks() - ticks);
    uint64_t by_clock = weir_clock_ns() - ns;
    /* both span the rest; what lies between their readings is not the clock's */
    CHECK(by_ticks >= 19999000 && by_clock >= 20000000);
    CHECK(by_ticks < by_clock + 10000000000u);
}

static void test_moment(void) {
    char text[40];
    weir_clock_iso8601(text);
    CHECK(strlen(text) == 27 && text[10] == 'T' && text[19] == '.' && text[26] == 'Z');
}

int main(void) {
    weir_clock_begin();
    weir_clock_calibrate();
    test_conversion();
    test_ticks_run_with_the_monotonic_clock();
    test_moment();
    return finish();
}
