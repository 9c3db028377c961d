/* The order of things in one run of mdtest: for each iteration the trees, the directories, the files, the
 * trees again. */
#include "mdtest.h"

#include "personality.h"
#include "status_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void rest(const struct mdtest_run *run) {
    if (run->job->rank == 0 && run->requested.delay_s > 0) {
        sleep((unsigned)run->requested.delay_s);
    }
}

/* A number that all ranks share, the time where none was given. */
static void share_time(const struct mdtest_run *run, int64_t *number, int64_t unset) {
    if (*number == unset) {
        *number = (int64_t)time(NULL);
    }
    MPI_Bcast(number, 1, MPI_INT64_T, 0, run->job->comm);
}

/* The order of mdtest 4 for the same seed. */
static bool shuffle(struct mdtest_run *run) {
    run->order = malloc(sizeof *run->order * run->items);
    if (run->order == NULL) {
        weir_problem_set(&run->problem, "malloc", run->requested.directory, ENOMEM, NULL,
                         "shuffling the items");
        return false;
    }
    for (uint64_t i = 0; i < run->items; i++) {
        run->order[i] = i;
    }
    srandom((unsigned)(run->requested.random_seed + run->job->rank));
    for (uint64_t n = run->items - 1; n > 0; n--) {
        uint64_t k = (uint64_t)((double)random() / (double)RAND_MAX * (double)n);
        uint64_t item = run->order[k];
        run->order[k] = run->order[n];
        run->order[n] = item;
    }
    return true;
}

/* What is the same in all iterations. */
static bool prepare(struct mdtest_run *run) {
    struct mdtest_params *a = &run->requested;
    int64_t most = a->write_bytes > a->read_bytes ? a->write_bytes : a->read_bytes;
    share_time(run, &a->signature, -1);
    if (a->random) {
        share_time(run, &a->random_seed, 0);
    }
    if (run->job->nodes > 1 && run->job->block_mapping) {
        a->shift *= run->job->tasks_on_node0; /* to another node, which is what it is for */
    }
    if (!weir_payload_begin(&run->written, run->packet, (size_t)a->write_bytes, false) ||
        !weir_payload_begin(&run->found, run->packet, (size_t)most, a->verify_read || a->verify_write)) {
        weir_problem_set(&run->problem, "malloc", a->directory, ENOMEM, NULL, "for the bytes of a file");
    }
    if (a->status_file != NULL && !a->create) {
        int64_t items = weir_status_read(run->job, a->status_file, &run->problem);
        if (items > 0) {
            mdtest_shape_of_items(run, (uint64_t)items);
        }
    }
    if (a->random) {
        shuffle(run);
    }
    mdtest_ranks_begin(run);
    run->problem.rank = run->job->rank;
    return weir_document_settle(&run->document, &run->problem);
}

static bool measure_items(struct mdtest_run *run, enum mdtest_item item, int iteration) {
    bool requested = item == MDTEST_FILE ? run->requested.files : run->requested.directories;
    if (!requested) {
        return true;
    }
    run->made = 0;
    rest(run);
    if (mdtest_items(run, item, iteration)) {
        return true;
    }
    if (run->requested.create && run->requested.remove) {
        mdtest_clear_up(run, item, iteration);
    }
    return false;
}

static bool iterate(struct mdtest_run *run, int iteration) {
    const struct mdtest_shape shape = run->shape;
    const uint64_t items = run->items;
    bool well = (!run->requested.create || mdtest_trees_make(run, iteration)) &&
                measure_items(run, MDTEST_DIRECTORY, iteration) &&
                measure_items(run, MDTEST_FILE, iteration) &&
                (!run->requested.remove || mdtest_trees_remove(run, iteration));
    run->shape = shape; /* a stonewall in one iteration says nothing about the next */
    run->items = items;
    return well;
}

/* Only what this run made: others may have made it to be measured again. */
static void remove_root(struct mdtest_run *run) {
    struct weir_name name = {.path = run->requested.directory, .settings = run->settings};
    bool well = run->exit_code == WEIR_FINE;
    if (run->made_root && run->requested.remove) {
        run->backend->names->rmdir(&name, &run->problem);
    }
    if (well && !weir_document_settle(&run->document, &run->problem)) {
        run->exit_code = WEIR_FAILED;
    }
}

static void run_iterations(struct mdtest_run *run) {
    if (!prepare(run)) {
        run->exit_code = WEIR_FAILED;
        return;
    }
    if (run->job->rank == 0) {
        mdtest_table_begin(run);
    }
    bool well = true;
    for (int i = 0; i < (int)run->requested.iterations && well; i++) {
        well = iterate(run, i);
    }
    run->exit_code = well ? run->exit_code : WEIR_FAILED;
    remove_root(run);
    if (run->job->rank == 0 && well) {
        mdtest_table_end(run);
        mdtest_ranks_write(run);
    }
    if (!weir_document_settle(&run->document, &run->problem)) {
        run->exit_code = WEIR_FAILED;
    }
}

static void free_run(struct mdtest_run *run) {
    weir_payload_end(&run->written);
    weir_payload_end(&run->found);
    free(run->settings);
    free(run->words);
    free(run->order);
    for (int i = 0; i < run->document.result_count && run->notes != NULL; i++) {
        free(run->notes[i].ranks);
    }
    free(run->notes);
    free(run);
}

static int mdtest_run(struct weir_job *job, int argc, char **argv) {
    char complaint[512] = "no memory";
    struct mdtest_run *run = calloc(1, sizeof *run);
    int code = WEIR_WRONG_USE;
    if (run == NULL || !mdtest_options_read(run, argc, argv, complaint, sizeof complaint)) {
        if (job->rank == 0) {
            fprintf(stderr, "weir-io: mdtest: %s\n", complaint);
        }
        if (run != NULL) {
            free_run(run);
        }
        return code;
    }
    run->job = job;
    run->document = (struct weir_document){.job = job,
                                           .personality = "mdtest",
                                           .file_name = run->requested.document_file,
                                           .requested = mdtest_requested,
                                           .more = mdtest_more,
                                           .context = run};
    if (weir_document_begin(&run->document)) {
        if (run->backend->begin != NULL) {
            run->backend->begin();
        }
        run_iterations(run);
        code = weir_document_end(&run->document, run->exit_code);
    }
    free_run(run);
    return code;
}

static struct weir_personality mdtest = {
    .name = "mdtest",
    .summary = "operations per second on many small files and directories, by mdtest's options",
    .help = mdtest_help,
    .run = mdtest_run,
};

WEIR_PERSONALITY(mdtest)
