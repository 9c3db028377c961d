/* The first bytes that the process wrote. They are copied while it runs, and looked at when it ends. */
#include <pthread.h>
#include <string.h>

#include "json.h"
#include "reducible.h"
#include "witness.h"

_Atomic size_t sample_used;
static unsigned char sample[WITNESS_SAMPLE_BYTES];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void sample_take(const void *buffer, size_t bytes) {
    pthread_mutex_lock(&mutex);
    size_t at = atomic_load(&sample_used), room = WITNESS_SAMPLE_BYTES - at;
    size_t part = bytes < room ? bytes : room;
    memcpy(sample + at, buffer, part);
    atomic_store(&sample_used, at + part);
    pthread_mutex_unlock(&mutex);
}

void sample_write(FILE *stream) {
    uint64_t hashes[WITNESS_SAMPLE_BYTES / WEIR_BLOCK_BYTES];
    size_t bytes = atomic_load(&sample_used), blocks = bytes / WEIR_BLOCK_BYTES;
    if (blocks == 0) {
        fputs("  \"payload\": null", stream);
        return;
    }
    for (size_t i = 0; i < blocks; i++) {
        hashes[i] = weir_block_hash(sample + i * WEIR_BLOCK_BYTES);
    }
    bytes = blocks * WEIR_BLOCK_BYTES;
    fprintf(stream,
            "  \"payload\": {\"compressed_share\": %.4f, \"unique_share\": %.4f, \"sampled_bytes\": %zu}",
            (double)weir_compressed_bytes(sample, bytes) / (double)bytes,
            (double)weir_distinct(hashes, blocks) / (double)blocks, bytes);
}
