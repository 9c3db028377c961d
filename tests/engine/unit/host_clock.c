/* A machine that its host stopped, by the readings of a guest of QEMU. */
#include "host_clock.h"

#include "check.h"

#define MS 1000000u

/* Read every half a second or so, and within a stop of 8.7 s; the wall clock stood still, too. */
static const double CAPTURED[][3] = {
    {29.613, 1795662467.494, 1795662467}, {30.310, 1795662468.191, 1795662468},
    {30.815, 1795662468.697, 1795662477}, {31.318, 1795662469.200, 1795662478},
    {32.430, 1795662470.312, 1795662479}, {32.952, 1795662470.833, 1795662479},
};

static uint64_t look(struct weir_host_clock *clock, uint64_t boot_ms, int64_t seconds, int64_t wall_s) {
    struct weir_host_reading reading = {seconds, boot_ms * MS, (boot_ms + 1) * MS, wall_s};
    return weir_host_clock_ahead_ns(clock, &reading);
}

static void check_capture(void) {
    struct weir_host_clock clock = {0};
    for (int i = 0; i < 6; i++) {
        uint64_t ahead_ns =
            look(&clock, (uint64_t)(CAPTURED[i][0] * 1000), (int64_t)CAPTURED[i][2], (int64_t)CAPTURED[i][1]);
        CHECK(i == 2 ? ahead_ns > 7500 * (uint64_t)MS && ahead_ns < 8700 * (uint64_t)MS : ahead_ns == 0);
    }
}

/* A clock without fractions that goes on with the others, read at moments that are not in step with it; then
 * a stop. */
static void check_no_stop_and_one(uint64_t stop_ms, bool seen) {
    struct weir_host_clock clock = {0};
    uint64_t boot_ms = 0;
    for (; boot_ms < 3600 * 1000; boot_ms += 1037) {
        CHECK(look(&clock, boot_ms, (int64_t)(boot_ms + boot_ms / 5000 + 400) / 1000, 0) == 0);
    }
    uint64_t real_ms = boot_ms + boot_ms / 5000 + 400 + stop_ms;
    uint64_t ahead_ns = look(&clock, boot_ms, (int64_t)real_ms / 1000, 0);
    CHECK((ahead_ns > 0) == seen);
    CHECK(ahead_ns <= stop_ms * MS);
}

/* The kernel sets it by the wall clock, once that is right. */
static void check_set(void) {
    struct weir_host_clock clock = {0};
    CHECK(look(&clock, 1000, 5000, 8600) == 0);
    CHECK(look(&clock, 2000, 8601, 8601) == 0);
    CHECK(look(&clock, 3000, 8602, 8602) == 0);
    CHECK(look(&clock, 4000, 5003, 8603) == 0); /* and back */
    CHECK(look(&clock, 5000, 5004, 8604) == 0);
}

int main(void) {
    struct weir_host_reading reading;
    check_capture();
    check_no_stop_and_one(0, false);
    check_no_stop_and_one(400, false);
    check_no_stop_and_one(2000, true);
    check_set();
    if (weir_host_clock_read(&reading)) {
        CHECK(reading.seconds > 0 && reading.after_ns >= reading.before_ns);
    }
    return finish();
}
