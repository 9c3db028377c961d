/* The mdtest personality: mdtest's command line and mdtest's names, on weir's mechanism. */
#pragma once

#include "cachestat.h"
#include "options.h"
#include "run.h"

#include <stdbool.h>
#include <stdint.h>

#define MDTEST_PATH 4096

struct mdtest_params {
    const char *api;
    const char *directory; /* -d */
    const char *packet;    /* --dataPacketType */
    const char *status_file;
    const char *rank_details; /* --saveRankPerformanceDetails */
    int64_t branches, depth;
    int64_t items;         /* -n, of each rank */
    int64_t items_per_dir; /* -I */
    int64_t iterations;
    int64_t write_bytes, read_bytes;
    int64_t signature; /* -G, -1: the time */
    int64_t shift;     /* -N, in ranks */
    int64_t delay_s;
    int64_t random_seed;
    int64_t first_ranks, last_ranks, step_ranks; /* -f -l -s; 0: all ranks */
    int64_t verbosity;                           /* -V */
    int verbose;                                 /* -v */
    double stonewall_s;
    int create, stat, read, rename, remove;
    int directories, files, leaf_only, unique_dir, time_unique_dir;
    int random, sync_file, flush, verify_read, verify_write, direct;
    int shared_file, make_node;
    int rate_and_time, time_only, rank_statistics, warnings;
};

enum mdtest_item { MDTEST_DIRECTORY, MDTEST_FILE, MDTEST_TREE };

/* The directories of a tree are numbered level by level; directory k holds the items k * per_dir and on. */
struct mdtest_shape {
    uint64_t directories; /* of one tree */
    uint64_t first;       /* the first that holds items */
    uint64_t per_dir;     /* items of a directory */
    uint64_t per_loop;    /* items of a rank in one test directory */
    uint64_t loops;       /* test directories */
};

/* What one rank did in a phase, until it waited for the others. */
struct mdtest_rank {
    double operations;
    double elapsed_s;
};

/* Names that were looked up after a phase, all ranks together, and those that were there. Of files that were
 * synchronised: those whose pages could be looked at, and what had not been written back. */
struct mdtest_entries {
    uint64_t sampled, there, cached_files, unwritten_bytes;
};

/* What mdtest knows of a result beyond what all personalities do. */
struct mdtest_note {
    enum mdtest_item item;
    uint64_t requested_items;
    struct mdtest_rank *ranks; /* NULL if they were not requested */
    struct mdtest_entries entries;
};

/* The name of one item after the other. */
struct mdtest_walk {
    const struct mdtest_run *run;
    enum mdtest_item item;
    int iteration;
    int owner;          /* whose items */
    uint64_t loop, dir; /* whose directory the path begins with; UINT64_MAX: none yet */
    size_t stem;        /* length of what is the same for all items of the directory */
    char path[MDTEST_PATH];
};

/* What the runs of one launch share: -f, -l and -s make several, each with more ranks than the one before. */
struct mdtest_launch {
    int runs, read;       /* how many there are, and how many of their command lines have been read */
    bool no_such_backend; /* all else of the command line is known */
};

/* Everything of one run on one rank. */
struct mdtest_run {
    struct weir_run base;
    struct mdtest_params requested;
    enum weir_payload_kind packet;
    struct weir_payload written, found; /* bytes of the files, -w and -e */
    struct mdtest_shape shape;
    uint64_t items;               /* of each rank, in this iteration */
    uint64_t status_items;        /* of each rank, by the status file of an earlier run; 0: not known */
    uint64_t made;                /* by this rank in this iteration, of the kind that is made now */
    struct weir_cachestat synced; /* of some files, right after each was synchronised */
    uint64_t *order;
    uint64_t order_items;
    int number; /* of this run in its launch */
    struct weir_trace trace;
    bool made_root;
    struct mdtest_note *notes; /* of each result, on rank 0 */
    char differs[MDTEST_PATH]; /* the first file with wrong bytes */
};

/* mdtest_options.c: false with one sentence. */
bool mdtest_options_read(void *run, int argc, char **argv, char *complaint);
void mdtest_help(void);

/* mdtest_names.c */
bool mdtest_shape_find(struct mdtest_run *run, char *complaint);
void mdtest_shape_of_items(struct mdtest_run *run, uint64_t items);
/* The owner of what a phase touches: the ranks move on by -N from phase to phase. */
int mdtest_owner(const struct mdtest_run *run, int phase);
void mdtest_walk_begin(struct mdtest_walk *walk, const struct mdtest_run *run, enum mdtest_item item,
                       int iteration, int owner);
const char *mdtest_walk_item(struct mdtest_walk *walk, uint64_t index);
uint64_t mdtest_walk_number(const struct mdtest_walk *walk, uint64_t index);
void mdtest_test_dir(const struct mdtest_run *run, int iteration, uint64_t loop, char *path);
/* Directory k of the tree of an owner. */
void mdtest_tree_dir(const struct mdtest_run *run, int iteration, uint64_t loop, int owner, uint64_t k,
                     char *path);

/* mdtest_phases.c: each runs on all ranks, and is false where any of them failed. */
bool mdtest_items(struct mdtest_run *run, enum mdtest_item item, int iteration);

/* mdtest_trees.c */
bool mdtest_trees_make(struct mdtest_run *run, int iteration);
bool mdtest_trees_remove(struct mdtest_run *run, int iteration);
/* After a failure: removes what this run made, as far as it can, without messages. */
void mdtest_clear_up(struct mdtest_run *run, enum mdtest_item item, int iteration);

/* mdtest_measure.c: a phase is begun and ended on all ranks; a rank counts its failures and goes on. */
struct mdtest_phase {
    const char *access;
    enum mdtest_item item;
    int iteration;
    uint64_t requested_items; /* of all ranks */
    uint64_t requested_bytes; /* likewise */
    uint64_t failures;        /* of this rank */
    bool wall;                /* the stonewall is for this phase */
    bool verify;
};

void mdtest_phase_begin(struct mdtest_run *run);
/* After the last operation: flush, barrier, results; false where any rank failed. */
bool mdtest_phase_end(struct mdtest_run *run, struct mdtest_phase *phase);

/* mdtest_entries.c: called by all ranks after the phase; the sums are rank 0's. */
struct mdtest_entries mdtest_entries_look(struct mdtest_run *run, const struct mdtest_phase *phase);

/* mdtest_ranks.c: where ranks are requested. Gather is called by all ranks, the others on rank 0. */
bool mdtest_ranks_begin(struct mdtest_run *run);
struct mdtest_rank *mdtest_ranks_gather(struct mdtest_run *run);
void mdtest_ranks_write(struct mdtest_run *run);

/* mdtest_requested.c */
void mdtest_requested(struct weir_json *json, const void *context);
void mdtest_more(struct weir_json *json, const struct weir_result *result, const void *context);

/* mdtest_table.c: what mdtest reports, in its order and with its labels */
#define MDTEST_LINES 11
struct mdtest_line {
    enum mdtest_item item;
    const char *access;
    const char *label;
};
extern const struct mdtest_line mdtest_lines[MDTEST_LINES];
/* Result of a line in an iteration, -1: there is none. */
int mdtest_result_of(const struct mdtest_run *run, const struct mdtest_line *line, int iteration);
void mdtest_table_phase(const struct mdtest_run *run, enum mdtest_item item,
                        const struct weir_result *result);
void mdtest_table_begin(const void *run);
void mdtest_table_end(const struct mdtest_run *run);
