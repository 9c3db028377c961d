/* The order of things in one run of mdtest: for each iteration the trees, the directories, the files, the
 * trees again. */
#include "mdtest.h"

#include "personality.h"
#include "shared_text.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static struct weir_personality mdtest;

/* The order of mdtest 4 for the same seed, of as many items as there are. */
static bool mdtest_shuffle(struct mdtest_run *run) {
    if (run->items == 0 || run->order_items == run->items) {
        return true;
    }
    free(run->order);
    run->order_items = run->items;
    run->order = malloc(sizeof *run->order * run->items);
    if (run->order == NULL) {
        weir_problem_set(&run->base.problem, "malloc", run->requested.directory, ENOMEM, NULL,
                         "shuffling the items");
        return false;
    }
    for (uint64_t i = 0; i < run->items; i++) {
        run->order[i] = i;
    }
    srandom((unsigned)(run->requested.random_seed + run->base.job->rank));
    for (uint64_t n = run->items - 1; n > 0; n--) {
        uint64_t k = (uint64_t)((double)random() / (double)RAND_MAX * (double)n);
        uint64_t item = run->order[k];
        run->order[k] = run->order[n];
        run->order[n] = item;
    }
    return true;
}

/* What is the same in all iterations. */
static bool mdtest_prepare(void *own) {
    struct mdtest_run *run = own;
    struct mdtest_params *a = &run->requested;
    int64_t most = a->write_bytes > a->read_bytes ? a->write_bytes : a->read_bytes;
    weir_job_time_unless_set(run->base.job, &a->signature, -1);
    if (a->random) {
        weir_job_time_unless_set(run->base.job, &a->random_seed, 0);
    }
    if (run->base.job->nodes > 1 && run->base.job->block_mapping) {
        a->shift *= run->base.job->tasks_on_node0; /* to another node, which is what it is for */
    }
    if (!weir_payload_begin(&run->written, run->packet, (size_t)a->write_bytes, false) ||
        !weir_payload_begin(&run->found, run->packet, (size_t)most, a->verify_read || a->verify_write)) {
        weir_problem_set(&run->base.problem, "malloc", a->directory, ENOMEM, NULL, "for the bytes of a file");
    }
    if (a->status_file != NULL && !a->create) {
        int64_t items = weir_status_read(run->base.job, a->status_file, &run->base.problem);
        run->status_items = items > 0 ? (uint64_t)items : 0;
    }
    mdtest_ranks_begin(run);
    weir_trace_begin(&run->trace, run->base.common.trace_file, run->base.job->rank,
                     run->base.common.trace_records, &run->base.problem);
    return weir_run_settle(&run->base);
}

static bool mdtest_measure_items(struct mdtest_run *run, enum mdtest_item item, int iteration) {
    bool requested = item == MDTEST_FILE ? run->requested.files : run->requested.directories;
    if (!requested) {
        return true;
    }
    if (item == MDTEST_FILE && run->status_items > 0) {
        mdtest_shape_of_items(run, run->status_items);
    }
    if (run->requested.random) {
        mdtest_shuffle(run);
        if (!weir_run_settle(&run->base)) {
            return false;
        }
    }
    run->made = 0;
    if (run->base.job->rank == 0 && run->requested.delay_s > 0) {
        sleep((unsigned)run->requested.delay_s);
    }
    if (mdtest_items(run, item, iteration)) {
        return true;
    }
    if (run->requested.create && run->requested.remove) {
        mdtest_clear_up(run, item, iteration);
    }
    return false;
}

static bool mdtest_iterate(void *own, int iteration) {
    struct mdtest_run *run = own;
    const struct mdtest_shape shape = run->shape;
    const uint64_t items = run->items;
    bool well = (!run->requested.create || mdtest_trees_make(run, iteration)) &&
                mdtest_measure_items(run, MDTEST_DIRECTORY, iteration) &&
                mdtest_measure_items(run, MDTEST_FILE, iteration) &&
                (!run->requested.remove || mdtest_trees_remove(run, iteration));
    run->shape = shape; /* a stonewall of one iteration does not limit the next */
    run->items = items;
    return well;
}

/* Only what this run made: others may have made it to be measured again. */
static void mdtest_remove_root(struct mdtest_run *run, bool well) {
    struct weir_name name = {.path = run->requested.directory, .settings = run->base.settings};
    if (run->made_root && run->requested.remove) {
        run->base.backend->names->rmdir(&name, &run->base.problem);
    }
    weir_run_settle_removal(&run->base, well);
}

static bool mdtest_finish(void *own, bool well) {
    struct mdtest_run *run = own;
    run->base.exit_code = well ? run->base.exit_code : WEIR_FAILED;
    mdtest_remove_root(run, well);
    if (run->base.job->rank == 0 && well) {
        mdtest_table_end(run);
        mdtest_ranks_write(run);
    }
    weir_trace_end(&run->trace, &run->base.problem);
    return weir_run_settle(&run->base);
}

static void mdtest_release(void *own) {
    struct mdtest_run *run = own;
    weir_payload_end(&run->written);
    weir_payload_end(&run->found);
    free(run->trace.records);
    free(run->order);
    for (int i = 0; i < run->base.document.result_count && run->notes != NULL; i++) {
        free(run->notes[i].ranks);
    }
    free(run->notes);
}

/* The same command line once for each number of ranks. */
static int mdtest_measure_each(struct weir_job *job, struct mdtest_launch *launch,
                               const struct weir_arguments *line) {
    struct weir_arguments *lines = calloc((size_t)launch->runs, sizeof *lines);
    struct weir_run **runs = NULL;
    int code = WEIR_FAILED;
    for (int i = 0; lines != NULL && i < launch->runs; i++) {
        lines[i] = *line;
    }
    if (weir_job_agree(job, lines != NULL)) {
        launch->read = 0;
        runs = weir_runs_read(&mdtest, job, lines, launch->runs, launch);
        code = runs != NULL ? weir_runs_measure(job, runs, launch->runs) : WEIR_WRONG_USE;
    }
    weir_runs_release(runs, launch->runs);
    free(lines);
    return code;
}

static int mdtest_main(struct weir_job *job, int argc, char **argv) {
    struct mdtest_launch launch = {.runs = 1};
    struct weir_arguments line = {argc, argv};
    struct weir_run **first = weir_runs_read(&mdtest, job, &line, 1, &launch);
    if (first == NULL && job->original) {
        return launch.no_such_backend ? WEIR_ABORTED : WEIR_FAILED;
    }
    if (first == NULL) {
        return WEIR_WRONG_USE;
    }
    int code = launch.runs > 1 ? mdtest_measure_each(job, &launch, &line) : weir_runs_measure(job, first, 1);
    weir_runs_release(first, 1);
    return job->original && code != WEIR_FINE ? WEIR_ABORTED : code;
}

static struct weir_personality mdtest = {
    .name = "mdtest",
    .summary = "operations per second on many small files and directories, by mdtest's options",
    .help = mdtest_help,
    .frame = {.run_bytes = sizeof(struct mdtest_run),
              .options = mdtest_options_read,
              .requested = mdtest_requested,
              .more = mdtest_more,
              .prepare = mdtest_prepare,
              .begin_table = mdtest_table_begin,
              .iterate = mdtest_iterate,
              .finish = mdtest_finish,
              .release = mdtest_release},
    .run = mdtest_main,
};

WEIR_PERSONALITY(mdtest)
