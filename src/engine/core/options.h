/* Table-driven command line, in the manner of the originals: -w -r, -b 4m, -b4m, -b=4m, -wr, --name=value,
 * --name value, and -O key=value,key=value for options that have a directive. What is unknown is an error. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum weir_option_kind {
    WEIR_FLAG,       /* int, counts how often it is given */
    WEIR_COUNT,      /* int64_t */
    WEIR_SIZE,       /* int64_t of bytes: 8, 16k, 1m, 1g, 1t */
    WEIR_SECONDS,    /* double */
    WEIR_NUMBER,     /* double */
    WEIR_TEXT,       /* const char * */
    WEIR_DIRECTIVES, /* -O: a list of directives of the same set */
};

struct weir_option {
    char letter;           /* 0: none */
    const char *name;      /* long form without dashes, NULL: none */
    const char *directive; /* key of -O, case does not matter, NULL: none */
    enum weir_option_kind kind;
    size_t at;         /* offsetof in the struct to fill */
    const char *value; /* name of the value in the help */
    const char *help;
};

/* Releases of clang-format differ in the braces of a macro. */
// clang-format off
#define WEIR_OPTION_END {0, NULL, NULL, WEIR_FLAG, 0, NULL, NULL}
// clang-format on

/* Room for the one sentence on what is wrong with a command line: that of each `complaint`. */
#define WEIR_COMPLAINT 1024

/* A table and the struct that it fills. */
struct weir_option_set {
    const struct weir_option *options;
    void *into;
};

/* Parse argv[1..]; false with one sentence on the first mistake. Text values point into argv or into *texts,
 * which the caller frees when the values are no longer needed, also after a mistake. */
bool weir_options_parse(int argc, char **argv, const struct weir_option_set *sets, int set_count,
                        char **texts, char *complaint);
/* Whether the first mistake was one of -O. */
bool weir_options_blame_directive(const char *complaint);
/* Where the condition holds, leave a sentence in `complaint` and return false: the checks of a command line.
 */
#define REFUSE(condition, ...)                                                                               \
    do {                                                                                                     \
        if (condition) {                                                                                     \
            snprintf(complaint, WEIR_COMPLAINT, __VA_ARGS__);                                                \
            return false;                                                                                    \
        }                                                                                                    \
    } while (0)

/* A whole number that is an argument by position instead of the value of an option; the name is for messages.
 */
bool weir_number_parse(const char *name, const char *text, int64_t *number, char *complaint);
/* Bytes of 8, 16k, 1m, 1g, 1t; false where it is none of these. */
bool weir_size_parse(const char *text, long long *bytes);
/* Name of the first option of the set whose value is not zero, or NULL. */
const char *weir_options_first_set(const struct weir_option_set *set);
void weir_options_print(const struct weir_option *options);
/* The candidate nearest to the text, or NULL if none is near. */
const char *weir_nearest(const char *text, const char *const *candidates, int count);
