/* The order of things in one run of madbench: for each iteration S, W and C. */
#include "madbench.h"

#include "clock.h"
#include "judge.h"
#include "page_cache.h"
#include "personality.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct weir_phase phase_of(struct mad_run *run, int which, int iteration) {
    static const int accesses[MAD_PHASES] = {MAD_WRITE, MAD_UPDATE_WRITE, MAD_READ};
    const struct mad_params *a = &run->requested;
    bool reads = which == MAD_C;
    uint64_t ranks = (uint64_t)run->job->size;
    uint64_t rank_bytes = run->slot_bytes * (uint64_t)a->bins;
    return (struct weir_phase){
        .name = mad_access_name(accesses[which]),
        .iteration = iteration,
        .backend = run->backend,
        .how = {.path = run->path,
                .access = reads ? WEIR_READ : WEIR_WRITE,
                .update = which == MAD_W,
                .comm = a->file_per_process ? MPI_COMM_SELF : run->job->comm,
                .rank = run->job->rank,
                .hints = &run->hints,
                .settings = run->settings,
                .xfer_bytes = (size_t)(a->xfer_bytes > 0 ? (uint64_t)a->xfer_bytes : run->part_bytes),
                .file_bytes = rank_bytes * (a->file_per_process ? 1 : ranks)},
        .barriers = true,
        .sync = a->sync && !reads,
        .verify = a->verify,
        .limit = WEIR_NO_LIMIT,
        .requested_bytes = run->part_bytes * (uint64_t)a->bins * ranks,
        .dense = run->slot_bytes == run->part_bytes,
        .transfers = mad_transfers,
        .own = run,
    };
}

static uint64_t length_ns(const struct weir_step *step) {
    return step->stop_ns - step->start_ns;
}

/* Steps one after the other, as if nothing but this access had been done between open and close; the close
 * waits for the slowest rank, as it did. */
static void join(const struct mad_run *run, struct weir_measure *measure, uint64_t io_ns) {
    uint64_t sync_ns = measure->sync.stop_ns != 0 ? length_ns(&measure->sync) : 0;
    uint64_t close_ns = length_ns(&measure->close);
    uint64_t at_ns = measure->io.start_ns + io_ns;
    if (measure->sync.stop_ns != 0) {
        measure->sync = (struct weir_step){at_ns, at_ns + sync_ns};
    }
    measure->io.stop_ns = at_ns + sync_ns;
    uint64_t last_ns = measure->io.stop_ns;
    MPI_Allreduce(MPI_IN_PLACE, &last_ns, 1, MPI_UINT64_T, MPI_MAX, run->job->comm);
    measure->close = (struct weir_step){last_ns, last_ns + close_ns};
}

/* What W read, with the open and the close that it shares with what W wrote. */
static void split_reads(struct mad_run *run, struct weir_measure *reads) {
    const struct weir_measure *all = &run->measure;
    memcpy(reads->began, all->began, sizeof reads->began);
    reads->open = all->open;
    reads->io = all->io;
    reads->close = all->close;
    reads->stored = all->stored;
    reads->observed.open_flags = all->observed.open_flags;
    for (int i = 0; i < all->observed.hints.count; i++) {
        const struct weir_hint *hint = &all->observed.hints.list[i];
        weir_hints_set(&reads->observed.hints, hint->key, hint->value);
    }
    join(run, reads, run->read_ns);
}

static bool report(struct mad_run *run, const struct weir_phase *phase, struct weir_measure *measure,
                   int access, struct mad_note note) {
    struct weir_result result;
    struct weir_phase named = *phase;
    named.name = mad_access_name(access);
    run->notes[phase->iteration * MAD_ACCESSES + access] = note;
    struct weir_verify found = measure->verify;
    weir_result_gather(run->job, &named, measure, &result);
    struct weir_result *kept = weir_document_add(&run->document, &result);
    if (kept != NULL) {
        mad_table_row(kept, &note);
    }
    bool compared = run->requested.verify && (access == MAD_UPDATE_READ || access == MAD_READ);
    const char *const where[] = {"in phase S", "in phase W", "in phase C"};
    return !compared || weir_judge_bytes(&run->document, run->path, &found, kept, where[run->phase]);
}

static bool drop_caches(struct mad_run *run) {
    struct weir_problem problem = {.rank = run->job->rank};
    int on_node = 0;
    MPI_Comm_rank(run->job->node_comm, &on_node);
    MPI_Barrier(run->job->comm);
    if (run->requested.file_per_process || on_node == 0) {
        weir_page_cache_drop(run->path, &problem);
    }
    return weir_document_settle(&run->document, &problem);
}

static bool run_phase(struct mad_run *run, int which, int iteration) {
    struct weir_phase phase = phase_of(run, which, iteration);
    run->phase = which;
    run->failed = false;
    run->read_ns = run->write_ns = run->busy_ns = 0;
    run->read_ticks = run->write_ticks = 0;
    if (which != MAD_S && run->requested.drop_caches && !drop_caches(run)) {
        return false;
    }
    weir_hints_free(&run->reads.observed.hints);
    memset(&run->reads, 0, sizeof run->reads);
    weir_histogram_clear(&run->reads.latency);
    uint64_t begin_ns = weir_clock_ns();
    bool well = weir_judge_phase(&run->document, &phase, &run->measure);
    double times_s[2] = {(double)(weir_clock_ns() - begin_ns) * 1e-9, (double)run->busy_ns * 1e-9};
    if (!well || !weir_judge_stored(&run->document, &phase, &run->measure)) {
        return false;
    }
    MPI_Allreduce(MPI_IN_PLACE, times_s, 2, MPI_DOUBLE, MPI_MAX, run->job->comm);
    struct mad_note note = {times_s[0], times_s[1]};
    if (which != MAD_W) {
        join(run, &run->measure, which == MAD_S ? run->write_ns : run->read_ns);
        return report(run, &phase, &run->measure, which == MAD_S ? MAD_WRITE : MAD_READ, note);
    }
    split_reads(run, &run->reads);
    join(run, &run->measure, run->write_ns);
    well = report(run, &phase, &run->reads, MAD_UPDATE_READ, note);
    return report(run, &phase, &run->measure, MAD_UPDATE_WRITE, note) && well;
}

/* The file of the last iteration goes away, untimed. */
static bool clear(struct mad_run *run) {
    struct weir_problem problem = {.rank = run->job->rank};
    if (run->requested.file_per_process) {
        snprintf(run->path, sizeof run->path, "%s-%d", run->requested.test_file, run->job->rank);
    } else {
        snprintf(run->path, sizeof run->path, "%s", run->requested.test_file);
    }
    if (run->requested.file_per_process || run->job->rank == 0) {
        run->backend->remove(run->path, run->settings, &problem);
    }
    return weir_document_settle(&run->document, &problem);
}

static void iterate(struct mad_run *run) {
    for (int i = 0; i < (int)run->requested.iterations; i++) {
        bool well = clear(run);
        for (int which = 0; well && which < MAD_PHASES; which++) {
            well = !run->runs[which] || run_phase(run, which, i);
        }
        if (!well) {
            run->exit_code = WEIR_FAILED;
            return;
        }
    }
}

static bool has_memory(struct mad_run *run) {
    struct weir_problem problem = {.rank = run->job->rank};
    size_t bytes = (size_t)run->part_bytes * (size_t)run->requested.gangs;
    run->buffer = weir_pages(bytes);
    run->notes = calloc((size_t)run->requested.iterations * MAD_ACCESSES, sizeof *run->notes);
    if (run->buffer == NULL || run->notes == NULL) {
        weir_problem_set(&problem, "malloc", run->requested.test_file, ENOMEM, NULL,
                         "%zu bytes for a part of a matrix", bytes);
    }
    return weir_document_settle(&run->document, &problem);
}

static int run_job(struct mad_run *run) {
    run->document = (struct weir_document){.job = run->job,
                                           .personality = "madbench",
                                           .file_name = run->requested.document,
                                           .requested = mad_requested,
                                           .more = mad_more,
                                           .context = run};
    if (!weir_document_begin(&run->document)) {
        return WEIR_WRONG_USE;
    }
    if (run->backend->begin != NULL) {
        run->backend->begin();
    }
    if (has_memory(run)) {
        if (run->job->rank == 0) {
            mad_table_begin(run);
        }
        iterate(run);
    } else {
        run->exit_code = WEIR_FAILED;
    }
    return weir_document_end(&run->document, run->exit_code);
}

static int mad_run(struct weir_job *job, int argc, char **argv) {
    char complaint[512] = "no memory";
    struct mad_run *run = calloc(1, sizeof *run);
    int code = WEIR_WRONG_USE;
    bool good = false;
    if (run != NULL) {
        run->job = job;
        good = mad_options_read(run, argc, argv, complaint, sizeof complaint);
    }
    if (good) {
        code = run_job(run);
    } else if (job->rank == 0) {
        fprintf(stderr, "weir-io: madbench: %s\n", complaint);
    }
    if (run != NULL) {
        weir_hints_free(&run->measure.observed.hints);
        weir_hints_free(&run->reads.observed.hints);
        weir_hints_free(&run->hints);
        free(run->buffer);
        free(run->notes);
        free(run->settings);
        free(run->words);
        free(run);
    }
    return code;
}

static struct weir_personality madbench = {
    .name = "madbench",
    .summary = "out-of-core matrices: write, read and write, read, by MADbench2's parameters",
    .help = mad_help,
    .run = mad_run,
};

WEIR_PERSONALITY(madbench)
