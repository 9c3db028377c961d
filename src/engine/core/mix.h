/* SplitMix64 (Steele, Lea and Flood, 2014): numbers that look random, each computed from its index alone. */
#pragma once

#include <stdint.h>

#define WEIR_GOLDEN 0x9e3779b97f4a7c15u

static inline uint64_t weir_mix(uint64_t word) {
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
    return word ^ (word >> 31);
}

/* One step of the generator; every state is good, so any seed is. */
static inline uint64_t weir_mix_next(uint64_t *state) {
    *state += WEIR_GOLDEN;
    return weir_mix(*state);
}
