/* The order of things in one run of IOR: for each iteration write, check, read, remove. */
#include "ior.h"

#include "judge.h"
#include "personality.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* What is the same in every phase of the run. */
static bool prepare(struct ior_run *run, struct weir_phase *phase, const char *name, enum weir_access access,
                    int iteration) {
    const struct ior_params *a = &run->requested;
    uint64_t rank_bytes = (uint64_t)(a->block_bytes * a->segments);
    ior_path(run);
    *phase = (struct weir_phase){
        .name = name,
        .iteration = iteration,
        .backend = run->backend,
        .how = {.path = run->path,
                .access = access,
                .collective = a->collective,
                .direct = a->direct,
                .comm = a->file_per_process ? MPI_COMM_SELF : run->job->comm,
                .rank = run->job->rank,
                .hints = &run->hints,
                .settings = run->settings,
                .xfer_bytes = (size_t)a->xfer_bytes,
                .block_bytes = (uint64_t)a->block_bytes,
                .segments = (uint64_t)a->segments,
                .random = a->random != 0,
                .walled = a->stonewall_s > 0,
                .file_bytes = rank_bytes * (a->file_per_process ? 1 : (uint64_t)run->job->size)},
        .payload = &run->payload,
        .barriers = a->barriers,
        .stonewall_s = a->stonewall_s,
        .wear_out = a->wear_out,
        .limit = WEIR_NO_LIMIT,
        .requested_bytes = rank_bytes * (uint64_t)run->job->size,
    };
    if (access == WEIR_READ && run->written != NULL) {
        phase->limit = run->written[ior_owner(run)];
    } else if (access == WEIR_READ && run->status > 0) {
        phase->limit = run->status;
        uint64_t known_bytes = run->status * (uint64_t)a->xfer_bytes;
        phase->requested_bytes =
            (known_bytes < rank_bytes ? known_bytes : rank_bytes) * (uint64_t)run->job->size;
    }
    return ior_pattern(run, &phase->pattern);
}

static bool fail_without_memory(struct ior_run *run, bool good) {
    struct weir_problem problem = {0};
    if (!good) {
        weir_problem_set(&problem, "malloc", run->requested.test_file, ENOMEM, NULL,
                         "preparing the transfers");
    }
    problem.rank = run->job->rank;
    return weir_document_settle(&run->document, &problem);
}

/* Run a phase and look at what it left; false where any rank failed. */
static bool measured(struct ior_run *run, struct weir_phase *phase) {
    return weir_judge_phase(&run->document, phase, &run->measure) &&
           weir_judge_stored(&run->document, phase, &run->measure);
}

static struct weir_result *report(struct ior_run *run, const struct weir_phase *phase) {
    struct weir_result result;
    weir_result_gather(run->job, phase, &run->measure, &result);
    return weir_document_add(&run->document, &result);
}

static void judge(struct ior_run *run, struct weir_result *result, const char *when) {
    if (weir_judge_bytes(&run->document, run->path, &run->measure.verify, result, when)) {
        return;
    }
    run->exit_code = WEIR_FAILED;
    if (result != NULL) {
        printf("WARNING: Incorrect data on %s (%llu errors found).\n", result->access,
               (unsigned long long)result->verify.errors);
    }
}

static bool clear_and_rest(struct ior_run *run) {
    struct weir_problem problem = {.rank = run->job->rank};
    if (run->made_file || !run->requested.existing) {
        ior_remove(run, &problem);
    }
    ior_make_directory(run, &problem);
    run->made_file = true;
    if (run->job->rank == 0 && run->requested.delay_s > 0) {
        sleep((unsigned)run->requested.delay_s);
    }
    return weir_document_settle(&run->document, &problem);
}

static bool write_iteration(struct ior_run *run, int iteration) {
    struct weir_phase phase;
    if (!run->requested.write) {
        return true;
    }
    run->shift = 0;
    if (!clear_and_rest(run) ||
        !fail_without_memory(run, prepare(run, &phase, "write", WEIR_WRITE, iteration))) {
        return false;
    }
    phase.sync = run->requested.sync;
    phase.dense = true;
    if (!measured(run, &phase)) {
        return false;
    }
    ior_written_remember(run);
    if (!ior_written_tell(run)) {
        return false;
    }
    struct weir_result *result = report(run, &phase);
    if (result != NULL) {
        ior_table_row(run, result);
    }
    if (!run->requested.verify_write) {
        return true;
    }
    run->shift = ior_shift_to_check(run);
    weir_payload_fill(&run->payload, run->payload.signature, (uint32_t)ior_owner(run));
    if (!fail_without_memory(run, prepare(run, &phase, "check", WEIR_READ, iteration))) {
        return false;
    }
    phase.verify = true;
    phase.stonewall_s = 0;
    phase.wear_out = false;
    if (!measured(run, &phase)) {
        return false;
    }
    judge(run, result, "after the write");
    return true;
}

static bool empty_caches(struct ior_run *run) {
    struct weir_problem problem = {.rank = run->job->rank};
    if (!run->requested.drop_caches) {
        return true;
    }
    ior_drop_caches(run, &problem);
    return weir_document_settle(&run->document, &problem);
}

static bool read_iteration(struct ior_run *run, int iteration) {
    struct weir_phase phase;
    if (!run->requested.read && !run->requested.verify_read) {
        return true;
    }
    run->shift = ior_shift_to_read(run, iteration);
    weir_payload_fill(&run->payload, run->payload.signature, (uint32_t)ior_owner(run));
    if (!fail_without_memory(run, prepare(run, &phase, "read", WEIR_READ, iteration))) {
        return false;
    }
    phase.verify = run->requested.verify_read;
    if (!empty_caches(run)) {
        return false;
    }
    if (run->job->rank == 0 && run->requested.delay_s > 0) {
        sleep((unsigned)run->requested.delay_s);
    }
    if (!measured(run, &phase)) {
        return false;
    }
    struct weir_result *result = report(run, &phase);
    if (phase.verify) {
        judge(run, result, "in the read");
    }
    if (result != NULL) {
        ior_table_row(run, result);
    }
    return true;
}

static void remove_made(struct ior_run *run, bool well) {
    struct weir_problem problem = {.rank = run->job->rank};
    MPI_Barrier(run->job->comm);
    if (run->requested.keep || !run->made_file) {
        return;
    }
    ior_remove(run, &problem);
    run->made_file = false;
    if (!well) {
        return; /* the failure before it has been told */
    }
    if (!weir_document_settle(&run->document, &problem)) {
        run->exit_code = WEIR_FAILED;
    }
}

static void iterate(struct ior_run *run) {
    for (int i = 0; i < (int)run->requested.iterations && run->exit_code != WEIR_WRONG_USE; i++) {
        uint32_t signature = (uint32_t)run->requested.signature;
        if (signature == 0) {
            signature = (uint32_t)time(NULL);
            MPI_Bcast(&signature, 1, MPI_UINT32_T, 0, run->job->comm);
        }
        weir_payload_fill(&run->payload, signature, (uint32_t)run->job->rank);
        bool well = write_iteration(run, i) && read_iteration(run, i);
        remove_made(run, well);
        if (!well) {
            run->exit_code = WEIR_FAILED;
            return;
        }
    }
}

static void free_run(struct ior_run *run) {
    weir_payload_end(&run->payload);
    weir_hints_free(&run->measure.observed.hints);
    weir_hints_free(&run->hints);
    free(run->settings);
    free(run->words);
    free(run->table);
    free(run->written);
    free(run);
}

/* On the ranks that take part. */
static int run_job(struct ior_run *run) {
    if (run->requested.random && run->requested.random_seed == -1) {
        run->requested.random_seed = (int64_t)time(NULL);
        MPI_Bcast(&run->requested.random_seed, 1, MPI_INT64_T, 0, run->job->comm);
    }
    run->document = (struct weir_document){.job = run->job,
                                           .personality = "ior",
                                           .file_name = run->requested.summary_file,
                                           .requested = ior_requested,
                                           .context = run};
    if (!weir_document_begin(&run->document)) {
        return WEIR_WRONG_USE;
    }
    ior_path(run);
    if (run->backend->begin != NULL) {
        run->backend->begin();
    }
    bool verify = run->requested.verify_read || run->requested.verify_write;
    bool memory = weir_payload_begin(&run->payload, run->packet, (size_t)run->requested.xfer_bytes, verify);
    if (fail_without_memory(run, memory) && ior_written_learn(run)) {
        if (run->job->rank == 0) {
            ior_table_begin(run);
        }
        iterate(run);
        if (run->job->rank == 0 && run->document.result_count > 0) {
            ior_table_end(run);
        }
    } else {
        run->exit_code = WEIR_FAILED;
    }
    return weir_document_end(&run->document, run->exit_code);
}

static int ior_run(struct weir_job *all, int argc, char **argv) {
    char complaint[512] = "";
    struct ior_run *run = calloc(1, sizeof *run);
    struct weir_job part;
    int code = WEIR_WRONG_USE;
    if (run == NULL || !ior_options_read(run, argc, argv, all->size, complaint, sizeof complaint)) {
        if (all->rank == 0) {
            fprintf(stderr, "weir-io: ior: %s\n", run != NULL ? complaint : "no memory");
        }
        if (run != NULL) {
            free_run(run);
        }
        return code;
    }
    bool fewer = run->requested.tasks > 0 && run->requested.tasks < all->size;
    run->job = all;
    if (fewer) {
        weir_job_first_ranks(all, (int)run->requested.tasks, &part);
        run->job = &part;
    }
    if (run->job->comm != MPI_COMM_NULL) {
        code = run_job(run);
    }
    if (fewer) {
        weir_job_wait_idle(all->comm);
        if (part.comm != MPI_COMM_NULL) {
            weir_job_end(&part);
        }
        MPI_Bcast(&code, 1, MPI_INT, 0, all->comm);
    }
    free_run(run);
    return code;
}

static struct weir_personality ior = {
    .name = "ior",
    .summary = "bandwidth and latency of one file or one for each rank, by IOR's options",
    .help = ior_help,
    .run = ior_run,
};

WEIR_PERSONALITY(ior)
