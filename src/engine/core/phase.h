/* One phase: open, transfers, sync and close of one access, on every rank, with the probe around each step.
 */
#pragma once

#include "backend.h"
#include "file_layout.h"
#include "histogram.h"
#include "job.h"
#include "mix.h"
#include "pace.h"
#include "pattern.h"
#include "payload.h"
#include "timeline.h"
#include "trace.h"
#include "watch.h"

#define WEIR_NO_LIMIT UINT64_MAX

/* Which operations of a mixed phase are reads: each by its number, so that all programs draw alike. */
struct weir_mixture {
    uint64_t read_percent;
    uint64_t seed;
};

static inline bool weir_mixture_reads(const struct weir_mixture *mixture, uint64_t number) {
    return weir_mix(mixture->seed + (number + 1) * WEIR_GOLDEN) % 100 < mixture->read_percent;
}

struct weir_measure;
struct weir_stuck;

struct weir_phase {
    const char *name; /* write, read */
    int iteration;
    const struct weir_backend *backend;
    struct weir_open how;
    struct weir_pattern pattern;
    struct weir_payload *payload; /* NULL: transfers have their own */
    MPI_Comm job_comm;            /* all ranks of the phase */
    struct weir_stuck *stuck;     /* NULL where the back end has no WEIR_PARTS */
    bool barriers;                /* between open, transfers and close */
    bool sync;                    /* at the end of the transfers */
    bool unwatched;               /* without counters: a warm-up */
    bool no_residency;            /* never open a file to look at its pages */
    bool sync_each;               /* after each write, within its time */
    bool verify;                  /* compare what was read */
    struct weir_measure *reads;   /* of a mixed phase: what its reads measured; NULL: all is how.access */
    struct weir_mixture mixture;  /* of a mixed phase */
    struct weir_trace *trace;     /* NULL: none */
    struct weir_pace pace;        /* all 0: no rest and no schedule */
    double stonewall_s;           /* 0: none */
    bool wear_out;  /* after the stonewall, every rank does as many operations as the quickest did */
    uint64_t limit; /* operations this rank does at most, in a pass */
    /* Untimed, before a read that ended before the stonewall begins again (loops.h): lets go of the pages
     * that the pass before left in memory. NULL: there is one pass. */
    void (*forget)(const void *forgetful, struct weir_problem *problem);
    const void *forgetful;
    uint64_t requested_bytes; /* of all ranks */
    bool dense;               /* all ranks together write every byte of the file */
    /* The hot loop of a personality whose operations no pattern and payload describe, and what it works on;
     * NULL: weir_transfers_run. It fills operations, moved_bytes, end_bytes, latency and verify. */
    void (*transfers)(const struct weir_phase *phase, struct weir_file *file, struct weir_measure *measure,
                      struct weir_problem *problem);
    void *own;
};

struct weir_step {
    uint64_t start_ns;
    uint64_t stop_ns;
};

/* How often a phase may begin again; count 0: it may not. */
struct weir_passes {
    uint64_t count;
    uint64_t rests_ns; /* between them */
    uint64_t first_ns, first_operations;
};

/* What one rank measured. */
struct weir_measure {
    char began[40];
    struct weir_step open, io, sync, close;
    uint64_t operations;
    uint64_t moved_bytes;
    uint64_t end_bytes; /* end of the piece furthest from the start of the file */
    uint64_t sync_calls;
    uint64_t retries;
    struct weir_passes passes;
    uint64_t cpu_ns;          /* of the process, from the open to the close */
    uint64_t traced, dropped; /* records of the trace */
    uint64_t looked;          /* reads of which a part was compared with the file (contents.h) */
    uint64_t differing;       /* of these, where the file has something else */
    bool wall_hit;
    uint64_t wall_operations; /* when the stonewall was hit, or at the end */
    uint64_t wall_bytes;
    uint64_t wall_ns;
    struct weir_verify verify;
    struct weir_observed observed;
    struct weir_stored stored;
    struct weir_file_layout file_layout; /* on the ranks that own a file */
    struct weir_histogram latency;       /* from the scheduled start where there is a schedule */
    struct weir_histogram service;       /* from the start; only where there is a schedule */
    struct weir_timeline timeline;
    struct weir_watched watched;
};

/* Run on every rank of the job. A failure is left in problem, on the ranks that met one; the caller lets the
 * ranks agree (weir_document_settle). */
void weir_phase_run(struct weir_job *job, struct weir_phase *phase, struct weir_measure *measure,
                    struct weir_problem *problem);
/* The clock and the watch around operations on names below a directory, with no pages of a file to look at.
 * Nothing is opened before them or closed after them: those steps take no time. */
void weir_phase_begin_names(struct weir_job *job, const struct weir_backend *backend, const char *directory,
                            struct weir_measure *measure);
void weir_phase_end_names(const struct weir_job *job, const struct weir_backend *backend,
                          const char *directory, struct weir_measure *measure);
/* After all ranks closed: is there what was written? Fills measure->stored on the ranks that own a file. */
void weir_phase_inspect(const struct weir_job *job, const struct weir_phase *phase,
                        struct weir_measure *measure, struct weir_problem *problem);

/* The transfers alone, and what a rank does whose file would not open while the others work (transfers.c). */
void weir_transfers_run(const struct weir_phase *phase, struct weir_file *file, struct weir_measure *measure,
                        struct weir_problem *problem);
/* Transfers of a rank at a time by the back end's queue; 0: it has none, or is not to use it. */
static inline unsigned weir_phase_depth(const struct weir_phase *phase) {
    return phase->backend->queue != NULL ? phase->backend->queue->depth(&phase->how) : 0;
}
/* The same for back ends with a queue (transfers_queued.c). */
void weir_transfers_queued(const struct weir_phase *phase, struct weir_file *file,
                           struct weir_measure *measure, struct weir_problem *problem);
void weir_transfers_abstain(const struct weir_phase *phase, struct weir_measure *measure,
                            struct weir_problem *problem);
