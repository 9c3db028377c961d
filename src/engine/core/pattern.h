/* Which bytes next: the offsets of one rank's operations, in order. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weir_pattern {
    uint64_t first;        /* offset of the first operation */
    uint64_t step;         /* from one operation to the next within a segment */
    uint64_t segment_step; /* from one segment to the next */
    uint64_t per_segment;  /* operations of a segment */
    uint64_t segments;
    const uint64_t *table; /* offsets within a segment instead of first and step; NULL: none */
    bool repeats;          /* the table may have an offset more than once */
    /* where it stands */
    uint64_t segment;
    uint64_t in_segment;
    uint64_t base;
};

static inline void weir_pattern_rewind(struct weir_pattern *pattern) {
    pattern->segment = 0;
    pattern->in_segment = 0;
    pattern->base = pattern->first;
}

static inline uint64_t weir_pattern_operations(const struct weir_pattern *pattern) {
    return pattern->per_segment * pattern->segments;
}

/* Offset of an operation by its number, wherever the pattern stands. */
static inline uint64_t weir_pattern_at(const struct weir_pattern *pattern, uint64_t number) {
    uint64_t in_segment = number % pattern->per_segment;
    uint64_t within = pattern->table != NULL ? pattern->table[in_segment] : in_segment * pattern->step;
    return pattern->first + number / pattern->per_segment * pattern->segment_step + within;
}

/* False when the pattern is exhausted. */
static inline bool weir_pattern_next(struct weir_pattern *pattern, uint64_t *offset) {
    if (pattern->in_segment == pattern->per_segment) {
        pattern->in_segment = 0;
        pattern->segment++;
        pattern->base += pattern->segment_step;
    }
    if (pattern->segment >= pattern->segments || pattern->per_segment == 0) {
        return false;
    }
    uint64_t within =
        pattern->table != NULL ? pattern->table[pattern->in_segment] : pattern->in_segment * pattern->step;
    *offset = pattern->base + within;
    pattern->in_segment++;
    return true;
}
