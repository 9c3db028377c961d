/* The long options of a helper of the tests; each but a flag takes a value. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct option_of {
    const char *name;
    const char **text;
    unsigned *count;
    uint64_t *number;
    bool *flag;
};

static inline const struct option_of *option_named(const struct option_of *known, const char *name) {
    while (known->name != NULL && strcmp(known->name, name) != 0) {
        known++;
    }
    return known;
}

/* Returns where the first argument behind the options is; exits with 2 at an unknown one. The list of known
 * options ends with one that has no name. */
static inline int read_options(int argc, char **argv, const struct option_of *known) {
    int at = 1;
    for (; at < argc && strncmp(argv[at], "--", 2) == 0; at++) {
        const struct option_of *one = option_named(known, argv[at] + 2);
        if (one->name == NULL || (one->flag == NULL && at + 1 == argc)) {
            fprintf(stderr, "%s: unknown, or without a value\n", argv[at]);
            exit(2);
        }
        if (one->flag != NULL) {
            *one->flag = true;
            continue;
        }
        at++;
        if (one->text != NULL) {
            *one->text = argv[at];
        } else if (one->count != NULL) {
            *one->count = (unsigned)strtoul(argv[at], NULL, 10);
        } else {
            *one->number = strtoull(argv[at], NULL, 10);
        }
    }
    return at;
}

#endif
