/* A fuzz target: what libFuzzer calls, and the arguments that inputs are made of. */
#ifndef WEIR_FUZZ_TARGET_H
#define WEIR_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* By the first byte of the input; the list ends with NULL. */
const char *const *fuzz_arguments(uint8_t first);

#define FUZZ_ARGUMENTS 100

/* The arguments of a text, which is split at the first call; the list ends with NULL. */
static inline const char *const *fuzz_split(const char *text, const char *list[FUZZ_ARGUMENTS]) {
    char *rest = list[0] == NULL ? strdup(text) : NULL;
    for (int i = 0; rest != NULL && i < FUZZ_ARGUMENTS - 1; i++) {
        list[i] = strsep(&rest, " ");
    }
    return list;
}

static inline void fuzz_fail(const char *what) {
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

static inline void fuzz_must_explain(const char *complaint) {
    if (complaint[0] == '\0') {
        fuzz_fail("refused without a message");
    }
}

/* Lines become the arguments of a command line, at most so many; returns how many, with the first, which is
 * the program, and puts NULL behind the last. */
static inline int fuzz_cut(char *text, char **arguments, int most) {
    int count = 1;
    static char name[] = "fuzz";
    arguments[0] = name;
    for (char *rest = text; count < most && rest != NULL && *rest != '\0';) {
        arguments[count++] = strsep(&rest, "\n");
    }
    arguments[count] = NULL;
    return count;
}

#endif
