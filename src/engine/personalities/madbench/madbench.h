/* The madbench personality: the out-of-core matrices of MADbench2 in its I/O mode. Each rank has a part of
 * every matrix; S writes them all, W reads and writes each, C reads them all. */
#pragma once

#include "options.h"
#include "run.h"

#include <stdbool.h>
#include <stdint.h>

enum { MAD_S, MAD_W, MAD_C, MAD_PHASES };
enum { MAD_WRITE, MAD_UPDATE_READ, MAD_UPDATE_WRITE, MAD_READ, MAD_ACCESSES };

struct mad_params {
    const char *api;
    const char *test_file;
    const char *phases;
    int64_t pixels;      /* a matrix has pixels x pixels elements of 8 bytes */
    int64_t bins;        /* matrices */
    int64_t gangs;       /* parts of the ranks that share the matrices of W's writes and C out */
    int64_t block_bytes; /* every piece starts at a multiple of it */
    int64_t read_mod;    /* one of so many ranks reads at a time */
    int64_t write_mod;
    int64_t xfer_bytes; /* the most that one call moves, 0: a piece */
    int64_t iterations;
    int64_t seed;
    double busy; /* a matrix of n elements costs n^busy multiplications, 0: none */
    int file_per_process, sync, verify, drop_caches;
};

/* What one access of one iteration reports beyond a result. */
struct mad_note {
    double elapsed_s; /* of the whole phase, with busy-work, turns and comparison */
    double busy_s;    /* of the rank that was longest at it */
};

struct mad_run {
    struct weir_run base;
    struct mad_params requested;
    bool runs[MAD_PHASES];
    uint64_t part_bytes; /* a rank's part of a matrix */
    uint64_t slot_bytes; /* and the room for it in the file */
    unsigned char *buffer;
    struct weir_measure reads; /* of what W reads */
    struct mad_note *notes;
    /* the phase that runs */
    int phase;
    bool failed;
    uint64_t read_ns, write_ns, busy_ns;
    uint64_t read_ticks, write_ticks; /* in calls, for the time line of the bytes */
    char path[1024];
};

/* madbench_options.c: false with one sentence. */
bool mad_options_read(void *run, int argc, char **argv, char *complaint);
void mad_help(void);

/* madbench_data.c: what a matrix holds after S (version 0) and after W (version 1). */
void mad_fill(const struct mad_run *run, int version, uint64_t offset, uint64_t bytes);
void mad_compare(const struct mad_run *run, int version, uint64_t offset, uint64_t bytes,
                 struct weir_verify *verify);

/* madbench_transfers.c: all that a rank does in a phase between open and close. */
void mad_transfers(const struct weir_phase *phase, struct weir_file *file, struct weir_measure *measure,
                   struct weir_problem *problem);

/* madbench_report.c */
void mad_requested(struct weir_json *json, const void *context);
void mad_more(struct weir_json *json, const struct weir_result *result, const void *context);
extern const char *const mad_access_names[MAD_ACCESSES];
void mad_table_begin(const void *run);
void mad_table_row(const struct weir_result *result, const struct mad_note *note);
