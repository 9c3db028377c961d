#include "histogram.h"

#include <math.h>
#include <string.h>

void weir_histogram_clear(struct weir_histogram *histogram) {
    memset(histogram, 0, sizeof *histogram);
    histogram->min_ns = UINT64_MAX;
}

uint64_t weir_histogram_upper_ns(unsigned index) {
    if (index < 2 * WEIR_HISTOGRAM_SUB) {
        return index;
    }
    unsigned shift = index / WEIR_HISTOGRAM_SUB - 1;
    uint64_t mantissa = index % WEIR_HISTOGRAM_SUB + WEIR_HISTOGRAM_SUB;
    return (mantissa << shift) + (((uint64_t)1 << shift) - 1);
}

uint64_t weir_histogram_quantile_ns(const struct weir_histogram *histogram, double fraction) {
    if (histogram->count == 0) {
        return 0;
    }
    uint64_t wanted = (uint64_t)ceil(fraction * (double)histogram->count);
    uint64_t seen = 0;
    for (unsigned i = 0; i < WEIR_HISTOGRAM_BUCKETS; i++) {
        seen += histogram->buckets[i];
        if (seen >= wanted && seen > 0) {
            uint64_t upper = weir_histogram_upper_ns(i);
            return upper < histogram->max_ns ? upper : histogram->max_ns;
        }
    }
    return histogram->max_ns;
}
