/* What only this personality writes to the document, the times of single operations, and the table. */
#include "clock.h"
#include "io_model.h"
#include "requested.h"

#include <errno.h>
#include <string.h>

void iom_requested(struct weir_json *json, const void *context) {
    const struct iom_run *run = context;
    const struct iom_params *a = &run->requested;
    struct weir_requested requested = {
        .test_file = a->test_file,
        .access = {a->write ? "write" : NULL, a->read ? "read" : NULL},
        .file_per_process = true,
        .random = iom_locality_is_random(&run->in_file),
        .xfer_bytes = (uint64_t)a->xfer_bytes,
        .block_bytes = (uint64_t)a->file_bytes,
        .segments = 1,
        .sync = a->sync != 0,
        .direct = a->direct != 0,
        .barriers = true,
        .verify_write = a->verify && a->write,
        .verify_read = a->verify && a->read,
        .keep = true,
    };
    weir_requested_write(json, &run->base, &requested);
    weir_json_integer(json, "operations", a->operations);
    weir_json_text(json, "file_locality", a->file_order);
    weir_json_text(json, "memory_locality", a->memory_order);
    weir_json_integer(json, "file_bytes", a->file_bytes);
    weir_json_integer(json, "memory_bytes", a->memory_bytes);
    weir_json_integer(json, "align_bytes", a->align_bytes);
    weir_json_text(json, "cache", a->cache);
    weir_json_bool(json, "prefill", a->prefill);
    weir_json_bool(json, "truncate", a->truncate);
    weir_json_integer(json, "seed", a->seed);
}

/* How much of the files was in the page cache when the access began. */
void iom_more(struct weir_json *json, const struct weir_result *result, const void *context) {
    const struct iom_run *run = context;
    bool read = strcmp(result->access, "read") == 0;
    int64_t resident = run->resident_bytes[2 * result->iteration + read];
    weir_json_known_count(json, "resident_bytes", resident >= 0, (uint64_t)resident);
}

void iom_times_write(struct iom_run *run, const char *access, int iteration) {
    char name[1100];
    if (run->requested.times == NULL) {
        return;
    }
    snprintf(name, sizeof name, "%s-%s-%d-%d.csv", run->requested.times, access, iteration,
             run->base.job->rank);
    FILE *file = fopen(name, "we");
    if (file == NULL) {
        weir_problem_set(&run->base.problem, "fopen", name, errno, NULL, "for --times");
        return;
    }
    uint64_t begin_ticks = run->operations[0].start_ticks;
    fprintf(file, "start_ns,duration_ns,offset,memory\n");
    for (uint64_t i = 0; i < run->base.measure.operations; i++) {
        const struct iom_operation *o = &run->operations[i];
        fprintf(file, "%llu,%llu,%llu,%llu\n",
                (unsigned long long)weir_clock_ns_of(o->start_ticks - begin_ticks),
                (unsigned long long)weir_clock_ns_of(o->ticks), (unsigned long long)o->offset,
                (unsigned long long)o->memory);
    }
    bool bad = ferror(file) != 0;
    if (fclose(file) != 0 || bad) {
        weir_problem_set(&run->base.problem, "fclose", name, errno, NULL, "for --times");
    }
}

void iom_table_begin(const void *own) {
    const struct iom_run *run = own;
    const struct iom_params *a = &run->requested;
    printf(
        "weir-io io-model %s %s-<rank>: %lld operations of %lld bytes on %d rank%s, file %s in %lld bytes, "
        "memory %s in %lld bytes, cache %s\n",
        run->base.backend->name, a->test_file, (long long)a->operations, (long long)a->xfer_bytes,
        run->base.job->size, run->base.job->size == 1 ? "" : "s", a->file_order, (long long)a->file_bytes,
        a->memory_order, (long long)a->memory_bytes, a->cache);
    printf("%-6s %4s %9s %12s %10s %10s %10s %10s %10s %10s\n", "access", "iter", "ops", "ops/s", "MiB/s",
           "min_us", "p50_us", "p99_us", "max_us", "sync_s");
}

void iom_table_row(const struct weir_result *result) {
    const struct weir_latency *l = &result->latency;
    printf("%-6s %4d %9llu %12.1f %10.2f %10.2f %10.2f %10.2f %10.2f %10.6f\n", result->access,
           result->iteration, (unsigned long long)result->operations, result->ops_s, result->bw_mib_s,
           l->min_us, l->p50_us, l->p99_us, l->max_us, result->sync_s);
    fflush(stdout);
}
