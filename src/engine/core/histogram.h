/* Log-bucketed histogram of durations in nanoseconds: exact below 256 ns, above that 128 buckets for each
 * power of two, so that a bucket's upper edge is at most 1/128 (0.8 %) above any value in it. Fixed size, no
 * allocation. */
#pragma once

#include <stdint.h>

#define WEIR_HISTOGRAM_SUB_BITS 7
#define WEIR_HISTOGRAM_SUB      (1u << WEIR_HISTOGRAM_SUB_BITS)
#define WEIR_HISTOGRAM_BUCKETS  ((64u - WEIR_HISTOGRAM_SUB_BITS + 1u) * WEIR_HISTOGRAM_SUB)

struct weir_histogram {
    uint64_t count;
    uint64_t sum_ns;
    uint64_t min_ns; /* UINT64_MAX while empty */
    uint64_t max_ns;
    uint64_t buckets[WEIR_HISTOGRAM_BUCKETS];
};

static inline unsigned weir_histogram_index(uint64_t ns) {
    unsigned shift = 63u - (unsigned)__builtin_clzll(ns | WEIR_HISTOGRAM_SUB) - WEIR_HISTOGRAM_SUB_BITS;
    return shift * WEIR_HISTOGRAM_SUB + (unsigned)(ns >> shift);
}

static inline void weir_histogram_add(struct weir_histogram *histogram, uint64_t ns) {
    histogram->count++;
    histogram->sum_ns += ns;
    if (ns < histogram->min_ns) {
        histogram->min_ns = ns;
    }
    if (ns > histogram->max_ns) {
        histogram->max_ns = ns;
    }
    histogram->buckets[weir_histogram_index(ns)]++;
}

void weir_histogram_clear(struct weir_histogram *histogram);
/* Largest value that falls into the bucket. */
uint64_t weir_histogram_upper_ns(unsigned index);
/* Smallest value that at least the fraction (0 to 1) of all values does not exceed, within the relative
 * error. */
uint64_t weir_histogram_quantile_ns(const struct weir_histogram *histogram, double fraction);
