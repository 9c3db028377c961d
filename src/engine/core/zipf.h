/* Numbers 1 to n, where number k comes in proportion to k^-theta: few are hot and most are cold. Drawn by
 * rejection-inversion (Hoermann and Derflinger, 1996), which needs no table. */
#pragma once

#include <stdint.h>

struct weir_zipf {
    uint64_t count;
    double theta;
    double first, last, accept; /* of the inverted integral */
    uint64_t state;             /* of the random numbers */
};

struct weir_zipf weir_zipf_begin(uint64_t count, double theta, uint64_t seed);
uint64_t weir_zipf_next(struct weir_zipf *zipf);
/* A permutation of 0 to count - 1 that parts neighbours: number * step modulo count. */
uint64_t weir_zipf_step(uint64_t count);
