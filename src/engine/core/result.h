/* What all ranks together measured in one phase, on rank 0. */
#pragma once

#include "phase.h"

struct weir_extreme {
    double min;
    int min_rank;
    double max;
    int max_rank;
};

enum {
    WEIR_EXTREME_OPEN,
    WEIR_EXTREME_IO,
    WEIR_EXTREME_SYNC,
    WEIR_EXTREME_CLOSE,
    WEIR_EXTREME_MOVED,
    WEIR_EXTREMES
};

struct weir_bucket {
    uint64_t upper_ns;
    uint64_t count;
};

struct weir_latency {
    uint64_t count;
    double min_us, mean_us, p50_us, p90_us, p99_us, p999_us, max_us;
    int slowest_rank; /* whose transfers ended last */
    int bucket_count;
    struct weir_bucket *buckets; /* those that hold something */
};

struct weir_verdict {
    bool requested;
    uint64_t checked_bytes;
    uint64_t errors;
    int rank; /* of the first error, -1: none */
    char path[1024];
    uint64_t offset, expected, found;
};

struct weir_result {
    char access[16];
    char began[40];
    int iteration;
    double open_s, io_s, sync_s, close_s, total_s; /* first start to last stop over the ranks */
    double clock_doubt_s; /* by which the times of a node may be off from those of rank 0's node */
    double bw_mib_s, ops_s;
    double rank_latency_s; /* time of the transfers by operations, of the rank where it is least */
    uint64_t requested_bytes, moved_bytes, file_bytes, operations;
    uint64_t passes; /* of a read that may begin again; 0: it may not */
    uint64_t first_pass_bytes;
    double first_pass_s, rests_s; /* between the passes; no part of the times */
    bool walled;                  /* a stonewall was requested */
    bool wall_hit, wear_out;
    double wall_s;
    uint64_t wall_bytes, wall_pairs_min, wall_pairs_max;
    struct weir_extreme extremes[WEIR_EXTREMES];
    struct weir_latency latency;
    struct weir_latency service; /* count 0: there was no schedule */
    struct weir_verdict verify;
    struct weir_observed observed; /* flags that hold on every rank; hints of rank 0 */
    uint64_t sync_calls, retries;
    uint64_t cpu_ns; /* of all ranks; 0: not measured */
    uint64_t traced, dropped;
    uint64_t denied_holes;      /* of all files; see struct weir_stored */
    uint64_t late_sizes;        /* likewise */
    uint64_t looked, differing; /* see struct weir_measure */
    struct weir_buckets timeline;
    struct weir_watched watched;
    struct weir_payload_sample payload;       /* of a write */
    uint64_t existing_bytes;                  /* in the file of rank 0 before a write */
    struct weir_file_layout *file_layout;     /* of the file of rank 0; NULL: unknown */
    struct weir_layout_counts *layout_counts; /* of all files; NULL: unknown */
};

/* payload_sample.c: what compression and deduplication can save of the bytes that a phase writes, found in a
 * sample of them. Called by all ranks after the phase; the sample is filled on rank 0, and is empty (no
 * bytes) where the phase does not write by pattern and payload. The payload is left as it was but for its
 * buffer. */
void weir_payload_sample_take(const struct weir_job *job, const struct weir_phase *phase,
                              struct weir_payload_sample *sample);
/* Called by all ranks; the result is filled on rank 0. */
void weir_result_gather(const struct weir_job *job, const struct weir_phase *phase,
                        struct weir_measure *measure, struct weir_result *result);
/* Sum what verification found into a result; called by all ranks. Returns the errors of all ranks,
 * everywhere. */
uint64_t weir_result_verify(const struct weir_job *job, const char *path, const struct weir_verify *verify,
                            struct weir_result *result);
void weir_result_free(struct weir_result *result);
