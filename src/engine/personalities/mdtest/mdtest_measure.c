/* The frame of each phase: what one rank measured becomes a result, failures become messages. */
#include "clock.h"
#include "judge.h"
#include "mdtest.h"

#include <stdio.h>
#include <stdlib.h>

void mdtest_phase_begin(struct mdtest_run *run) {
    weir_phase_begin_names(run->base.job, run->base.backend, run->requested.directory, &run->base.measure);
}

static void mdtest_flush(struct mdtest_run *run) {
    struct weir_name name = {
        .path = run->requested.directory, .settings = run->base.settings, .rank = run->base.job->rank};
    run->base.measure.sync.start_ns = weir_clock_ns();
    if (run->base.backend->names->flush(&name, &run->base.problem) == 0) {
        run->base.measure.sync_calls++;
    }
    run->base.measure.sync.stop_ns = weir_clock_ns();
}

static void mdtest_remember(struct mdtest_run *run, const struct mdtest_phase *phase,
                            struct mdtest_rank *ranks, struct mdtest_entries entries) {
    size_t count = (size_t)run->base.document.result_count;
    struct mdtest_note *notes = realloc(run->notes, sizeof *notes * count);
    if (notes == NULL) {
        fprintf(stderr, "weir-io: no memory for the results\n");
        MPI_Abort(run->base.job->comm, 1);
    }
    run->notes = notes;
    notes[count - 1] = (struct mdtest_note){phase->item, phase->requested_items, ranks, entries};
}

static void mdtest_write_trace(struct mdtest_run *run, const struct mdtest_phase *phase) {
    static const char *const items[] = {"directory", "file", "tree"};
    run->base.measure.traced = run->trace.count;
    run->base.measure.dropped = run->trace.dropped;
    weir_trace_write(&run->trace, phase->access, items[phase->item], phase->iteration,
                     run->base.job->ahead_ns, &run->base.problem);
}

bool mdtest_phase_end(struct mdtest_run *run, struct mdtest_phase *phase) {
    struct weir_phase whole = {.name = phase->access,
                               .iteration = phase->iteration,
                               .stonewall_s = phase->wall ? run->requested.stonewall_s : 0,
                               .wear_out = phase->wall,
                               .requested_bytes = phase->requested_bytes};
    struct weir_result result;
    char where[32];
    snprintf(where, sizeof where, "in the %s", phase->access);
    if (run->requested.flush) {
        mdtest_flush(run);
    }
    weir_phase_end_names(run->base.job, run->base.backend, run->requested.directory, &run->base.measure);
    MPI_Barrier(run->base.job->comm);
    mdtest_write_trace(run, phase);
    weir_problem_count(&run->base.problem, phase->failures);
    bool well = weir_run_settle(&run->base);
    if (well) {
        struct mdtest_rank *ranks = mdtest_ranks_gather(run);
        struct mdtest_entries entries = mdtest_entries_look(run, phase);
        weir_result_gather(run->base.job, &whole, &run->base.measure, &result);
        struct weir_result *kept = weir_document_add(&run->base.document, &result);
        if (kept != NULL) {
            mdtest_remember(run, phase, ranks, entries);
            mdtest_table_phase(run, phase->item, kept);
        }
        if (phase->verify &&
            !weir_judge_bytes(&run->base.document, run->differs, &run->base.measure.verify, kept, where)) {
            run->base.exit_code = 1;
        }
    }
    return well;
}
