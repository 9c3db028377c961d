/* A fuzz target: what libFuzzer calls, and the words that an input is worth being made of. */
#ifndef WEIR_FUZZ_TARGET_H
#define WEIR_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* By the first byte of the input; the list ends with NULL. */
const char *const *fuzz_words(uint8_t first);

static inline void fuzz_fail(const char *what) {
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

static inline void fuzz_must_explain(const char *complaint) {
    if (complaint[0] == '\0') {
        fuzz_fail("refused without a word");
    }
}

/* Lines become the words of a command line, at most so many; returns how many, with the first, which is no
 * line, and puts NULL behind the last. */
static inline int fuzz_cut(char *text, char **words, int most) {
    int count = 1;
    words[0] = (char *)(size_t) "fuzz";
    for (char *rest = text; count < most && rest != NULL && *rest != '\0';) {
        words[count++] = strsep(&rest, "\n");
    }
    words[count] = NULL;
    return count;
}

#endif
