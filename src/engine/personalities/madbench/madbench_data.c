/* Every 8 bytes hold their position in the file and the phase that wrote them, so that a piece in the wrong
 * place, or one of a phase before, is found. */
#include "madbench.h"
#include "mix.h"

#include <string.h>

static uint64_t mad_key(const struct mad_run *run, int version) {
    uint64_t file = run->requested.file_per_process ? (uint64_t)run->base.job->rank + 1 : 0;
    return weir_mix((uint64_t)run->requested.seed << 1 | (uint64_t)version) + (file << 40);
}

static uint64_t mad_word_at(uint64_t key, uint64_t offset) {
    return weir_mix(key + offset / 8 * WEIR_GOLDEN);
}

void mad_fill(const struct mad_run *run, int version, uint64_t offset, uint64_t bytes) {
    uint64_t base = mad_key(run, version);
    for (uint64_t at = 0; at < bytes; at += 8) {
        uint64_t word = mad_word_at(base, offset + at);
        memcpy(run->buffer + at, &word, 8);
    }
}

void mad_compare(const struct mad_run *run, int version, uint64_t offset, uint64_t bytes,
                 struct weir_verify *verify) {
    uint64_t base = mad_key(run, version);
    for (uint64_t at = 0; at < bytes; at += 8) {
        uint64_t expected = mad_word_at(base, offset + at);
        weir_verify_compare(verify, offset + at, run->buffer + at, &expected, 8);
    }
}
