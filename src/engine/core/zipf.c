#include "zipf.h"

#include "mix.h"

#include <math.h>

/* (exp(x) - 1) / x and log(1 + x) / x, which have limits at 0. */
static double zipf_expm1_ratio(double x) {
    return fabs(x) > 1e-8 ? expm1(x) / x : 1 + x / 2 * (1 + x / 3);
}

static double zipf_log1p_ratio(double x) {
    return fabs(x) > 1e-8 ? log1p(x) / x : 1 - x * (0.5 - x / 3);
}

static double zipf_density(const struct weir_zipf *zipf, double x) {
    return exp(-zipf->theta * log(x));
}

static double zipf_integral(const struct weir_zipf *zipf, double x) {
    return zipf_expm1_ratio((1 - zipf->theta) * log(x)) * log(x);
}

static double zipf_inverse(const struct weir_zipf *zipf, double y) {
    double t = fmax(y * (1 - zipf->theta), -1);
    return exp(zipf_log1p_ratio(t) * y);
}

struct weir_zipf weir_zipf_begin(uint64_t count, double theta, uint64_t seed) {
    struct weir_zipf zipf = {.count = count, .theta = theta, .state = seed};
    zipf.first = zipf_integral(&zipf, 1.5) - 1;
    zipf.last = zipf_integral(&zipf, (double)count + 0.5);
    zipf.accept = 2 - zipf_inverse(&zipf, zipf_integral(&zipf, 2.5) - zipf_density(&zipf, 2));
    return zipf;
}

uint64_t weir_zipf_next(struct weir_zipf *zipf) {
    for (;;) {
        double uniform = (double)(weir_mix_next(&zipf->state) >> 11) * 0x1p-53;
        double y = zipf->last + uniform * (zipf->first - zipf->last);
        double x = zipf_inverse(zipf, y);
        double k = fmin(fmax(floor(x + 0.5), 1), (double)zipf->count);
        if (k - x <= zipf->accept || y >= zipf_integral(zipf, k + 0.5) - zipf_density(zipf, k)) {
            return (uint64_t)k;
        }
    }
}

static uint64_t zipf_divisor(uint64_t a, uint64_t b) {
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

uint64_t weir_zipf_step(uint64_t count) {
    uint64_t step = (uint64_t)((double)count * 0.6180339887498949) | 1;
    while (zipf_divisor(step, count) != 1) {
        step += 2;
    }
    return step;
}
