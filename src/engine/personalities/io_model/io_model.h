/* The io-model personality: single operations, timed one by one, in any order through a file and through
 * memory. */
#pragma once

#include "io_model_locality.h"
#include "options.h"
#include "run.h"

enum iom_cache { IOM_UNTOUCHED, IOM_CACHED, IOM_UNCACHED, IOM_DISCARDED };

struct iom_params {
    const char *api;
    const char *test_file;
    const char *file_order;   /* locality in the file */
    const char *memory_order; /* locality in the buffer */
    const char *cache;
    const char *times;    /* prefix of the files of single operations */
    const char *samples;  /* prefix of the files of counters */
    const char *counters; /* further files of counters, separated by commas */
    const char *device;   /* block device whose counters are sampled */
    int64_t operations;
    int64_t xfer_bytes;
    int64_t file_bytes;
    int64_t memory_bytes;
    int64_t align_bytes;
    int64_t iterations;
    int64_t seed;
    double sample_s;
    int write, read, verify, sync, direct, prefill, truncate, wait;
};

struct iom_operation {
    uint64_t start_ticks;
    uint64_t ticks;
    uint64_t offset;
    uint64_t memory;
};

struct iom_sampler;

/* Everything of one run on one rank. */
struct iom_run {
    struct weir_run base;
    struct iom_params requested;
    enum iom_cache cache;
    struct iom_locality in_file, in_memory;
    bool original; /* the command line of the original was given */
    unsigned char *buffer, *expected;
    struct iom_operation *operations;
    struct iom_sampler *sampler;
    int64_t *resident_bytes; /* in the page cache before each write and read, -1: unknown */
    char path[1024];
};

/* io_model_options.c, io_model_original.c: false with one sentence. */
bool iom_options_read(void *run, int argc, char **argv, char *complaint);
bool iom_original_read(struct iom_run *run, int argc, char **argv, int *used, char *complaint);
void iom_help(void);

/* io_model_original.c: the positions of rnd as the original draws them, where its command line was given. */
void iom_original_plan(struct iom_run *run, int iteration);

/* io_model_transfers.c: the hot loop, and what the bytes are: the same at an offset of a file, whichever
 * rank writes it. */
void iom_bytes(const struct iom_run *run, uint64_t offset, unsigned char *into, size_t bytes);
void iom_operations_plan(struct iom_run *run, int iteration, bool write);
void iom_transfers(const struct weir_phase *phase, struct weir_file *file, struct weir_measure *measure,
                   struct weir_problem *problem);

/* io_model_files.c: what is done to the file before it is measured, untimed. */
int iom_file_walk(struct iom_run *run, enum weir_access access); /* all of it */
int iom_file_must_be_whole(struct iom_run *run);

/* io_model_cache.c */
bool iom_cache_can_tell(const struct iom_run *run);
/* Bring the page cache into the state that was requested, prove it, and return how many bytes of the file it
 * holds (-1: unknown). */
int64_t iom_cache_prepare(struct iom_run *run, bool there);

/* io_model_counters.c: counters of the system, read before, while and after a phase runs. */
/* Looks at the files on the ranks that will sample them: the first of each node. */
bool iom_counters_check(const struct iom_run *run, char *complaint);
bool iom_counters_start(struct iom_run *run, const char *access, int iteration);
void iom_counters_stop(struct iom_run *run);
void iom_counters_write(struct iom_run *run);
void iom_counters_free(struct iom_run *run);

/* io_model_report.c */
void iom_requested(struct weir_json *json, const void *context);
void iom_more(struct weir_json *json, const struct weir_result *result, const void *context);
void iom_times_write(struct iom_run *run, const char *access, int iteration);
void iom_table_begin(const void *run);
void iom_table_row(const struct weir_result *result);
