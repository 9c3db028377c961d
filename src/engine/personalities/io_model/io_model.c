/* The order of things in one run of io-model: for each iteration prepare, write, check, read. */
#include "io_model.h"

#include "judge.h"
#include "personality.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void path_of(struct iom_run *run, enum weir_access access) {
    if (run->cache == IOM_DISCARDED) {
        snprintf(run->path, sizeof run->path, "%s", access == WEIR_WRITE ? "/dev/null" : "/dev/zero");
    } else {
        snprintf(run->path, sizeof run->path, "%s-%d", run->requested.test_file, run->job->rank);
    }
}

static struct weir_phase phase_of(struct iom_run *run, const char *name, enum weir_access access,
                                  int iteration) {
    const struct iom_params *a = &run->requested;
    return (struct weir_phase){
        .name = name,
        .iteration = iteration,
        .backend = run->backend,
        .how = {.path = run->path,
                .access = access,
                .direct = a->direct,
                .comm = MPI_COMM_SELF,
                .rank = run->job->rank,
                .hints = &run->hints,
                .settings = run->settings,
                .xfer_bytes = (size_t)a->xfer_bytes,
                .file_bytes = (uint64_t)a->file_bytes},
        .barriers = true,
        .limit = WEIR_NO_LIMIT,
        .requested_bytes = (uint64_t)(a->operations * a->xfer_bytes) * (uint64_t)run->job->size,
        .sync = access == WEIR_WRITE && a->sync,
        .verify = a->verify,
        .dense = run->in_file.order == IOM_SEQ,
        .transfers = iom_transfers,
        .own = run,
    };
}

/* The file as it has to be when the access begins. */
static bool prepare(struct iom_run *run, enum weir_access how, int iteration) {
    const struct iom_params *a = &run->requested;
    struct weir_problem problem = {.rank = run->job->rank};
    int64_t resident_bytes = -1;
    bool write = how == WEIR_WRITE;
    path_of(run, how);
    int status = 0;
    if (write && a->truncate) {
        status = run->backend->remove(run->path, run->settings, &problem);
    }
    bool fill = a->prefill && (write ? a->truncate || iteration == 0 : !a->write && iteration == 0);
    if (status == 0 && fill) {
        status = iom_file_write_whole(run, &problem);
    }
    if (status == 0 && !write) {
        status = iom_file_must_be_whole(run, &problem);
    }
    if (status == 0) {
        iom_cache_prepare(run, !write || access(run->path, F_OK) == 0, &resident_bytes, &problem);
    }
    int64_t least = 0, sum = 0;
    MPI_Allreduce(&resident_bytes, &least, 1, MPI_INT64_T, MPI_MIN, run->job->comm);
    MPI_Allreduce(&resident_bytes, &sum, 1, MPI_INT64_T, MPI_SUM, run->job->comm);
    run->resident_bytes[2 * iteration + !write] = least < 0 ? -1 : sum;
    iom_operations_plan(run, iteration, write);
    iom_bytes(run, 0, run->buffer, (size_t)a->memory_bytes);
    return weir_document_settle(&run->document, &problem);
}

/* Run a phase and look at what it left; false where any rank failed. */
static bool measured(struct iom_run *run, struct weir_phase *phase) {
    return weir_judge_phase(&run->document, phase, &run->measure) &&
           (run->cache == IOM_DISCARDED || weir_judge_stored(&run->document, phase, &run->measure));
}

static bool told(struct iom_run *run, const struct weir_phase *phase, struct weir_result **kept) {
    struct weir_problem problem = {.rank = run->job->rank};
    struct weir_result result;
    iom_times_write(run, phase->name, phase->iteration, &problem);
    weir_result_gather(run->job, phase, &run->measure, &result);
    *kept = weir_document_add(&run->document, &result);
    if (*kept != NULL) {
        iom_table_row(*kept);
    }
    return weir_document_settle(&run->document, &problem);
}

static bool access_once(struct iom_run *run, enum weir_access access, int iteration) {
    bool write = access == WEIR_WRITE;
    struct weir_problem problem = {.rank = run->job->rank};
    if (!prepare(run, access, iteration)) {
        return false;
    }
    struct weir_phase phase = phase_of(run, write ? "write" : "read", access, iteration);
    if (!iom_counters_start(run, phase.name, iteration)) {
        weir_problem_set(&problem, "pthread_create", run->path, EAGAIN, NULL, "to sample counters");
    }
    bool well = weir_document_settle(&run->document, &problem) && measured(run, &phase);
    iom_counters_stop(run);
    struct weir_result *result = NULL;
    if (!well || !told(run, &phase, &result)) {
        return false;
    }
    if (!run->requested.verify) {
        return true;
    }
    if (write) {
        phase = phase_of(run, "check", WEIR_READ, iteration);
        if (!measured(run, &phase)) {
            return false;
        }
    }
    return weir_judge_bytes(&run->document, run->path, &run->measure.verify, result,
                            write ? "after the write" : "in the read");
}

static void iterate(struct iom_run *run) {
    struct weir_problem problem = {.rank = run->job->rank};
    bool well = true;
    for (int i = 0; well && i < (int)run->requested.iterations; i++) {
        well = !run->requested.write || access_once(run, WEIR_WRITE, i);
        well = well && (!run->requested.read || access_once(run, WEIR_READ, i));
    }
    iom_counters_write(run, &problem);
    if (!weir_document_settle(&run->document, &problem) || !well) {
        run->exit_code = WEIR_FAILED;
    }
}

static bool has_memory(struct iom_run *run) {
    const struct iom_params *a = &run->requested;
    struct weir_problem problem = {.rank = run->job->rank};
    run->buffer = weir_pages((size_t)a->memory_bytes);
    run->expected = a->verify ? weir_pages((size_t)a->xfer_bytes) : NULL;
    run->operations = calloc((size_t)a->operations, sizeof *run->operations);
    run->resident_bytes = calloc((size_t)a->iterations * 2, sizeof *run->resident_bytes);
    if (run->buffer == NULL || run->operations == NULL || run->resident_bytes == NULL ||
        (a->verify && run->expected == NULL)) {
        weir_problem_set(&problem, "malloc", a->test_file, ENOMEM, NULL,
                         "%lld bytes to walk through and %lld operations to keep", (long long)a->memory_bytes,
                         (long long)a->operations);
    }
    return weir_document_settle(&run->document, &problem);
}

static int run_job(struct iom_run *run) {
    run->document = (struct weir_document){.job = run->job,
                                           .personality = "io-model",
                                           .file_name = run->requested.document,
                                           .requested = iom_requested,
                                           .more = iom_more,
                                           .context = run};
    if (run->requested.seed == -1) {
        run->requested.seed = (uint32_t)time(NULL);
        MPI_Bcast(&run->requested.seed, 1, MPI_INT64_T, 0, run->job->comm);
    }
    if (!weir_document_begin(&run->document)) {
        return WEIR_WRONG_USE;
    }
    if (run->backend->begin != NULL) {
        run->backend->begin();
    }
    if (has_memory(run)) {
        if (run->job->rank == 0) {
            iom_table_begin(run);
        }
        iterate(run);
    } else {
        run->exit_code = WEIR_FAILED;
    }
    return weir_document_end(&run->document, run->exit_code);
}

static int iom_run(struct weir_job *job, int argc, char **argv) {
    char complaint[512] = "no memory";
    struct iom_run *run = calloc(1, sizeof *run);
    int code = WEIR_WRONG_USE;
    if (run != NULL) {
        run->job = job;
    }
    if (run != NULL && iom_options_read(run, argc, argv, complaint, sizeof complaint)) {
        code = run_job(run);
    } else if (job->rank == 0) {
        fprintf(stderr, "weir-io: io-model: %s\n", complaint);
    }
    if (run != NULL) {
        iom_counters_free(run);
        weir_hints_free(&run->measure.observed.hints);
        weir_hints_free(&run->hints);
        free(run->buffer);
        free(run->expected);
        free(run->operations);
        free(run->resident_bytes);
        free(run->settings);
        free(run->words);
        free(run);
    }
    return code;
}

static struct weir_personality io_model = {
    .name = "io-model",
    .summary = "single operations timed one by one, in any order through file and memory",
    .help = iom_help,
    .run = iom_run,
};

WEIR_PERSONALITY(io_model)
