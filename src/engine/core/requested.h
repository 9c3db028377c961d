/* What was requested, as the document of each personality that moves bytes through files begins it. */
#pragma once

#include "run.h"

#define WEIR_REQUESTED_ACCESSES 5

/* A missing key is false, 0 or none; a personality adds keys of its own behind these. */
struct weir_requested {
    const char *test_file;
    const char *reorder;                         /* NULL: every rank accesses its own */
    const char *access[WEIR_REQUESTED_ACCESSES]; /* NULL is skipped */
    bool file_per_process, random;
    uint64_t xfer_bytes, block_bytes, segments;
    double stonewall_s;
    bool wear_out, sync, collective, direct, barriers, verify_write, verify_read, keep;
};

void weir_requested_write(struct weir_json *json, const struct weir_run *run,
                          const struct weir_requested *requested);
