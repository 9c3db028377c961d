/* When the operations of a rank begin: each as soon as the one before it has ended (closed loop), after a
 * rest, or on a schedule (open loop). On a schedule, what is late stays late, as for users who do not wait
 * for each other. */
#pragma once

#include "clock.h"

struct weir_pace {
    double operations_s; /* of all ranks together; 0: no schedule */
    double rest_s;       /* before each operation but the first */
};

struct weir_schedule {
    bool kept;            /* there is one */
    uint64_t first_ticks; /* when the rank's first operation is due */
    double step_ticks;    /* from one to the next */
    uint64_t rest_ticks;
};

/* The ranks take turns. */
static inline struct weir_schedule weir_schedule_begin(const struct weir_pace *pace, int rank, int ranks) {
    struct weir_schedule schedule = {.first_ticks = weir_clock_ticks(),
                                     .rest_ticks = pace->rest_s > 0 ? weir_clock_ticks_of(pace->rest_s) : 0};
    if (pace->operations_s > 0) {
        double between_s = 1 / pace->operations_s;
        schedule.kept = true;
        schedule.step_ticks = (double)weir_clock_ticks_of(between_s * ranks);
        schedule.first_ticks += weir_clock_ticks_of(between_s * rank);
    }
    return schedule;
}

/* When the operation of this number, counted from 0, is due. */
static inline uint64_t weir_schedule_due(const struct weir_schedule *schedule, uint64_t number) {
    return schedule->first_ticks + (uint64_t)(schedule->step_ticks * (double)number);
}

/* Sleeps while it is long, and looks at the clock for the rest, as a sleep ends late. */
void weir_wait_until(uint64_t due_ticks);
