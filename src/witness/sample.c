/* The first bytes that the process wrote. They are copied while it runs, and looked at when it ends. */
#include <pthread.h>
#include <string.h>

#include "image.h"
#include "json.h"
#include "reducible.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void sample_take(const void *buffer, size_t bytes) {
    pthread_mutex_lock(&mutex);
    size_t at = atomic_load(&image.sample_used), room = WITNESS_SAMPLE_BYTES - at;
    size_t part = bytes < room ? bytes : room;
    image_share(image.sample + at, part);
    memcpy(image.sample + at, buffer, part);
    atomic_store(&image.sample_used, at + part);
    pthread_mutex_unlock(&mutex);
}

void sample_write(FILE *stream) {
    uint64_t hashes[WITNESS_SAMPLE_BYTES / WEIR_BLOCK_BYTES];
    size_t bytes = atomic_load(&image.sample_used), blocks = bytes / WEIR_BLOCK_BYTES;
    if (blocks == 0) {
        fputs("  \"payload\": null", stream);
        return;
    }
    for (size_t i = 0; i < blocks; i++) {
        hashes[i] = weir_block_hash(image.sample + i * WEIR_BLOCK_BYTES);
    }
    bytes = blocks * WEIR_BLOCK_BYTES;
    fprintf(stream,
            "  \"payload\": {\"compressed_share\": %.4f, \"unique_share\": %.4f, \"sampled_bytes\": %zu}",
            (double)weir_compressed_bytes(image.sample, bytes) / (double)bytes,
            (double)weir_distinct(hashes, blocks) / (double)blocks, bytes);
}
