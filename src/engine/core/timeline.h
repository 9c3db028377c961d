/* Bytes over time: how much one rank moved in each short stretch of a phase. The stretches double their width
 * when the phase outgrows them, so that no phase is too long and nothing is allocated. */
#pragma once

#include <mpi.h>
#include <stdint.h>

#define WEIR_TIMELINE_BINS    2048u
#define WEIR_TIMELINE_BUCKETS 100

struct weir_timeline {
    uint64_t begin_ticks;
    unsigned shift; /* a bin is 2^shift ticks wide */
    uint64_t bytes[WEIR_TIMELINE_BINS];
};

/* What all ranks moved in each hundredth of the phase, on rank 0. */
struct weir_buckets {
    double bucket_s;
    uint64_t bytes[WEIR_TIMELINE_BUCKETS];
};

void weir_timeline_begin(struct weir_timeline *timeline);
/* The rare case of the next function: the operation crosses an edge, or the bins are too narrow. */
void weir_timeline_spread(struct weir_timeline *timeline, uint64_t start_ticks, uint64_t stop_ticks,
                          uint64_t bytes);

/* The bytes of an operation count evenly from its start to its end. */
static inline void weir_timeline_add(struct weir_timeline *timeline, uint64_t start_ticks,
                                     uint64_t stop_ticks, uint64_t bytes) {
    uint64_t first = (start_ticks - timeline->begin_ticks) >> timeline->shift;
    uint64_t last = (stop_ticks - timeline->begin_ticks) >> timeline->shift;
    if (__builtin_expect(first == last && last < WEIR_TIMELINE_BINS, 1)) {
        timeline->bytes[last] += bytes;
    } else {
        weir_timeline_spread(timeline, start_ticks, stop_ticks, bytes);
    }
}

/* This rank's bytes in each of the equal parts of [0, length_ns), where its own bins begin at begins_ns.
 * Their sum is all that was added. */
void weir_timeline_resample(const struct weir_timeline *timeline, uint64_t begins_ns, uint64_t length_ns,
                            uint64_t parts[WEIR_TIMELINE_BUCKETS]);
/* Called by all ranks with the start and the stop of their transfers on the common time line. */
void weir_timeline_gather(MPI_Comm comm, const struct weir_timeline *timeline, uint64_t start_ns,
                          uint64_t stop_ns, struct weir_buckets *buckets);
