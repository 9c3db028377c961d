/* What compression and deduplication can save of some memory. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define WEIR_BLOCK_BYTES 4096u /* the block that deduplication compares */

/* Bytes that a fast compressor leaves of the memory: every repetition of five bytes or more, wherever the
 * first is, costs three bytes. */
size_t weir_compressed_bytes(const unsigned char *memory, size_t bytes);
/* A hash of a block. */
uint64_t weir_block_hash(const unsigned char *memory);
/* Distinct numbers of a list, which gets sorted. */
size_t weir_distinct(uint64_t *numbers, size_t count);
