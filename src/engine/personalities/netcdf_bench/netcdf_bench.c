/* The order of things in one run of netcdf-bench: for each iteration write, read, compare. */
#include "netcdf_bench.h"

#include "judge.h"
#include "page_cache.h"
#include "personality.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* FILE, or FILE-<rank that wrote it> with one file per process */
static void path_of(struct ncb_run *run, int owner) {
    if (run->file_per_process) {
        snprintf(run->path, sizeof run->path, "%s-%d", run->requested.test_file, owner);
    } else {
        snprintf(run->path, sizeof run->path, "%s", run->requested.test_file);
    }
}

static void prepare(struct ncb_run *run, struct weir_phase *phase, const char *name, enum weir_access access,
                    int iteration, int owner) {
    const struct ncb_params *a = &run->requested;
    const struct ncb_variable *v = &run->variable;
    int size = run->job->size;
    uint64_t file_bytes = v->step_bytes * v->across[0];
    path_of(run, owner);
    *phase = (struct weir_phase){
        .name = name,
        .iteration = iteration,
        .backend = run->format,
        .how = {.path = run->path,
                .access = access,
                .collective = run->collective,
                .comm = run->file_per_process ? MPI_COMM_SELF : run->job->comm,
                .rank = run->job->rank,
                .hints = &run->hints,
                .settings = v,
                .xfer_bytes = v->block_bytes,
                .file_bytes = file_bytes},
        .pattern = ncb_pattern(run, owner),
        .payload = &run->payload,
        .barriers = true,
        .stonewall_s = a->stonewall_s,
        .wear_out = a->wear_out,
        .limit = access == WEIR_READ && run->written != NULL ? run->written[owner] : WEIR_NO_LIMIT,
        .requested_bytes = file_bytes * (run->file_per_process ? (uint64_t)size : 1),
    };
    ncb_values(v, owner, run->payload.buffer);
    if (run->payload.expected != NULL) {
        memcpy(run->payload.expected, run->payload.buffer, run->payload.bytes);
    }
}

/* Sizes prove that bytes are there only where each byte of a block has its own in the file. */
static void expect(struct ncb_run *run, struct weir_phase *phase) {
    const struct ncb_variable *v = &run->variable;
    phase->dense = true;
    for (int i = 0; i < NCB_DIMS; i++) {
        phase->dense = phase->dense && (run->found.chunk[i] == 0 || v->dims[i] % run->found.chunk[i] == 0);
    }
    if (run->found.deflate_level > 0) {
        phase->dense = false;
        run->measure.end_bytes = 0;
    }
}

/* Run a phase and look at what it left; false where any rank failed. */
static bool measured(struct ncb_run *run, struct weir_phase *phase) {
    if (!weir_judge_phase(&run->document, phase, &run->measure)) {
        return false;
    }
    expect(run, phase);
    return weir_judge_stored(&run->document, phase, &run->measure);
}

static struct weir_result *report(struct ncb_run *run, const struct weir_phase *phase, bool print) {
    struct weir_result result;
    struct ncb_times times = ncb_times(run);
    weir_result_gather(run->job, phase, &run->measure, &result);
    struct weir_result *kept = weir_document_add(&run->document, &result);
    if (kept != NULL && print) {
        ncb_table_result(kept, &times);
    }
    return kept;
}

static bool judge(struct ncb_run *run, struct weir_result *result, const char *where) {
    bool right = weir_judge_bytes(&run->document, run->path, &run->measure.verify, result, where);
    if (!right) {
        run->exit_code = WEIR_FAILED;
    }
    if (run->requested.verify && run->job->rank == 0) {
        ncb_table_verdict(right);
    }
    return right;
}

/* A stonewall may end the ranks' writes early: who reads their data must stop where they stopped. */
static void remember_written(struct ncb_run *run) {
    if (run->requested.stonewall_s > 0) {
        MPI_Allgather(&run->measure.operations, 1, MPI_UINT64_T, run->written, 1, MPI_UINT64_T,
                      run->job->comm);
    }
}

/* Before a write the file of the last iteration goes away, untimed. */
static bool clear_files(struct ncb_run *run) {
    struct weir_problem problem = {.rank = run->job->rank};
    path_of(run, run->job->rank);
    if (run->file_per_process || run->job->rank == 0) {
        run->format->remove(run->path, &run->variable, &problem);
    }
    return weir_document_settle(&run->document, &problem);
}

/* Before a read, untimed: each node lets go of what its ranks wrote and are about to read. */
static bool clear_caches(struct ncb_run *run, int owner) {
    struct weir_problem problem = {.rank = run->job->rank};
    if (!run->requested.drop_caches) {
        return true;
    }
    if (run->file_per_process && run->requested.write) {
        path_of(run, run->job->rank);
        weir_page_cache_drop(run->path, &problem);
    }
    if (run->file_per_process || run->job->leaders != MPI_COMM_NULL) {
        path_of(run, owner);
        weir_page_cache_drop(run->path, &problem);
    }
    return weir_document_settle(&run->document, &problem);
}

static bool write_iteration(struct ncb_run *run, int iteration) {
    struct weir_phase phase;
    bool compare = (run->requested.verify && !run->requested.read) || run->variable.deflate_level > 0;
    if (!clear_files(run)) {
        return false;
    }
    prepare(run, &phase, "write", WEIR_WRITE, iteration, run->job->rank);
    phase.sync = run->requested.sync;
    if (!measured(run, &phase)) {
        return false;
    }
    remember_written(run);
    struct weir_result *result = report(run, &phase, true);
    if (!compare) {
        return true;
    }
    prepare(run, &phase, "check", WEIR_READ, iteration, (run->job->rank + 1) % run->job->size);
    phase.verify = true;
    phase.stonewall_s = 0;
    phase.wear_out = false;
    return measured(run, &phase) && judge(run, result, "of the blocks after the write");
}

static bool read_iteration(struct ncb_run *run, int iteration) {
    struct weir_phase phase;
    bool only_compares = !run->requested.read;
    int owner = (run->job->rank + 1) % run->job->size;
    if (!clear_caches(run, owner)) {
        return false;
    }
    prepare(run, &phase, "read", WEIR_READ, iteration, owner);
    phase.verify = run->requested.verify;
    if (!measured(run, &phase)) {
        return false;
    }
    struct weir_result *result = report(run, &phase, !only_compares);
    return !phase.verify || judge(run, result, "of the blocks in the read");
}

static void iterate(struct ncb_run *run) {
    const struct ncb_params *a = &run->requested;
    for (int i = 0; i < (int)a->iterations; i++) {
        bool well =
            (!a->write || write_iteration(run, i)) && (!(a->read || !a->write) || read_iteration(run, i));
        if (!well) {
            run->exit_code = WEIR_FAILED;
            return;
        }
    }
}

static bool has_memory(struct ncb_run *run) {
    struct weir_problem problem = {.rank = run->job->rank};
    bool compare = run->requested.verify || run->variable.deflate_level > 0;
    bool good = weir_payload_begin(&run->payload, WEIR_PAYLOAD_TIMESTAMP, run->variable.block_bytes, compare);
    if (run->requested.stonewall_s > 0 && run->requested.write) {
        run->written = calloc((size_t)run->job->size, sizeof *run->written);
        good = good && run->written != NULL;
    }
    if (!good) {
        weir_problem_set(&problem, "malloc", run->requested.test_file, ENOMEM, NULL, "%zu bytes for a block",
                         run->variable.block_bytes);
    }
    return weir_document_settle(&run->document, &problem);
}

static int run_job(struct ncb_run *run) {
    run->document = (struct weir_document){.job = run->job,
                                           .personality = "netcdf-bench",
                                           .file_name = run->requested.document,
                                           .requested = ncb_requested,
                                           .more = ncb_more,
                                           .context = run};
    if (!weir_document_begin(&run->document)) {
        return WEIR_WRONG_USE;
    }
    if (run->format->begin != NULL) {
        run->format->begin();
    }
    if (has_memory(run)) {
        if (run->job->rank == 0) {
            ncb_table_begin(run);
        }
        iterate(run);
    } else {
        run->exit_code = WEIR_FAILED;
    }
    return weir_document_end(&run->document, run->exit_code);
}

static int ncb_run(struct weir_job *job, int argc, char **argv) {
    char complaint[512] = "no memory";
    struct ncb_run *run = calloc(1, sizeof *run);
    int code = WEIR_WRONG_USE;
    bool good = false;
    if (run != NULL) {
        run->job = job;
        good = ncb_options_read(run, argc, argv, complaint, sizeof complaint);
    }
    if (good) {
        code = run_job(run);
    } else if (job->rank == 0) {
        fprintf(stderr, "weir-io: netcdf-bench: %s\n", complaint);
    }
    if (run != NULL) {
        weir_payload_end(&run->payload);
        weir_hints_free(&run->measure.observed.hints);
        weir_hints_free(&run->hints);
        free(run->words);
        free(run->written);
        free(run);
    }
    return code;
}

static struct weir_personality netcdf_bench = {
    .name = "netcdf-bench",
    .summary = "blocks of one 4D variable, NetCDF-4 or CDF-5, by benchtool's options",
    .help = ncb_help,
    .run = ncb_run,
};

WEIR_PERSONALITY(netcdf_bench)
