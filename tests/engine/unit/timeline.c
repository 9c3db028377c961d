/* No byte is lost or moved to another time than its own, however often the bins are folded. */
#include "timeline.h"

#include "clock.h"

#include "check.h"

static struct weir_timeline timeline;
static uint64_t parts[WEIR_TIMELINE_BUCKETS];

static uint64_t sum_of(const uint64_t *numbers, unsigned count) {
    uint64_t sum = 0;
    for (unsigned i = 0; i < count; i++) {
        sum += numbers[i];
    }
    return sum;
}

static void begin(void) {
    weir_timeline_begin(&timeline);
    timeline.begin_ticks = 1000000;
}

/* Equal operations without a rest, of a length that fits no bin: every hundredth has as many bytes. */
static void test_steady(uint64_t operation_ticks, unsigned operations) {
    begin();
    uint64_t at = timeline.begin_ticks;
    for (unsigned i = 0; i < operations; i++) {
        weir_timeline_add(&timeline, at, at + operation_ticks, 1000003);
        at += operation_ticks;
    }
    uint64_t all = 1000003ull * operations;
    uint64_t length_ns = weir_clock_ns_of(at - timeline.begin_ticks);
    CHECK(sum_of(timeline.bytes, WEIR_TIMELINE_BINS) == all);
    weir_timeline_resample(&timeline, 0, length_ns, parts);
    CHECK(sum_of(parts, WEIR_TIMELINE_BUCKETS) == all);
    for (int i = 0; i < WEIR_TIMELINE_BUCKETS; i++) {
        CHECK((double)parts[i] > 0.009 * (double)all && (double)parts[i] < 0.011 * (double)all);
    }
}

/* One operation at the start, a long rest, one at the end; a rank that began in the middle of the phase. */
static void test_rest(void) {
    const uint64_t second = weir_clock_ticks_of(1);
    begin();
    weir_timeline_add(&timeline, timeline.begin_ticks, timeline.begin_ticks + second, 500);
    weir_timeline_add(&timeline, timeline.begin_ticks + 9 * second, timeline.begin_ticks + 10 * second, 300);
    weir_timeline_resample(&timeline, 0, 10000000000u, parts);
    CHECK(sum_of(parts, 11) == 500);
    CHECK(sum_of(parts + 11, 78) == 0);
    CHECK(sum_of(parts + 89, 11) == 300);
    weir_timeline_resample(&timeline, 10000000000u, 20000000000u, parts);
    CHECK(sum_of(parts, 50) == 0);
    CHECK(sum_of(parts + 50, 6) == 500);
    CHECK(sum_of(parts + 94, 6) == 300);
}

/* The counter of another processor may stand a little before the begin. */
static void test_backwards(void) {
    begin();
    weir_timeline_add(&timeline, timeline.begin_ticks - 5, timeline.begin_ticks - 3, 7);
    weir_timeline_add(&timeline, timeline.begin_ticks - 5, timeline.begin_ticks + 3, 7);
    weir_timeline_add(&timeline, timeline.begin_ticks + 5, timeline.begin_ticks + 3, 7);
    CHECK(timeline.bytes[0] == 21);
    weir_timeline_resample(&timeline, 0, 0, parts);
    CHECK(sum_of(parts, WEIR_TIMELINE_BUCKETS) == 21);
}

int main(void) {
    weir_clock_begin();
    weir_clock_calibrate();
    test_steady(37, 1000000);
    test_steady(3000001, 20000);
    test_steady(987654321987, 301);
    test_rest();
    test_backwards();
    return finish();
}
