/* The order of things in one run of madbench: for each iteration S, W and C. */
#include "madbench.h"

#include "clock.h"
#include "judge.h"
#include "page_cache.h"
#include "personality.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct weir_phase mad_phase_of(struct mad_run *run, int which, int iteration) {
    static const int accesses[MAD_PHASES] = {MAD_WRITE, MAD_UPDATE_WRITE, MAD_READ};
    const struct mad_params *a = &run->requested;
    bool reads = which == MAD_C;
    uint64_t ranks = (uint64_t)run->base.job->size;
    uint64_t rank_bytes = run->slot_bytes * (uint64_t)a->bins;
    MPI_Comm comm = a->file_per_process ? MPI_COMM_SELF : run->base.job->comm;
    struct weir_phase phase = weir_run_phase(&run->base, mad_access_names[accesses[which]], iteration,
                                             run->path, reads ? WEIR_READ : WEIR_WRITE, comm);
    phase.how.update = which == MAD_W;
    phase.how.geometry.xfer_bytes = (size_t)(a->xfer_bytes > 0 ? (uint64_t)a->xfer_bytes : run->part_bytes);
    phase.how.geometry.file_bytes = rank_bytes * (a->file_per_process ? 1 : ranks);
    phase.sync = a->sync && !reads;
    phase.verify = a->verify;
    phase.requested_bytes = run->part_bytes * (uint64_t)a->bins * ranks;
    phase.dense = run->slot_bytes == run->part_bytes;
    phase.transfers = mad_transfers;
    phase.own = run;
    return phase;
}

static uint64_t mad_length_ns(const struct weir_step *step) {
    return step->stop_ns - step->start_ns;
}

/* Steps one after the other, as if nothing but this access had been done between open and close; the close
 * waits for the slowest rank, as it did. */
static void mad_join(const struct mad_run *run, struct weir_measure *measure, uint64_t io_ns) {
    uint64_t sync_ns = measure->sync.stop_ns != 0 ? mad_length_ns(&measure->sync) : 0;
    uint64_t close_ns = mad_length_ns(&measure->close);
    uint64_t at_ns = measure->io.start_ns + io_ns;
    if (measure->sync.stop_ns != 0) {
        measure->sync = (struct weir_step){at_ns, at_ns + sync_ns};
    }
    measure->io.stop_ns = at_ns + sync_ns;
    uint64_t last_ns = measure->io.stop_ns;
    MPI_Allreduce(MPI_IN_PLACE, &last_ns, 1, MPI_UINT64_T, MPI_MAX, run->base.job->comm);
    measure->close = (struct weir_step){last_ns, last_ns + close_ns};
}

/* What W read, with the open and the close that it shares with what W wrote. */
static void mad_split_reads(struct mad_run *run, struct weir_measure *reads) {
    const struct weir_measure *all = &run->base.measure;
    memcpy(reads->began, all->began, sizeof reads->began);
    reads->open = all->open;
    reads->io = all->io;
    reads->close = all->close;
    reads->stored = all->stored;
    reads->watched = all->watched; /* what it fetched, too: only the reads fetch */
    reads->observed.open_flags = all->observed.open_flags;
    for (int i = 0; i < all->observed.hints.count; i++) {
        const struct weir_hint *hint = &all->observed.hints.list[i];
        weir_hints_set(&reads->observed.hints, hint->key, hint->value);
    }
    mad_join(run, reads, run->read_ns);
}

static bool mad_report(struct mad_run *run, const struct weir_phase *phase, struct weir_measure *measure,
                       int access, struct mad_note note) {
    struct weir_result result;
    struct weir_phase named = *phase;
    named.name = mad_access_names[access];
    run->notes[phase->iteration * MAD_ACCESSES + access] = note;
    struct weir_verify found = measure->verify;
    weir_result_gather(run->base.job, &named, measure, &result);
    struct weir_result *kept = weir_document_add(&run->base.document, &result);
    if (kept != NULL) {
        mad_table_row(kept, &note);
    }
    bool compared = run->requested.verify && (access == MAD_UPDATE_READ || access == MAD_READ);
    const char *const where[] = {"in phase S", "in phase W", "in phase C"};
    return !compared || weir_judge_bytes(&run->base.document, run->path, &found, kept, where[run->phase]);
}

static bool mad_drop_caches(struct mad_run *run) {
    MPI_Barrier(run->base.job->comm);
    if (run->requested.file_per_process || weir_job_first_on_node(run->base.job)) {
        weir_page_cache_drop(run->path, &run->base.problem);
    }
    return weir_run_settle(&run->base);
}

static bool mad_run_phase(struct mad_run *run, int which, int iteration) {
    struct weir_phase phase = mad_phase_of(run, which, iteration);
    run->phase = which;
    run->failed = false;
    if (!weir_warm_up(&run->base, &phase)) {
        return false;
    }
    run->read_ns = run->write_ns = run->busy_ns = 0;
    run->read_ticks = run->write_ticks = 0;
    if (which != MAD_S && run->requested.drop_caches && !mad_drop_caches(run)) {
        return false;
    }
    weir_hints_free(&run->reads.observed.hints);
    memset(&run->reads, 0, sizeof run->reads);
    weir_histogram_clear(&run->reads.latency);
    uint64_t begin_ns = weir_clock_ns();
    bool well = weir_judge_phase(&run->base.document, &phase, &run->base.measure);
    double times_s[2] = {(double)(weir_clock_ns() - begin_ns) * 1e-9, (double)run->busy_ns * 1e-9};
    if (!well || !weir_judge_stored(&run->base.document, &phase, &run->base.measure)) {
        return false;
    }
    MPI_Allreduce(MPI_IN_PLACE, times_s, 2, MPI_DOUBLE, MPI_MAX, run->base.job->comm);
    struct mad_note note = {times_s[0], times_s[1]};
    if (which != MAD_W) {
        mad_join(run, &run->base.measure, which == MAD_S ? run->write_ns : run->read_ns);
        return mad_report(run, &phase, &run->base.measure, which == MAD_S ? MAD_WRITE : MAD_READ, note);
    }
    mad_split_reads(run, &run->reads);
    mad_join(run, &run->base.measure, run->write_ns);
    well = mad_report(run, &phase, &run->reads, MAD_UPDATE_READ, note);
    return mad_report(run, &phase, &run->base.measure, MAD_UPDATE_WRITE, note) && well;
}

/* The file of the last iteration goes away, untimed. */
static bool mad_clear(struct mad_run *run) {
    if (run->requested.file_per_process) {
        snprintf(run->path, sizeof run->path, "%s-%d", run->requested.test_file, run->base.job->rank);
    } else {
        snprintf(run->path, sizeof run->path, "%s", run->requested.test_file);
    }
    if (run->requested.file_per_process || run->base.job->rank == 0) {
        run->base.backend->remove(run->path, run->base.settings, &run->base.problem);
    }
    return weir_run_settle(&run->base);
}

static bool mad_iterate(void *own, int iteration) {
    struct mad_run *run = own;
    bool well = mad_clear(run);
    for (int which = 0; well && which < MAD_PHASES; which++) {
        well = !run->runs[which] || mad_run_phase(run, which, iteration);
    }
    return well;
}

static bool mad_prepare(void *own) {
    struct mad_run *run = own;
    size_t bytes = (size_t)run->part_bytes * (size_t)run->requested.gangs;
    run->buffer = weir_pages(bytes);
    run->notes = calloc((size_t)run->requested.iterations * MAD_ACCESSES, sizeof *run->notes);
    if (run->buffer == NULL || run->notes == NULL) {
        weir_problem_set(&run->base.problem, "malloc", run->requested.test_file, ENOMEM, NULL,
                         "%zu bytes for a part of a matrix", bytes);
    }
    return weir_run_settle(&run->base);
}

static void mad_release(void *own) {
    struct mad_run *run = own;
    weir_hints_free(&run->reads.observed.hints);
    free(run->buffer);
    free(run->notes);
}

static struct weir_personality madbench = {
    .name = "madbench",
    .summary = "out-of-core matrices: write, read and write, read, by MADbench2's parameters",
    .help = mad_help,
    .frame = {.run_bytes = sizeof(struct mad_run),
              .options = mad_options_read,
              .requested = mad_requested,
              .more = mad_more,
              .prepare = mad_prepare,
              .begin_table = mad_table_begin,
              .iterate = mad_iterate,
              .release = mad_release},
};

WEIR_PERSONALITY(madbench)
