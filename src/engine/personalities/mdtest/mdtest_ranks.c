/* What each rank did, beside what all of them did together: the CSV file of mdtest, and its table's spread.
 */
#include "mdtest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Opened before anything is measured, so that a bad name is known. */
bool mdtest_ranks_begin(struct mdtest_run *run) {
    const char *name = run->requested.rank_details;
    if (name == NULL || run->base.job->rank != 0) {
        return true;
    }
    FILE *file = fopen(name, "we");
    if (file == NULL) {
        weir_problem_set(&run->base.problem, "fopen", name, errno, NULL, "for --saveRankPerformanceDetails");
        return false;
    }
    fprintf(file, "rank,items");
    for (int i = 0; i < MDTEST_LINES; i++) {
        fprintf(file, ",rate-%s,time-%s", mdtest_lines[i].label, mdtest_lines[i].label);
    }
    fprintf(file, "\n");
    return fclose(file) == 0;
}

struct mdtest_rank *mdtest_ranks_gather(struct mdtest_run *run) {
    const struct weir_measure *measure = &run->base.measure;
    if (run->requested.rank_details == NULL && !run->requested.rank_statistics) {
        return NULL;
    }
    uint64_t stop_ns = measure->sync.stop_ns != 0 ? measure->sync.start_ns : measure->io.stop_ns;
    struct mdtest_rank mine = {(double)measure->operations, (double)(stop_ns - measure->io.start_ns) * 1e-9};
    struct mdtest_rank *all = NULL;
    if (run->base.job->rank == 0) {
        all = calloc((size_t)run->base.job->size, sizeof *all);
        if (all == NULL) {
            fprintf(stderr, "weir-io: no memory for the results of all ranks\n");
            MPI_Abort(run->base.job->comm, 1);
        }
    }
    MPI_Gather(&mine, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE, 0, run->base.job->comm);
    return all;
}

static void mdtest_write_pair(FILE *file, double operations, double elapsed_s) {
    if (operations > 0 && elapsed_s > 0) {
        fprintf(file, ",%.10e,%.10e", operations / elapsed_s, elapsed_s);
    } else {
        fprintf(file, ",,");
    }
}

/* One row; rank -1 is all of them. Trees are reported for all ranks together only. */
static void mdtest_write_row(FILE *file, const struct mdtest_run *run, int iteration, int rank) {
    if (rank < 0) {
        fprintf(file, "all,%llu", (unsigned long long)run->items);
    } else {
        fprintf(file, "%d,", rank);
    }
    for (int i = 0; i < MDTEST_LINES; i++) {
        int found = mdtest_result_of(run, &mdtest_lines[i], iteration);
        const struct weir_result *all = found >= 0 ? &run->base.document.results[found] : NULL;
        if (all != NULL && rank < 0) {
            mdtest_write_pair(file, (double)all->operations, all->io_s);
        } else if (all != NULL && mdtest_lines[i].item != MDTEST_TREE) {
            const struct mdtest_rank *one = &run->notes[found].ranks[rank];
            mdtest_write_pair(file, one->operations, one->elapsed_s);
        } else {
            mdtest_write_pair(file, 0, 0);
        }
    }
    fprintf(file, "\n");
}

void mdtest_ranks_write(struct mdtest_run *run) {
    const char *name = run->requested.rank_details;
    FILE *file = name != NULL ? fopen(name, "ae") : NULL;
    if (name == NULL) {
        return;
    }
    for (int i = 0; file != NULL && i < (int)run->requested.iterations; i++) {
        for (int rank = -1; rank < run->base.job->size; rank++) {
            mdtest_write_row(file, run, i, rank);
        }
    }
    bool bad = file == NULL || ferror(file) != 0;
    if ((file != NULL && fclose(file) != 0) || bad) {
        weir_problem_set(&run->base.problem, "fclose", name, errno, NULL, "for --saveRankPerformanceDetails");
    }
}
