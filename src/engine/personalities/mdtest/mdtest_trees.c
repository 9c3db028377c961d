/* The directories around the items: the root, the test directories, and a tree below each. */
#include "clock.h"
#include "mdtest.h"

#include <errno.h>
#include <string.h>

static int mdtest_call_on(struct mdtest_run *run, weir_name_call *call, const char *path,
                          struct weir_problem *problem) {
    struct weir_name name = {.path = path, .settings = run->base.settings, .rank = run->base.job->rank};
    return call(&name, problem);
}

/* Whether it was made now; one that is there already is fine. */
static bool mdtest_make_if_missing(struct mdtest_run *run, const char *path) {
    struct weir_problem problem = {0};
    if (mdtest_call_on(run, run->base.backend->names->mkdir, path, &problem) == 0) {
        return true;
    }
    if (problem.errnum != EEXIST && !weir_problem_is_set(&run->base.problem)) {
        run->base.problem = problem;
    }
    return false;
}

/* Outside the timing, by rank 0. */
static bool mdtest_make_test_dirs(struct mdtest_run *run, int iteration) {
    char path[MDTEST_PATH];
    if (run->base.job->rank == 0) {
        run->made_root = mdtest_make_if_missing(run, run->requested.directory) || run->made_root;
        for (uint64_t loop = 0; loop < run->shape.loops; loop++) {
            mdtest_test_dir(run, iteration, loop, path);
            mdtest_make_if_missing(run, path);
        }
    }
    return weir_run_settle(&run->base);
}

/* Each rank has a tree of its own with -u; else rank 0 makes the one of all. */
static void mdtest_each_directory(struct mdtest_run *run, struct mdtest_phase *phase, bool make) {
    char path[MDTEST_PATH];
    uint64_t count = run->shape.directories;
    weir_name_call *call = make ? run->base.backend->names->mkdir : run->base.backend->names->rmdir;
    bool has_tree = run->requested.unique_dir || run->base.job->rank == 0;
    for (uint64_t loop = 0; has_tree && loop < run->shape.loops; loop++) {
        for (uint64_t i = 0; i < count; i++) {
            uint64_t k = make ? i : count - 1 - i; /* what lies below goes first */
            mdtest_tree_dir(run, phase->iteration, loop, run->base.job->rank, k, path);
            uint64_t start_ticks = weir_clock_ticks();
            int status = mdtest_call_on(run, call, path, &run->base.problem);
            uint64_t ticks = weir_clock_ticks() - start_ticks;
            if (status != 0) {
                phase->failures++;
                continue;
            }
            weir_histogram_add(&run->base.measure.latency, weir_clock_ns_of(ticks));
            run->base.measure.operations++;
        }
    }
}

static bool mdtest_measure_tree(struct mdtest_run *run, int iteration, bool make) {
    uint64_t trees = run->shape.loops * (uint64_t)(run->requested.unique_dir ? run->base.job->size : 1);
    struct mdtest_phase phase = {.access = make ? "create" : "remove",
                                 .item = MDTEST_TREE,
                                 .iteration = iteration,
                                 .requested_items = trees * run->shape.directories};
    mdtest_phase_begin(run);
    mdtest_each_directory(run, &phase, make);
    return mdtest_phase_end(run, &phase);
}

bool mdtest_trees_make(struct mdtest_run *run, int iteration) {
    return mdtest_make_test_dirs(run, iteration) && mdtest_measure_tree(run, iteration, true);
}

static void mdtest_remove_test_dirs(struct mdtest_run *run, int iteration, struct weir_problem *problem) {
    char path[MDTEST_PATH];
    MPI_Barrier(run->base.job->comm);
    for (uint64_t loop = 0; run->base.job->rank == 0 && loop < run->shape.loops; loop++) {
        mdtest_test_dir(run, iteration, loop, path);
        mdtest_call_on(run, run->base.backend->names->rmdir, path, problem);
    }
}

bool mdtest_trees_remove(struct mdtest_run *run, int iteration) {
    if (!mdtest_measure_tree(run, iteration, false)) {
        return false;
    }
    mdtest_remove_test_dirs(run, iteration, &run->base.problem);
    return weir_run_settle(&run->base);
}

void mdtest_clear_up(struct mdtest_run *run, enum mdtest_item item, int iteration) {
    struct mdtest_walk walk;
    struct weir_problem ignored = {0};
    struct mdtest_phase phase = {.iteration = iteration};
    weir_name_call *call =
        item == MDTEST_FILE ? run->base.backend->names->unlink : run->base.backend->names->rmdir;
    mdtest_walk_begin(&walk, run, item, iteration, mdtest_owner(run, 0));
    for (uint64_t i = 0; i <= run->made && i < run->items; i++) { /* one may have been made by halves */
        mdtest_call_on(run, call, mdtest_walk_item(&walk, i), &ignored);
        memset(&ignored, 0, sizeof ignored);
    }
    MPI_Barrier(run->base.job->comm);
    mdtest_each_directory(run, &phase, false);
    mdtest_remove_test_dirs(run, iteration, &ignored);
    memset(&run->base.problem, 0, sizeof run->base.problem);
}
