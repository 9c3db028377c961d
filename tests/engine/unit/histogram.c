#include "histogram.h"

#include "check.h"

#include <math.h>
#include <stdlib.h>

#define VALUES 20000

static struct weir_histogram histogram;
static uint64_t values[VALUES];

static int ascending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Every value lies in its bucket, and the bucket's upper edge is at most 1 % above it. */
static void test_edges(void) {
    const uint64_t last = UINT64_MAX;
    CHECK(weir_histogram_index(0) == 0);
    CHECK(weir_histogram_index(last) == WEIR_HISTOGRAM_BUCKETS - 1);
    CHECK(weir_histogram_upper_ns(WEIR_HISTOGRAM_BUCKETS - 1) == last);
    for (unsigned i = 1; i < WEIR_HISTOGRAM_BUCKETS; i++) {
        uint64_t below = weir_histogram_upper_ns(i - 1);
        uint64_t upper = weir_histogram_upper_ns(i);
        CHECK(upper > below);
        CHECK(weir_histogram_index(below + 1) == i);
        CHECK(weir_histogram_index(upper) == i);
        CHECK((double)(upper - (below + 1)) <= 0.01 * (double)(below + 1));
    }
}

static void test_counts(void) {
    weir_histogram_clear(&histogram);
    CHECK(weir_histogram_quantile_ns(&histogram, 0.5) == 0);
    weir_histogram_add(&histogram, 7);
    weir_histogram_add(&histogram, 1000000);
    CHECK(histogram.count == 2);
    CHECK(histogram.sum_ns == 1000007);
    CHECK(histogram.min_ns == 7);
    CHECK(histogram.max_ns == 1000000);
    CHECK(weir_histogram_quantile_ns(&histogram, 0.5) == 7);
    CHECK(weir_histogram_quantile_ns(&histogram, 1.0) == 1000000);
}

/* Latencies from nanoseconds to hours; quantiles against the sorted values themselves. */
static void test_quantiles(void) {
    const double fractions[] = {0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0};
    weir_histogram_clear(&histogram);
    srandom(3);
    for (int i = 0; i < VALUES; i++) {
        values[i] = (uint64_t)exp(30.0 * (double)random() / 2147483647.0);
        weir_histogram_add(&histogram, values[i]);
    }
    qsort(values, VALUES, sizeof values[0], ascending);
    for (unsigned i = 0; i < sizeof fractions / sizeof fractions[0]; i++) {
        double exact = (double)values[(int)ceil(fractions[i] * VALUES) - 1];
        double found = (double)weir_histogram_quantile_ns(&histogram, fractions[i]);
        CHECK(found >= exact && found <= exact * 1.01);
    }
    CHECK(histogram.min_ns == values[0]);
    CHECK(histogram.max_ns == values[VALUES - 1]);
}

int main(void) {
    test_edges();
    test_counts();
    test_quantiles();
    return finish();
}
