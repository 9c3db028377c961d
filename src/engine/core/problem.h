/* What went wrong on this rank: the first thing only, because what follows is mostly its consequence. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct weir_problem {
    int rank;        /* set where the problems of all ranks are collected */
    int errnum;      /* 0 where the failing library gives no errno */
    char call[48];   /* pwrite, MPI_File_open, ... */
    char path[1024]; /* the file it happened on */
    char error[160]; /* text of errnum, or the library's own message */
    char text[256];  /* what was being done, as the rest of a sentence; may be empty */
};

static inline bool weir_problem_is_set(const struct weir_problem *problem) {
    return problem->call[0] != '\0';
}

/* Keep a failure unless one is kept already. error is NULL if strerror(errnum) is the text. Returns -1, so
 * that a back end can write `return weir_problem_set(...)`. */
__attribute__((format(printf, 6, 7))) int weir_problem_set(struct weir_problem *problem, const char *call,
                                                           const char *path, int errnum, const char *error,
                                                           const char *text, ...);
/* A rank's first failure carries the number of its failures. */
void weir_problem_count(struct weir_problem *problem, uint64_t failures);
/* The status of a call that sets errno: 0, or -1 with the failure kept. */
int weir_problem_of(struct weir_problem *problem, const char *call, const char *path, int status);
/* One line for people; others is how many more ranks report the same call and errno. */
void weir_problem_sentence(const struct weir_problem *problem, int others, char *line, unsigned bytes);
