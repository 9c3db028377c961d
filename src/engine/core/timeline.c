#include "timeline.h"

#include "clock.h"

#include <string.h>

#define FIRST_SHIFT 12 /* a bin of one to four microseconds */

void weir_timeline_begin(struct weir_timeline *timeline) {
    memset(timeline, 0, sizeof *timeline);
    timeline->shift = FIRST_SHIFT;
    timeline->begin_ticks = weir_clock_ticks();
}

static void timeline_fold(struct weir_timeline *timeline) {
    uint64_t *bytes = timeline->bytes;
    for (unsigned i = 0; i < WEIR_TIMELINE_BINS / 2; i++) {
        bytes[i] = bytes[2 * i] + bytes[2 * i + 1];
    }
    memset(bytes + WEIR_TIMELINE_BINS / 2, 0, WEIR_TIMELINE_BINS / 2 * sizeof *bytes);
    timeline->shift++;
}

void weir_timeline_spread(struct weir_timeline *timeline, uint64_t start_ticks, uint64_t stop_ticks,
                          uint64_t bytes) {
    /* Counters of two processors may differ by some ticks. */
    uint64_t start = start_ticks > timeline->begin_ticks ? start_ticks - timeline->begin_ticks : 0;
    uint64_t stop = stop_ticks > timeline->begin_ticks ? stop_ticks - timeline->begin_ticks : 0;
    start = start < stop ? start : stop;
    while (stop >> timeline->shift >= WEIR_TIMELINE_BINS) {
        timeline_fold(timeline);
    }
    uint64_t last = stop >> timeline->shift;
    double per_tick = stop > start ? (double)bytes / (double)(stop - start) : 0;
    uint64_t counted = 0;
    for (uint64_t bin = start >> timeline->shift; bin < last; bin++) {
        uint64_t edge = (bin + 1) << timeline->shift;
        uint64_t until = (uint64_t)((double)(edge - start) * per_tick);
        until = until < bytes ? until : bytes;
        timeline->bytes[bin] += until - counted;
        counted = until;
    }
    timeline->bytes[last] += bytes - counted;
}

/* Bytes before each edge are counted and subtracted, so that no byte is lost by rounding. */
void weir_timeline_resample(const struct weir_timeline *timeline, uint64_t begins_ns, uint64_t length_ns,
                            uint64_t parts[WEIR_TIMELINE_BUCKETS]) {
    double bin_ns =
        (double)weir_clock.ns_per_tick32 / 4294967296.0 * (double)((uint64_t)1 << timeline->shift);
    uint64_t before = 0; /* bytes of the bins that lie before the edge altogether */
    uint64_t counted = 0;
    unsigned bin = 0;
    for (int i = 0; i < WEIR_TIMELINE_BUCKETS; i++) {
        double edge_ns = (double)length_ns * (i + 1) / WEIR_TIMELINE_BUCKETS - (double)begins_ns;
        double edge = edge_ns > 0 ? edge_ns / bin_ns : 0;
        if (i == WEIR_TIMELINE_BUCKETS - 1) {
            edge = WEIR_TIMELINE_BINS;
        }
        while (bin < WEIR_TIMELINE_BINS && (double)(bin + 1) <= edge) {
            before += timeline->bytes[bin++];
        }
        uint64_t until = before;
        if (bin < WEIR_TIMELINE_BINS && edge > (double)bin) {
            until += (uint64_t)((edge - (double)bin) * (double)timeline->bytes[bin]);
        }
        parts[i] = until - counted;
        counted = until;
    }
}

void weir_timeline_gather(MPI_Comm comm, const struct weir_timeline *timeline, uint64_t start_ns,
                          uint64_t stop_ns, struct weir_buckets *buckets) {
    uint64_t mine[2] = {stop_ns != 0 ? UINT64_MAX - start_ns : 0, stop_ns};
    uint64_t all[2];
    uint64_t parts[WEIR_TIMELINE_BUCKETS] = {0};
    MPI_Allreduce(mine, all, 2, MPI_UINT64_T, MPI_MAX, comm);
    uint64_t first_ns = UINT64_MAX - all[0];
    uint64_t length_ns = all[1] > first_ns ? all[1] - first_ns : 0;
    if (stop_ns != 0) {
        weir_timeline_resample(timeline, start_ns - first_ns, length_ns, parts);
    }
    buckets->bucket_s = (double)length_ns * 1e-9 / WEIR_TIMELINE_BUCKETS;
    MPI_Reduce(parts, buckets->bytes, WEIR_TIMELINE_BUCKETS, MPI_UINT64_T, MPI_SUM, 0, comm);
}
