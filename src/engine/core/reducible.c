#include "reducible.h"

#include "mix.h"

#include <stdlib.h>
#include <string.h>

#define MATCH_BYTES 5u
#define MATCH_COST  3u
#define MISSES_BITS 6
#define HASH_BITS   16

size_t weir_compressed_bytes(const unsigned char *memory, size_t bytes) {
    uint32_t *last = calloc((size_t)1 << HASH_BITS, sizeof *last); /* place after the word, 0: none */
    size_t left = 0, at = 0, misses = 0;
    while (last != NULL && at + MATCH_BYTES <= bytes) {
        uint64_t word = 0, earlier = 0;
        memcpy(&word, memory + at, MATCH_BYTES);
        uint32_t *slot = &last[weir_mix(word) >> (64 - HASH_BITS)];
        size_t found = *slot;
        *slot = (uint32_t)at + 1;
        if (found > 0) {
            memcpy(&earlier, memory + found - 1, MATCH_BYTES);
        }
        if (found == 0 || earlier != word) {
            size_t step = 1 + (misses++ >> MISSES_BITS); /* what does not repeat is passed over quickly */
            step = step < bytes - at ? step : bytes - at;
            left += step;
            at += step;
            continue;
        }
        size_t length = MATCH_BYTES;
        while (at + length < bytes && memory[found - 1 + length] == memory[at + length]) {
            length++;
        }
        misses = 0;
        left += MATCH_COST;
        at += length;
    }
    free(last);
    return last != NULL ? left + (bytes - at) : bytes;
}

static int reducible_compare_numbers(const void *a, const void *b) {
    const uint64_t *first = a, *second = b;
    return (*first > *second) - (*first < *second);
}

size_t weir_distinct(uint64_t *numbers, size_t count) {
    size_t distinct = count > 0;
    qsort(numbers, count, sizeof *numbers, reducible_compare_numbers);
    for (size_t i = 1; i < count; i++) {
        distinct += numbers[i] != numbers[i - 1];
    }
    return distinct;
}

uint64_t weir_block_hash(const unsigned char *memory) {
    uint64_t hash = 0;
    for (size_t at = 0; at < WEIR_BLOCK_BYTES; at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, memory + at, sizeof word);
        hash = weir_mix(hash + WEIR_GOLDEN + word);
    }
    return hash;
}
