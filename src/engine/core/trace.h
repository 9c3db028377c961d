/* Every operation of a rank, one record each, in memory of a fixed size. Records are written to the trace
 * file after each phase, outside its times; what does not fit is counted as dropped.
 * docs/engine/observations.md has the format; `weir trace` converts it. */
#pragma once

#include "problem.h"

#include <stdint.h>

#define WEIR_TRACE_RECORDS ((int64_t)1 << 20)

enum weir_trace_operation { WEIR_TRACE_WRITE, WEIR_TRACE_READ, WEIR_TRACE_NAME };

/* As in the file, where the first two are nanoseconds: the start on the time line of rank 0's node, and the
 * duration. In memory they are the ticks of start and stop. */
struct weir_trace_record {
    uint64_t start, stop;
    uint64_t offset; /* of a transfer in the file; of an operation on a name: the number of the item */
    uint64_t bytes;
    uint64_t operation;
};

struct weir_trace {
    char path[1100]; /* empty: no trace was requested */
    struct weir_trace_record *records;
    uint64_t capacity, count, dropped;
    int descriptor;
};

/* Creates PATH.RANK and allocates the records; path NULL: nothing. 0, or -1 with the problem. */
int weir_trace_begin(struct weir_trace *trace, const char *path, int rank, int64_t records,
                     struct weir_problem *problem);
/* Writes the records of a phase and forgets them. */
int weir_trace_write(struct weir_trace *trace, const char *phase, const char *item, int iteration,
                     int64_t ahead_ns, struct weir_problem *problem);
int weir_trace_end(struct weir_trace *trace, struct weir_problem *problem);

static inline void weir_trace_add(struct weir_trace *trace, uint64_t start_ticks, uint64_t stop_ticks,
                                  enum weir_trace_operation operation, uint64_t offset, uint64_t bytes) {
    if (trace->count < trace->capacity) {
        trace->records[trace->count++] =
            (struct weir_trace_record){start_ticks, stop_ticks, offset, bytes, operation};
    } else {
        trace->dropped++;
    }
}
