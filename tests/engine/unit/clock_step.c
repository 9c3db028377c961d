#include "clock.h"
#include "stuck.h"

#include "check.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int64_t step_s; /* how far the wall clock is off */

/* In place of the C library's: somebody has set the wall clock. */
int clock_gettime(clockid_t which, struct timespec *now) {
    long status = syscall(SYS_clock_gettime, which, now);
    if (which == CLOCK_REALTIME) {
        now->tv_sec += step_s;
    }
    return (int)status;
}

/* Moments before and after the step are in their order, and near each other. */
static void test_a_step_reorders_no_moments(void) {
    char before[40], back[40], forward[40];
    weir_clock_iso8601(before);
    step_s = -7200;
    weir_clock_iso8601(back);
    step_s = 7200;
    weir_clock_iso8601(forward);
    step_s = 0;
    CHECK(strcmp(before, back) <= 0 && strcmp(back, forward) <= 0);
    CHECK(strncmp(before, forward, 13) == 0 || strcmp(before + 14, "59:") >= 0);
}

static void no_report(void *reported, const struct weir_problem *problem) {
    (void)reported;
    (void)problem;
    CHECK(false);
}

/* A grace period of 10 s that is over at once would end the process with 1. */
static void test_a_step_ends_no_grace_period(void) {
    struct weir_stuck stuck;
    struct weir_problem problem;
    memset(&problem, 0, sizeof problem);
    weir_stuck_begin(&stuck, 0, no_report, NULL);
    step_s = -7200;
    weir_stuck_arm(&stuck, &problem);
    struct timespec rest = {0, 200000000};
    nanosleep(&rest, NULL);
    weir_stuck_end(&stuck);
    step_s = 0;
    CHECK(!stuck.armed);
}

int main(void) {
    weir_clock_begin();
    weir_clock_calibrate();
    test_a_step_reorders_no_moments();
    test_a_step_ends_no_grace_period();
    return finish();
}
