/* A fuzz target: what libFuzzer calls, and the words that an input is worth being made of. */
#ifndef WEIR_FUZZ_TARGET_H
#define WEIR_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* By the first byte of the input; the list ends with NULL. */
const char *const *fuzz_words(uint8_t first);

#endif
