/* The ior personality: IOR's command line, IOR's offsets and IOR's data, on weir's mechanism. */
#ifndef WEIR_IOR_H
#define WEIR_IOR_H

#include "options.h"
#include "run.h"
#include "warm_up.h"

#include <stdbool.h>
#include <stdint.h>

struct ior_params {
    const char *api;
    const char *test_file;
    const char *hints_file;
    const char *packet; /* -l */
    const char *summary_file;
    const char *summary_format;
    const char *status_file; /* -O stoneWallingStatusFile */
    int64_t block_bytes;
    int64_t xfer_bytes;
    int64_t segments;
    int64_t iterations;
    int64_t tasks;          /* -N, -1: all */
    int64_t delay_s;        /* -d */
    int64_t signature;      /* -G, 0: the time */
    int64_t shift_nodes;    /* -Q */
    int64_t reorder_seed;   /* -X */
    int64_t random_seed;    /* --random-offset-seed, -1: the time */
    int64_t shift_nodes_of; /* -O numNodes, -1: as found */
    int64_t tasks_per_node; /* -O numTasksOnNode0, -1: as found */
    struct weir_payload_control control;
    int64_t rate, rest_us; /* --rate, -O interIODelay */
    int64_t read_percent;  /* --rw-mix, 0: writes and reads are phases of their own */
    double zipf;           /* --zipf, 0: each offset once */
    int64_t prefill_bytes; /* --randomPrefill, 0: none */
    int64_t trace_records;
    const char *trace_file;
    const char *distribution;
    double stonewall_s;
    int write, read, verify_write, verify_read;
    int keep, existing, sync, barriers, file_per_process, unique_dir;
    int random, reorder_constant, reorder_random, collective, direct, wear_out, read_again, drop_caches,
        no_residency, no_warm_up, multi_file, sync_each, file_view;
};

/* Which transfers of a segment of a shared file belong to which rank. */
enum ior_distribution {
    IOR_BLOCKS,      /* as IOR: each rank has one block */
    IOR_INTERLEAVED, /* the ranks take turns transfer by transfer */
    IOR_NESTED,      /* the ranks of each half (or third, ...) of the segment take turns in it */
    IOR_SUBARRAY,    /* a 3-D array of transfers, of which each rank has a box */
};

/* Everything of one run on one rank. */
struct ior_run {
    struct weir_run base;
    struct ior_params requested;
    enum weir_payload_kind packet;
    struct weir_payload payload;
    uint64_t *table; /* random offsets */
    uint64_t
        *written;    /* operations of each rank in the last write, where a stonewall may have cut it short */
    uint64_t status; /* operations of a rank by the status file, 0: not known */
    int shift;       /* this phase reads what rank + shift wrote */
    bool made_file, made_directory;
    uint64_t existing_bytes; /* of -E: what the file of this rank had before the write */
    int iteration;
    struct weir_measure reads; /* of a mixed phase */
    struct weir_trace trace;
    enum ior_distribution distribution;
    bool view_set;
    MPI_Datatype view;          /* of the rank whose data is accessed */
    unsigned char *view_buffer; /* of one block; NULL: no file view */
    char path[1024];
};

/* ior_options.c: false with one sentence. */
bool ior_options_read(void *run, int argc, char **argv, char *complaint, unsigned bytes);
void ior_help(void);

/* ior_requested.c: "requested" of the document */
void ior_requested(struct weir_json *json, const void *context);

/* ior_pattern.c */
int ior_shift_to_check(const struct ior_run *run);
int ior_shift_to_read(const struct ior_run *run, int iteration);
uint64_t ior_owner(const struct ior_run *run);
/* The offsets of the rank whose data is accessed; false without memory. */
bool ior_pattern(struct ior_run *run, enum weir_access access, struct weir_pattern *pattern);

/* ior_distribution.c: offsets and file types of what is not in blocks. */
bool ior_distribution_find(const char *name, enum ior_distribution *distribution);
/* Offset within its segment of a transfer of a rank's block, by its number. */
uint64_t ior_distribution_offset(const struct ior_run *run, uint64_t owner, uint64_t number);
/* A type that covers one segment and shows the block of the owner. */
MPI_Datatype ior_distribution_type(const struct ior_run *run, uint64_t owner);

/* ior_view.c: a phase whose operations move a whole block each, through a view of the file. */
void ior_view_begin(struct ior_run *run, struct weir_phase *phase);
void ior_view_end(struct ior_run *run);

/* ior_mixed.c: reads and writes in one phase; false where any rank failed. */
bool ior_mixed_iteration(struct ior_run *run, int iteration);
/* Untimed: every byte of the file is written, by transfers in order, with so many bytes each; 0: -t. */
bool ior_lay_out(struct ior_run *run, int iteration, int64_t xfer_bytes);

/* ior_steps.c: the steps that kinds of iterations share; false where any rank failed. */
bool ior_phase(struct ior_run *run, struct weir_phase *phase, const char *name, enum weir_access access,
               int iteration);
bool ior_has_memory(struct ior_run *run, bool good);
bool ior_measured(struct ior_run *run, struct weir_phase *phase);
bool ior_clear_and_rest(struct ior_run *run);
bool ior_empty_caches(struct ior_run *run);
struct weir_result *ior_report(struct ior_run *run, const struct weir_phase *phase,
                               struct weir_measure *measure);
void ior_judge(struct ior_run *run, const struct weir_verify *verify, struct weir_result *result,
               const char *when);

/* ior_written.c: what each rank wrote is kept for the reads of this run, passed on to the runs after it, and
 * learnt from the run before it. Called on all ranks; false where any failed. */
void ior_written_remember(struct ior_run *run);
bool ior_written_tell(struct ior_run *run);
bool ior_written_learn(struct ior_run *run);

/* ior_files.c */
void ior_path(struct ior_run *run);
int ior_make_directory(struct ior_run *run, struct weir_problem *problem);
/* On every node: what this rank wrote and what it is to read leaves the page cache. */
void ior_drop_caches(const struct ior_run *run, struct weir_problem *problem);
int ior_remove(struct ior_run *run, struct weir_problem *problem);

/* ior_table.c: what people read; rank 0 only */
void ior_table_begin(const void *run);
void ior_table_row(const struct ior_run *run, const struct weir_result *result);
void ior_table_end(const struct ior_run *run);

#endif
