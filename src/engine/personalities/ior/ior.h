/* The ior personality: IOR's command line, IOR's offsets and IOR's data, on weir's mechanism. */
#pragma once

#include "ior_report.h"
#include "options.h"
#include "run.h"

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
    const char *script;      /* -f */
    const char *memory;      /* -M, of a node */
    int64_t block_bytes;
    int64_t xfer_bytes;
    int64_t segments;
    int64_t iterations;
    int64_t tasks;          /* -N, -1: all */
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
    int64_t reference;     /* -A */
    double most_minutes;   /* -T, 0: no limit */
    double delay_s;        /* -d */
    const char *distribution;
    double stonewall_s;
    int write, read, verify_write, verify_read;
    int keep, existing, sync, barriers, file_per_process, unique_dir;
    int random, reorder_constant, reorder_random, collective, direct, wear_out, read_again, drop_caches,
        multi_file, sync_each, file_view;
    int verbose, keep_with_error, single_attempt, show_hints, dry_run;
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
    bool differs;             /* this iteration found wrong data */
    bool ever_differed;       /* any did */
    uint64_t began_ns;        /* of the test, for -T */
    uint64_t read_file_bytes; /* of the file that -z -z draws from, where another run wrote it */
    unsigned char *hog;       /* -M */
    uint64_t existing_bytes;  /* of -E: what the file of this rank had before the write */
    int iteration;
    struct weir_measure reads; /* of a mixed phase */
    struct weir_trace trace;
    enum ior_distribution distribution;
    bool view_set;
    MPI_Datatype view;          /* of the rank whose data is accessed */
    unsigned char *view_buffer; /* of one block; NULL: no file view */
    char path[1024];
};

/* ior_memory.c */
bool ior_memory_is_sound(const struct ior_params *requested, char *complaint);
int64_t ior_memory_bytes(const struct ior_run *run); /* of a rank */
bool ior_memory_hold(struct ior_run *run);           /* false without memory */

/* ior_options.c: false with one sentence. */
bool ior_options_read(void *run, int argc, char **argv, char *complaint);
void ior_help(void);

/* ior_requested.c: "requested" of the document */
void ior_requested(struct weir_json *json, const void *context);

/* ior_pattern.c */
uint64_t ior_file_bytes(const struct ior_run *run); /* of one file */
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
bool ior_time_is_up(const struct ior_run *run);
void ior_rest(const struct ior_run *run);
bool ior_clear_and_rest(struct ior_run *run);
bool ior_empty_caches(struct ior_run *run);
struct weir_result *ior_add_result(struct ior_run *run, const struct weir_phase *phase,
                                   struct weir_measure *measure);
/* On rank 0, which has a result: the hints if requested, and the row of the table. */
void ior_show(const struct ior_run *run, const struct weir_result *result);
void ior_judge(struct ior_run *run, const struct weir_verify *verify, struct weir_result *result,
               const char *when);

/* ior_written.c: what each rank wrote is kept for the reads of this run, passed on to the runs after it, and
 * learnt from the run before it. Called on all ranks; false where any failed. */
void ior_written_remember(struct ior_run *run);
bool ior_written_tell(struct ior_run *run);
bool ior_written_learn(struct ior_run *run);
/* Before -z -z reads what another run wrote: how large that file is. */
bool ior_find_file_bytes(struct ior_run *run);

/* ior_files.c */
void ior_path(struct ior_run *run);
void ior_make_directory(struct ior_run *run);
/* On every node: what this rank wrote and what it is to read leaves the page cache. */
void ior_drop_caches(const void *run, struct weir_problem *problem);
void ior_remove(struct ior_run *run);

/* ior_table.c: what people read; rank 0 only */
void ior_table_begin(const void *run);
void ior_table_row(const struct ior_run *run, const struct weir_result *result);
void ior_table_removed(const struct ior_run *run, double elapsed_s);
/* What -v -v tells before a phase; NULL: the signature of an iteration. */
void ior_table_tell(const struct ior_run *run, const char *phase);
void ior_table_hints(const struct ior_run *run, const struct weir_result *result);
void ior_table_end(const struct ior_run *run);
