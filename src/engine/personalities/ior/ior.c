/* The order of things in one run of IOR: for each iteration write, check, read, remove. */
#include "ior.h"

#include "clock.h"
#include "ior_script.h"
#include "personality.h"
#include "shared_text.h"

#include <stdlib.h>
#include <time.h>

static struct weir_personality ior;

/* Rank 0 tells with -v -v, and with one more. */
static void ior_tell(const struct ior_run *run, int verbosity, const char *phase) {
    if (run->base.job->rank == 0 && run->requested.verbose >= verbosity) {
        ior_table_tell(run, phase);
    }
}

static bool ior_write_iteration(struct ior_run *run, int iteration) {
    struct weir_phase phase;
    if (!run->requested.write || ior_time_is_up(run)) {
        return true;
    }
    run->shift = 0;
    if (!ior_clear_and_rest(run) ||
        !ior_has_memory(run, ior_phase(run, &phase, "write", WEIR_WRITE, iteration))) {
        return false;
    }
    phase.sync = run->requested.sync;
    phase.dense = run->requested.zipf <= 0 && run->requested.random <= 1;
    ior_tell(run, 3, "write");
    bool laid_out = run->requested.prefill_bytes > 0 || run->requested.random > 1;
    if (!weir_warm_up(&run->base, &phase) ||
        (laid_out && !ior_lay_out(run, iteration, run->requested.prefill_bytes)) ||
        !ior_measured(run, &phase)) {
        return false;
    }
    ior_written_remember(run);
    if (!ior_written_tell(run)) {
        return false;
    }
    struct weir_result *result = ior_add_result(run, &phase, &run->base.measure);
    ior_show(run, result);
    if (!run->requested.verify_write || ior_time_is_up(run)) {
        return true;
    }
    run->shift = ior_shift_to_check(run);
    weir_payload_fill(&run->payload, run->payload.signature, (uint32_t)ior_owner(run));
    if (!ior_has_memory(run, ior_phase(run, &phase, "check", WEIR_READ, iteration))) {
        return false;
    }
    phase.verify = true;
    phase.pace = (struct weir_pace){0};
    phase.trace = NULL;
    phase.stonewall_s = 0;
    phase.wear_out = false;
    if (!ior_measured(run, &phase)) {
        return false;
    }
    ior_judge(run, &run->base.measure.verify, result, "after the write");
    return true;
}

static bool ior_read_iteration(struct ior_run *run, int iteration) {
    struct weir_phase phase;
    if ((!run->requested.read && !run->requested.verify_read) || ior_time_is_up(run)) {
        return true;
    }
    run->shift = ior_shift_to_read(run, iteration);
    if (!ior_find_file_bytes(run)) {
        return false;
    }
    weir_payload_fill(&run->payload, run->payload.signature, (uint32_t)ior_owner(run));
    if (!ior_has_memory(run, ior_phase(run, &phase, "read", WEIR_READ, iteration))) {
        return false;
    }
    phase.verify = run->requested.verify_read;
    if (run->requested.read_again) {
        phase.forget = ior_drop_caches;
        phase.forgetful = run;
    }
    if (!weir_warm_up(&run->base, &phase) || !ior_empty_caches(run)) {
        return false;
    }
    ior_rest(run);
    ior_tell(run, 3, "read");
    if (!ior_measured(run, &phase)) {
        return false;
    }
    struct weir_result *result = ior_add_result(run, &phase, &run->base.measure);
    if (phase.verify) {
        ior_judge(run, &run->base.measure.verify, result, "in the read");
    }
    ior_show(run, result);
    return true;
}

static void ior_remove_made(struct ior_run *run, bool well) {
    MPI_Barrier(run->base.job->comm);
    if (run->requested.keep || !run->made_file || (run->differs && run->requested.keep_with_error)) {
        return;
    }
    uint64_t began_ns = weir_clock_ns();
    ior_remove(run);
    run->made_file = false;
    if (well && run->requested.verbose > 0) {
        MPI_Barrier(run->base.job->comm);
        if (run->base.job->rank == 0) {
            ior_table_removed(run, (double)(weir_clock_ns() - began_ns) * 1e-9);
        }
    }
    weir_run_settle_removal(&run->base, well);
}

static bool ior_iterate(void *own, int iteration) {
    struct ior_run *run = own;
    uint32_t signature = (uint32_t)run->requested.signature;
    if (run->requested.dry_run) {
        return true;
    }
    if (signature == 0) {
        /* Two iterations of one second differ as well, or a read of the first one's data were not found. */
        signature = (uint32_t)time(NULL) + (uint32_t)iteration;
        MPI_Bcast(&signature, 1, MPI_UINT32_T, 0, run->base.job->comm);
    }
    weir_payload_fill(&run->payload, signature, (uint32_t)run->base.job->rank);
    run->iteration = iteration;
    run->differs = false;
    ior_tell(run, 2, NULL);
    bool mixed = run->requested.read_percent > 0 && !ior_time_is_up(run);
    bool well = mixed ? ior_mixed_iteration(run, iteration)
                      : ior_write_iteration(run, iteration) && ior_read_iteration(run, iteration);
    ior_remove_made(run, well);
    return well;
}

static bool ior_prepare(void *own) {
    struct ior_run *run = own;
    const struct ior_params *a = &run->requested;
    bool draws = a->random || a->zipf > 0 || a->read_percent > 0;
    if (draws) {
        weir_job_time_unless_set(run->base.job, &run->requested.random_seed, -1);
    }
    ior_path(run);
    run->began_ns = weir_clock_ns();
    bool verify = run->requested.verify_read || run->requested.verify_write;
    bool memory = weir_payload_begin(&run->payload, run->packet, (size_t)run->requested.xfer_bytes, verify);
    run->payload.control = run->requested.control;
    if (a->file_view) {
        run->view_buffer = weir_pages((size_t)a->block_bytes);
        memory = memory && run->view_buffer != NULL;
    }
    memory = ior_memory_hold(run) && memory;
    weir_trace_begin(&run->trace, run->base.common.trace_file, run->base.job->rank,
                     run->base.common.trace_records, &run->base.problem);
    return ior_has_memory(run, memory) && weir_run_settle(&run->base) && ior_written_learn(run);
}

static bool ior_finish(void *own, bool well) {
    struct ior_run *run = own;
    (void)well;
    if (run->base.job->rank == 0) {
        ior_table_end(run);
    }
    weir_trace_end(&run->trace, &run->base.problem);
    return weir_run_settle(&run->base);
}

static void ior_release(void *own) {
    struct ior_run *run = own;
    weir_payload_end(&run->payload);
    ior_view_end(run);
    free(run->view_buffer);
    free(run->hog);
    free(run->trace.records);
    free(run->table);
    free(run->written);
}

/* IOR aborts where the storage fails; after wrong data its code is twice the number of wrong transfers, which
 * a launcher cuts to 8 bits: that of one of them cannot become the code of success. */
static int ior_failure_of_original(struct weir_run *const *runs, int count) {
    bool differs = false, aborts = false;
    for (int i = 0; i < count; i++) {
        differs = differs || ((const struct ior_run *)runs[i])->ever_differed;
        aborts = aborts || runs[i]->ended_early;
    }
    return differs && !aborts ? 2 : WEIR_ABORTED;
}

/* Measures the tests of a launch and prints what is of all of them. */
static int ior_measure(struct weir_job *job, struct ior_report *report, struct weir_run **runs, int count) {
    int code = WEIR_WRONG_USE;
    report->unreadable = !ior_report_open(report, (const struct ior_run *)runs[count - 1]);
    if (report->unreadable) {
        return code;
    }
    report->measured = true;
    code = weir_runs_measure(job, runs, count);
    if (job->rank == 0 && !ior_report_close(report) && code == WEIR_FINE) {
        code = WEIR_FAILED;
    }
    return job->original && code == WEIR_FAILED ? ior_failure_of_original(runs, count) : code;
}

static int ior_measure_script(struct weir_job *job, struct ior_report *report, const char *name,
                              const struct weir_arguments *line) {
    char complaint[WEIR_COMPLAINT] = "";
    struct ior_script script = {0};
    struct weir_run **runs = NULL;
    int code = WEIR_WRONG_USE;
    char *text = weir_shared_text(job, "ior", name);
    if (text == NULL) {
        return code;
    }
    bool good = ior_script_read(&script, text, line, complaint);
    if (!good && job->rank == 0) {
        fprintf(stderr, "weir-io: ior: %s\n", complaint);
    }
    if (weir_job_agree(job, good)) {
        report->in_script = true;
        report->script_tests = script.count;
        runs = weir_runs_read(&ior, job, script.tests, script.count, report);
        code = runs != NULL ? ior_measure(job, report, runs, script.count) : code;
        weir_runs_release(runs, script.count);
    }
    ior_script_free(&script);
    return code;
}

static int ior_main(struct weir_job *job, int argc, char **argv) {
    struct ior_report report = {0};
    struct weir_arguments line = {argc, argv};
    int code = WEIR_WRONG_USE;
    struct weir_run **runs = weir_runs_read(&ior, job, &line, 1, &report);
    if (runs != NULL) {
        const char *script = ((const struct ior_run *)runs[0])->requested.script;
        code = script != NULL ? ior_measure_script(job, &report, script, &line)
                              : ior_measure(job, &report, runs, 1);
    }
    weir_runs_release(runs, 1);
    if (job->original && !report.measured) {
        code = report.unreadable ? WEIR_FAILED : WEIR_ABORTED;
    }
    return code;
}

static struct weir_personality ior = {
    .name = "ior",
    .summary = "bandwidth and latency of one file or one for each rank, by IOR's options",
    .help = ior_help,
    .frame = {.run_bytes = sizeof(struct ior_run),
              .options = ior_options_read,
              .requested = ior_requested,
              .prepare = ior_prepare,
              .begin_table = ior_table_begin,
              .iterate = ior_iterate,
              .finish = ior_finish,
              .release = ior_release},
    .run = ior_main,
};

WEIR_PERSONALITY(ior)
