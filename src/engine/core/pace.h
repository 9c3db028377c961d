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

/* When the operation of this number, counted from 0, is due. */
static inline uint64_t weir_schedule_due(const struct weir_schedule *schedule, uint64_t number) {
    return schedule->first_ticks + (uint64_t)(schedule->step_ticks * (double)number);
}

/* loops.c: sleeps while it is long, and looks at the clock for the rest, as a sleep ends late. */
void weir_wait_until(uint64_t due_ticks);
