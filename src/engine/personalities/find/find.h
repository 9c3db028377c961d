/* The find personality: a walk over a tree by all ranks, by the options of find and of IO500's pfind. */
#pragma once

#include "run.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct find_params {
    const char *directory;
    const char *name;                                 /* pattern of the shell, NULL: any */
    const char *size;                                 /* 3901c */
    const char *newer;                                /* a file */
    int64_t queue;                                    /* files that wait to be looked at, at most */
    int64_t make_files, make_directories, make_bytes; /* of each rank */
    int count_only;
};

/* What waits to be done: paths with a letter before them, f for a file to look at, d for a directory to read.
 */
struct find_queue {
    char **items;
    size_t head, count, capacity; /* items[head .. head + count) */
};

/* What one rank has seen. */
struct find_counts {
    uint64_t found, files, directories, entries, unknown_types;
    uint64_t failures;
    uint64_t given; /* items handed to other ranks */
};

struct find_run {
    struct weir_run base;
    struct find_params requested;
    int64_t size_bytes; /* -1: any */
    struct timespec newer_than;
    struct find_queue queue;
    DIR *reading; /* the directory that is being read, and its path */
    char *reading_path;
    struct find_counts counts, all; /* all: on rank 0 */
};

/* find_options.c: false with one sentence. */
bool find_options_read(void *run, int argc, char **argv, char *complaint);
void find_help(void);

/* find_make.c: false on all ranks where one failed. */
bool find_make(struct find_run *run);

/* find_walk.c: false without memory. */
bool find_push(struct find_queue *queue, char kind, const char *folder, const char *name);
void find_queue_free(struct find_queue *queue);
/* Work until the time is over or nothing is left here. */
void find_work(struct find_run *run, uint64_t until_ns);

/* find_share.c: called by all ranks; hands items to ranks that have few. Returns how many wait on all ranks
 * together, and in *moved whether any changed hands. */
uint64_t find_share(struct find_run *run, bool *moved);
