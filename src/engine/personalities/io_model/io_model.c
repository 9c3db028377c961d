/* The order of things in one run of io-model: for each iteration prepare, write, check, read. */
#include "io_model.h"

#include "judge.h"
#include "personality.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static void iom_path_of(struct iom_run *run, enum weir_access access) {
    if (run->cache == IOM_DISCARDED) {
        snprintf(run->path, sizeof run->path, "%s", access == WEIR_WRITE ? "/dev/null" : "/dev/zero");
    } else {
        snprintf(run->path, sizeof run->path, "%s-%d", run->requested.test_file, run->base.job->rank);
    }
}

static struct weir_phase iom_phase_of(struct iom_run *run, const char *name, enum weir_access access,
                                      int iteration) {
    const struct iom_params *a = &run->requested;
    struct weir_phase phase = weir_run_phase(&run->base, name, iteration, run->path, access, MPI_COMM_SELF);
    phase.how.direct = a->direct;
    phase.how.geometry.xfer_bytes = (size_t)a->xfer_bytes;
    phase.how.geometry.file_bytes = (uint64_t)a->file_bytes;
    phase.requested_bytes = (uint64_t)(a->operations * a->xfer_bytes) * (uint64_t)run->base.job->size;
    phase.sync = access == WEIR_WRITE && a->sync;
    phase.verify = a->verify;
    phase.dense = run->in_file.order == IOM_SEQ;
    phase.transfers = iom_transfers;
    phase.own = run;
    return phase;
}

/* The file as it has to be when the access begins. */
static bool iom_prepare(struct iom_run *run, enum weir_access how, int iteration) {
    const struct iom_params *a = &run->requested;
    int64_t resident_bytes = -1;
    bool write = how == WEIR_WRITE;
    iom_path_of(run, how);
    int status = 0;
    if (write && a->truncate) {
        status = run->base.backend->remove(run->path, run->base.settings, &run->base.problem);
    }
    bool fill = a->prefill && (write ? a->truncate || iteration == 0 : !a->write && iteration == 0);
    if (status == 0 && fill) {
        status = iom_file_walk(run, WEIR_WRITE);
    }
    if (status == 0 && !write) {
        status = iom_file_must_be_whole(run);
    }
    if (status == 0) {
        resident_bytes = iom_cache_prepare(run, !write || access(run->path, F_OK) == 0);
    }
    int64_t least = 0, sum = 0;
    MPI_Allreduce(&resident_bytes, &least, 1, MPI_INT64_T, MPI_MIN, run->base.job->comm);
    MPI_Allreduce(&resident_bytes, &sum, 1, MPI_INT64_T, MPI_SUM, run->base.job->comm);
    run->resident_bytes[2 * iteration + !write] = least < 0 ? -1 : sum;
    iom_operations_plan(run, iteration, write);
    iom_bytes(run, 0, run->buffer, (size_t)a->memory_bytes);
    return weir_run_settle(&run->base);
}

/* Run a phase and look at what it left; false where any rank failed. */
static bool iom_measured(struct iom_run *run, struct weir_phase *phase) {
    return weir_judge_phase(&run->base.document, phase, &run->base.measure) &&
           (run->cache == IOM_DISCARDED || weir_judge_stored(&run->base.document, phase, &run->base.measure));
}

static bool iom_told(struct iom_run *run, const struct weir_phase *phase, struct weir_result **kept) {
    struct weir_result result;
    iom_times_write(run, phase->name, phase->iteration);
    weir_result_gather(run->base.job, phase, &run->base.measure, &result);
    *kept = weir_document_add(&run->base.document, &result);
    if (*kept != NULL) {
        iom_table_row(*kept);
    }
    return weir_run_settle(&run->base);
}

static bool iom_access_once(struct iom_run *run, enum weir_access access, int iteration) {
    bool write = access == WEIR_WRITE;
    if (!iom_prepare(run, access, iteration)) {
        return false;
    }
    struct weir_phase phase = iom_phase_of(run, write ? "write" : "read", access, iteration);
    if (!weir_warm_up(&run->base, &phase)) {
        return false;
    }
    if (!iom_counters_start(run, phase.name, iteration)) {
        weir_problem_set(&run->base.problem, "pthread_create", run->path, EAGAIN, NULL, "to sample counters");
    }
    bool well = weir_run_settle(&run->base) && iom_measured(run, &phase);
    iom_counters_stop(run);
    struct weir_result *result = NULL;
    if (!well || !iom_told(run, &phase, &result)) {
        return false;
    }
    if (!run->requested.verify) {
        return true;
    }
    if (write) {
        phase = iom_phase_of(run, "check", WEIR_READ, iteration);
        if (!iom_measured(run, &phase)) {
            return false;
        }
    }
    return weir_judge_bytes(&run->base.document, run->path, &run->base.measure.verify, result,
                            write ? "after the write" : "in the read");
}

static bool iom_iterate(void *own, int iteration) {
    struct iom_run *run = own;
    bool well = !run->requested.write || iom_access_once(run, WEIR_WRITE, iteration);
    return well && (!run->requested.read || iom_access_once(run, WEIR_READ, iteration));
}

static bool iom_finish(void *own, bool well) {
    struct iom_run *run = own;
    (void)well;
    iom_counters_write(run);
    return weir_run_settle(&run->base);
}

static bool iom_begin(void *own) {
    struct iom_run *run = own;
    const struct iom_params *a = &run->requested;
    weir_job_time_unless_set(run->base.job, &run->requested.seed, -1);
    run->buffer = weir_pages((size_t)a->memory_bytes);
    run->expected = a->verify ? weir_pages((size_t)a->xfer_bytes) : NULL;
    run->operations = calloc((size_t)a->operations, sizeof *run->operations);
    run->resident_bytes = calloc((size_t)a->iterations * 2, sizeof *run->resident_bytes);
    if (run->buffer == NULL || run->operations == NULL || run->resident_bytes == NULL ||
        (a->verify && run->expected == NULL)) {
        weir_problem_set(&run->base.problem, "malloc", a->test_file, ENOMEM, NULL,
                         "%lld bytes to walk through and %lld operations to keep", (long long)a->memory_bytes,
                         (long long)a->operations);
    }
    return weir_run_settle(&run->base);
}

static void iom_release(void *own) {
    struct iom_run *run = own;
    iom_counters_free(run);
    free(run->buffer);
    free(run->expected);
    free(run->operations);
    free(run->resident_bytes);
}

static struct weir_personality io_model = {
    .name = "io-model",
    .summary = "single operations timed one by one, in any order through file and memory",
    .help = iom_help,
    .frame = {.run_bytes = sizeof(struct iom_run),
              .options = iom_options_read,
              .requested = iom_requested,
              .more = iom_more,
              .prepare = iom_begin,
              .begin_table = iom_table_begin,
              .iterate = iom_iterate,
              .finish = iom_finish,
              .release = iom_release},
};

WEIR_PERSONALITY(io_model)
