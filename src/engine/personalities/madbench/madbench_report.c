/* What only this personality writes to the document, and the table. */
#include "madbench.h"
#include "requested.h"

#include <string.h>

const char *const mad_access_names[MAD_ACCESSES] = {"write", "update-read", "update-write", "read"};
static const char *const phase_names[MAD_ACCESSES] = {"S", "W", "W", "C"};

static int mad_access_of(const struct weir_result *result) {
    int access = 0;
    while (access < MAD_ACCESSES - 1 && strcmp(result->access, mad_access_names[access]) != 0) {
        access++;
    }
    return access;
}

void mad_requested(struct weir_json *json, const void *context) {
    const struct mad_run *run = context;
    const struct mad_params *a = &run->requested;
    uint64_t xfer_bytes = a->xfer_bytes > 0 ? (uint64_t)a->xfer_bytes : run->part_bytes;
    struct weir_requested requested = {
        .test_file = a->test_file,
        .file_per_process = a->file_per_process != 0,
        .xfer_bytes = xfer_bytes < run->part_bytes ? xfer_bytes : run->part_bytes,
        .block_bytes = run->part_bytes,
        .segments = (uint64_t)a->bins,
        .sync = a->sync != 0,
        .barriers = true,
        .verify_read = a->verify != 0,
        .keep = true,
    };
    for (int i = 0; i < MAD_ACCESSES; i++) {
        if (strchr(a->phases, phase_names[i][0]) != NULL) {
            requested.access[i] = mad_access_names[i];
        }
    }
    weir_requested_write(json, &run->base, &requested);
    weir_json_bool(json, "drop_caches", a->drop_caches);
    weir_json_text(json, "phases", a->phases);
    weir_json_integer(json, "pixels", a->pixels);
    weir_json_integer(json, "bins", a->bins);
    weir_json_integer(json, "gangs", a->gangs);
    weir_json_integer(json, "align_bytes", a->block_bytes);
    weir_json_count(json, "slot_bytes", run->slot_bytes);
    weir_json_integer(json, "read_mod", a->read_mod);
    weir_json_integer(json, "write_mod", a->write_mod);
    weir_json_number(json, "busy", a->busy);
    weir_json_integer(json, "seed", a->seed);
}

void mad_more(struct weir_json *json, const struct weir_result *result, const void *context) {
    const struct mad_run *run = context;
    int access = mad_access_of(result);
    const struct mad_note *note = &run->notes[result->iteration * MAD_ACCESSES + access];
    weir_json_text(json, "phase", phase_names[access]);
    weir_json_number(json, "elapsed_s", note->elapsed_s);
    weir_json_number(json, "busy_s", note->busy_s);
}

void mad_table_begin(const void *own) {
    const struct mad_run *run = own;
    const struct mad_params *a = &run->requested;
    printf("weir-io madbench %s %s: %lld matrices of %lld x %lld doubles on %d rank%s in %lld gang%s, %s, "
           "%llu bytes a rank and matrix\n",
           run->base.backend->name, a->test_file, (long long)a->bins, (long long)a->pixels,
           (long long)a->pixels, run->base.job->size, run->base.job->size == 1 ? "" : "s",
           (long long)a->gangs, a->gangs == 1 ? "" : "s",
           a->file_per_process ? "unique files" : "one shared file", (unsigned long long)run->part_bytes);
    printf("%-5s %-12s %4s %10s %10s %10s %10s %10s %10s %10s\n", "phase", "access", "iter", "MiB/s",
           "open_s", "io_s", "close_s", "total_s", "busy_s", "elapsed_s");
}

void mad_table_row(const struct weir_result *result, const struct mad_note *note) {
    printf("%-5s %-12s %4d %10.2f %10.6f %10.6f %10.6f %10.6f %10.6f %10.6f\n",
           phase_names[mad_access_of(result)], result->access, result->iteration, result->bw_mib_s,
           result->open_s, result->io_s, result->close_s, result->total_s, note->busy_s, note->elapsed_s);
    fflush(stdout);
}
