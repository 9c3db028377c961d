/* One run of a personality that measures: what every such run has, and the frame that leads it from the
 * command line to the exit code (weir_personality_main). */
#pragma once

#include "backend.h"
#include "common_options.h"
#include "document.h"

struct weir_personality;

/* The first member of each personality's own struct. */
struct weir_run {
    const struct weir_personality *personality;
    struct weir_job *job; /* the ranks that take part */

    void *launch; /* what the runs of one launch share; NULL: nothing */

    /* Set by the options. */
    const struct weir_backend *backend; /* NULL: the personality has none */
    void *settings;                     /* of the back end */
    char *texts;                        /* of the options */
    bool options_known;                 /* no option was unknown, and each has a value that it may have */
    struct weir_common common;
    bool reads_hints;       /* MPI-IO hints come from the environment of rank 0, and from a file: */
    const char *hints_file; /* NULL: none */
    int64_t iterations;
    int64_t tasks; /* only the first ranks of the launch take part; 0: all */

    /* Filled by the frame. */
    struct weir_hints hints;
    struct weir_document document;
    struct weir_measure measure;
    struct weir_problem problem; /* that this rank met since the ranks agreed last (weir_run_settle) */
    int exit_code;
    bool ended_early; /* a rank failed, so that iterations are missing */
};

/* Whether no rank met a problem, on all ranks. Rank 0 reports those that were met; then they are over. */
bool weir_run_settle(struct weir_run *run);
/* After the run's files were removed. A run that was not well has reported why: it does not report what
 * stays. */
void weir_run_settle_removal(struct weir_run *run, bool well);
/* How the run opens a file, and a phase on it with barriers between its steps: the personality adds the rest.
 */
struct weir_open weir_run_open(const struct weir_run *run, const char *path, enum weir_access access,
                               MPI_Comm comm);
struct weir_phase weir_run_phase(const struct weir_run *run, const char *name, int iteration,
                                 const char *path, enum weir_access access, MPI_Comm comm);

/* warm_up.c: the first open, transfer and close of a process pay for the start of libraries: of HDF5, NetCDF
 * and MPI-IO 5 to 8 ms. A cell that is launched alone would pay within its times, a later cell of a batch
 * would not. This writes one transfer of each rank to a file of its own beside that of the phase, reads it
 * and removes it, once in a run and untimed; it does nothing where the options forbid it, where nothing is
 * stored, or where the directory cannot be written. Called on all ranks that take part; false where any rank
 * failed. */
bool weir_warm_up(struct weir_run *run, const struct weir_phase *first);

struct weir_frame {
    size_t run_bytes; /* size of the personality's struct; it begins as zeros */

    /* Parse argv[1..], the same arguments on every rank; false with one sentence. run->base.job is the whole
     * launch here. */
    bool (*options)(void *run, int argc, char **argv, char *complaint);
    /* Write the keys of "requested", and what the personality adds to each result (may be NULL). */
    void (*requested)(struct weir_json *json, const void *run);
    void (*more)(struct weir_json *json, const struct weir_result *result, const void *run);

    /* Each is called on all ranks that take part, and is false on all of them where any rank failed. */
    bool (*prepare)(void *run); /* once, before the first iteration; may be NULL */
    bool (*iterate)(void *run, int iteration);
    bool (*finish)(void *run, bool well); /* after the last iteration, also a failed one; may be NULL */

    void (*begin_table)(const void *run); /* rank 0, after prepare; may be NULL */
    void (*release)(void *run);           /* what the personality allocated; may be NULL */
};

/* One command line: list[0] is the personality's name. */
struct weir_arguments {
    int count;
    char **list;
};

/* Several runs of one launch, one after the other (weir_personality_main is one). All command lines are read
 * before the first run is measured; NULL on all ranks after one sentence where any of them is wrong. */
struct weir_run **weir_runs_read(const struct weir_personality *personality, struct weir_job *job,
                                 const struct weir_arguments *lines, int count, void *launch);
/* The first exit code that is not 0. A run that ended early is the last one. */
int weir_runs_measure(const struct weir_job *job, struct weir_run *const *runs, int count);
void weir_runs_release(struct weir_run **runs, int count);
