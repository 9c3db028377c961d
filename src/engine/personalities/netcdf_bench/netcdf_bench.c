/* The order of things in one run of netcdf-bench: for each iteration write, read, compare. */
#include "netcdf_bench.h"

#include "judge.h"
#include "mix.h"
#include "page_cache.h"
#include "personality.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* FILE, or FILE-<rank that wrote it> with one file per process */
static void ncb_path_of(struct ncb_run *run, int owner) {
    if (run->file_per_process) {
        snprintf(run->path, sizeof run->path, "%s-%d", run->requested.test_file, owner);
    } else {
        snprintf(run->path, sizeof run->path, "%s", run->requested.test_file);
    }
}

static void ncb_prepare(struct ncb_run *run, struct weir_phase *phase, const char *name,
                        enum weir_access access, int iteration, int owner) {
    const struct ncb_params *a = &run->requested;
    const struct ncb_variable *v = &run->variable;
    int size = run->base.job->size;
    uint64_t file_bytes = v->step_bytes * v->across[0];
    ncb_path_of(run, owner);
    *phase = weir_run_phase(&run->base, name, iteration, run->path, access,
                            run->file_per_process ? MPI_COMM_SELF : run->base.job->comm);
    phase->how.collective = run->collective;
    phase->how.settings = v;
    phase->how.geometry.xfer_bytes = v->block_bytes;
    phase->how.geometry.file_bytes = file_bytes;
    phase->pattern = ncb_pattern(run, owner);
    phase->payload = &run->payload;
    phase->stonewall_s = a->stonewall_s;
    phase->wear_out = a->wear_out;
    phase->limit = access == WEIR_READ && run->written != NULL ? run->written[owner] : WEIR_NO_LIMIT;
    phase->requested_bytes = file_bytes * (run->file_per_process ? (uint64_t)size : 1);
    run->variable.seed = run->file_per_process ? weir_mix((uint64_t)owner + 1) : 0;
    if (run->by_position) {
        return;
    }
    ncb_values(v, owner, run->payload.buffer);
    if (run->payload.expected != NULL) {
        memcpy(run->payload.expected, run->payload.buffer, run->payload.bytes);
    }
}

/* Chunks that reach beyond the variable leave bytes of the file unwritten. */
static bool ncb_dense(const struct ncb_run *run) {
    bool dense = true;
    for (int i = 0; i < NCB_DIMS; i++) {
        size_t chunk = run->found.chunk[i];
        dense = dense && (chunk == 0 || run->variable.dims[i] % chunk == 0);
    }
    return dense;
}

/* Run a phase and look at what it left; false where any rank failed. */
static bool ncb_measured(struct ncb_run *run, struct weir_phase *phase) {
    if (!weir_judge_phase(&run->base.document, phase, &run->base.measure)) {
        return false;
    }
    phase->dense = ncb_dense(run);
    return weir_judge_stored(&run->base.document, phase, &run->base.measure);
}

static struct weir_result *ncb_report(struct ncb_run *run, const struct weir_phase *phase, bool print) {
    struct weir_result result;
    struct ncb_times times = ncb_times(run);
    weir_result_gather(run->base.job, phase, &run->base.measure, &result);
    struct weir_result *kept = weir_document_add(&run->base.document, &result);
    if (kept != NULL && print) {
        ncb_table_result(kept, &times);
    }
    return kept;
}

static bool ncb_judge(struct ncb_run *run, struct weir_result *result, const char *where) {
    bool right = weir_judge_bytes(&run->base.document, run->path, &run->base.measure.verify, result, where);
    if (!right) {
        run->base.exit_code = WEIR_FAILED;
    }
    if (run->requested.verify && run->base.job->rank == 0) {
        printf("TEST %s [0]\n", right ? "PASSED" : "FAILED");
        fflush(stdout);
    }
    return right;
}

/* Before a write the file of the last iteration goes away, untimed. */
static bool ncb_clear_files(struct ncb_run *run) {
    ncb_path_of(run, run->base.job->rank);
    if (run->file_per_process || run->base.job->rank == 0) {
        run->base.backend->remove(run->path, &run->variable, &run->base.problem);
    }
    return weir_run_settle(&run->base);
}

/* Before a read, untimed: each node lets go of what its ranks wrote and are about to read. */
static bool ncb_clear_caches(struct ncb_run *run, int owner) {
    if (!run->requested.drop_caches) {
        return true;
    }
    if (run->file_per_process && run->requested.write) {
        ncb_path_of(run, run->base.job->rank);
        weir_page_cache_drop(run->path, &run->base.problem);
    }
    if (run->file_per_process || weir_job_first_on_node(run->base.job)) {
        ncb_path_of(run, owner);
        weir_page_cache_drop(run->path, &run->base.problem);
    }
    return weir_run_settle(&run->base);
}

/* One time step of the variable is enough. */
static bool ncb_warm_up(struct ncb_run *run, const struct weir_phase *first) {
    struct ncb_variable step = run->variable;
    struct weir_phase phase = *first;
    step.dims[0] = step.chunk[0] > step.block[0] ? step.chunk[0] : step.block[0];
    phase.how.settings = &step;
    phase.how.geometry.block_bytes = step.block_bytes * step.across[1] * step.across[2] * step.across[3];
    return weir_warm_up(&run->base, &phase);
}

/* The size of a compressed file shows nothing, so its values are compared. */
static bool ncb_compares_compressed(const struct ncb_run *run) {
    bool compressed = run->variable.deflate_level > 0 || run->variable.zstd_level > 0;
    return compressed && run->variable.quantize_digits == 0;
}

static bool ncb_write_iteration(struct ncb_run *run, int iteration) {
    struct weir_phase phase;
    bool compare = (run->requested.verify && !run->requested.read) || ncb_compares_compressed(run);
    if (!ncb_clear_files(run)) {
        return false;
    }
    ncb_prepare(run, &phase, "write", WEIR_WRITE, iteration, run->base.job->rank);
    phase.sync = run->requested.sync;
    if (!ncb_warm_up(run, &phase) || !ncb_measured(run, &phase)) {
        return false;
    }
    if (run->requested.stonewall_s > 0) { /* who reads their data must stop where the ranks stopped */
        MPI_Allgather(&run->base.measure.operations, 1, MPI_UINT64_T, run->written, 1, MPI_UINT64_T,
                      run->base.job->comm);
    }
    struct weir_result *result = ncb_report(run, &phase, true);
    if (!compare) {
        return true;
    }
    ncb_prepare(run, &phase, "check", WEIR_READ, iteration, (run->base.job->rank + 1) % run->base.job->size);
    phase.verify = true;
    phase.stonewall_s = 0;
    phase.wear_out = false;
    return ncb_measured(run, &phase) && ncb_judge(run, result, "of the blocks after the write");
}

static bool ncb_read_iteration(struct ncb_run *run, int iteration) {
    struct weir_phase phase;
    bool only_compares = !run->requested.read;
    int owner = (run->base.job->rank + 1) % run->base.job->size;
    if (!ncb_clear_caches(run, owner)) {
        return false;
    }
    ncb_prepare(run, &phase, "read", WEIR_READ, iteration, owner);
    phase.verify = run->requested.verify;
    if (!ncb_warm_up(run, &phase) || !ncb_measured(run, &phase)) {
        return false;
    }
    struct weir_result *result = ncb_report(run, &phase, !only_compares);
    return !phase.verify || ncb_judge(run, result, "of the blocks in the read");
}

static bool ncb_iterate(void *own, int iteration) {
    struct ncb_run *run = own;
    const struct ncb_params *a = &run->requested;
    return (!a->write || ncb_write_iteration(run, iteration)) &&
           (!(a->read || !a->write) || ncb_read_iteration(run, iteration));
}

static void ncb_make(const struct weir_payload *payload, unsigned char *memory, uint64_t offset) {
    ncb_values_by_position(payload->maker, offset, memory);
}

static bool ncb_begin(void *own) {
    struct ncb_run *run = own;
    bool compare = run->requested.verify || ncb_compares_compressed(run);
    enum weir_payload_kind kind = run->by_position ? WEIR_PAYLOAD_MADE : WEIR_PAYLOAD_TIMESTAMP;
    bool good = weir_payload_begin(&run->payload, kind, run->variable.block_bytes, compare);
    run->payload.make = ncb_make;
    run->payload.maker = &run->variable;
    if (run->requested.stonewall_s > 0 && run->requested.write) {
        run->written = calloc((size_t)run->base.job->size, sizeof *run->written);
        good = good && run->written != NULL;
    }
    if (!good) {
        weir_problem_set(&run->base.problem, "malloc", run->requested.test_file, ENOMEM, NULL,
                         "%zu bytes for a block", run->variable.block_bytes);
    }
    return weir_run_settle(&run->base);
}

static void ncb_release(void *own) {
    struct ncb_run *run = own;
    weir_payload_end(&run->payload);
    free(run->written);
}

static struct weir_personality netcdf_bench = {
    .name = "netcdf-bench",
    .summary = "blocks of one 4D variable, NetCDF-4 or CDF-5, by benchtool's options",
    .help = ncb_help,
    .frame = {.run_bytes = sizeof(struct ncb_run),
              .options = ncb_options_read,
              .requested = ncb_requested,
              .more = ncb_more,
              .prepare = ncb_begin,
              .begin_table = ncb_table_begin,
              .iterate = ncb_iterate,
              .release = ncb_release},
};

WEIR_PERSONALITY(netcdf_bench)
