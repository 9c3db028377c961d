#include "pace.h"

#include <time.h>

#define SLEEP_ENDS_LATE_NS 80000

void weir_wait_until(uint64_t due_ticks) {
    for (uint64_t now_ticks = weir_clock_ticks(); now_ticks < due_ticks; now_ticks = weir_clock_ticks()) {
        uint64_t left_ns = weir_clock_ns_of(due_ticks - now_ticks);
        if (left_ns > 2 * SLEEP_ENDS_LATE_NS) {
            left_ns -= SLEEP_ENDS_LATE_NS;
            struct timespec rest = {(time_t)(left_ns / 1000000000u), (long)(left_ns % 1000000000u)};
            nanosleep(&rest, NULL);
        }
    }
}
