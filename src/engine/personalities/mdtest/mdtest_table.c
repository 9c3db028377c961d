/* The tables of mdtest, for people. Programs read the document. */
#include "clock.h"
#include "mdtest.h"

#include <math.h>
#include <string.h>

const struct mdtest_line mdtest_lines[MDTEST_LINES] = {
    {MDTEST_DIRECTORY, "create", "Directory creation"},
    {MDTEST_DIRECTORY, "stat", "Directory stat"},
    {MDTEST_DIRECTORY, "read", "Directory read"}, /* not done, but it has a line */
    {MDTEST_DIRECTORY, "rename", "Directory rename"},
    {MDTEST_DIRECTORY, "remove", "Directory removal"},
    {MDTEST_FILE, "create", "File creation"},
    {MDTEST_FILE, "stat", "File stat"},
    {MDTEST_FILE, "read", "File read"},
    {MDTEST_FILE, "remove", "File removal"},
    {MDTEST_TREE, "create", "Tree creation"},
    {MDTEST_TREE, "remove", "Tree removal"}};

static void mdtest_moment(const char *event) {
    char now[32];
    weir_clock_local("%m/%d/%Y %H:%M:%S", now);
    printf("-- %s at %s --\n", event, now);
}

static void mdtest_print_tasks(const struct mdtest_run *run) {
    const struct mdtest_params *a = &run->requested;
    printf("%d tasks, %llu %s\n", run->base.job->size,
           (unsigned long long)run->items * (a->shared_file ? 1 : (unsigned long long)run->base.job->size),
           a->files && a->directories ? "files/directories"
           : a->files                 ? "files"
                                      : "directories");
    fflush(stdout);
}

/* With -v, when a phase has ended. */
void mdtest_table_phase(const struct mdtest_run *run, enum mdtest_item item,
                        const struct weir_result *result) {
    if (run->requested.verbose == 0 && run->requested.verbosity < 1) {
        return;
    }
    for (int i = 0; i < MDTEST_LINES; i++) {
        if (mdtest_lines[i].item == item && strcmp(mdtest_lines[i].access, result->access) == 0) {
            printf("V-1:    %-18s: %14.3f sec, %14.3f ops/sec\n", mdtest_lines[i].label, result->io_s,
                   result->io_s > 0 ? (double)result->operations / result->io_s : 0);
        }
    }
    fflush(stdout);
}

void mdtest_table_begin(const void *own) {
    const struct mdtest_run *run = own;
    const struct mdtest_params *a = &run->requested;
    if (run->number > 0) { /* the head is of the launch */
        mdtest_print_tasks(run);
        return;
    }
    mdtest_moment("started");
    printf("\nweir-io mdtest-%s was launched with %d total task(s) on %d node(s)\nCommand line used: mdtest",
           WEIR_VERSION, run->base.job->size, run->base.job->nodes);
    int count = run->base.job->argument_count;
    int first = 0; /* the arguments before the options: the program, and the personality */
    while (first < count && run->base.job->command_line[first][0] != '-') {
        first++;
    }
    for (int i = first; i < count; i++) {
        printf(" '%s'", run->base.job->command_line[i]);
    }
    printf("\nPath                : %s\n", a->directory);
    if (a->read && a->files && a->read_bytes == 0) {
        printf("Read bytes is 0: a read opens and closes the file\n");
    }
    mdtest_print_tasks(run);
}

int mdtest_result_of(const struct mdtest_run *run, const struct mdtest_line *line, int iteration) {
    for (int i = 0; i < run->base.document.result_count; i++) {
        const struct weir_result *result = &run->base.document.results[i];
        if (run->notes[i].item == line->item && result->iteration == iteration &&
            strcmp(result->access, line->access) == 0) {
            return i;
        }
    }
    return -1;
}

struct spread {
    int count;
    double max, min, sum, squares;
};

static void mdtest_add(struct spread *spread, double value) {
    spread->min = spread->count == 0 || value < spread->min ? value : spread->min;
    spread->max = value > spread->max ? value : spread->max;
    spread->sum += value;
    spread->squares += value * value;
    spread->count++;
}

static void mdtest_print_spread(const struct spread *spread) {
    double mean = spread->count > 0 ? spread->sum / spread->count : 0;
    printf(" %14.3f %14.3f %14.3f", spread->max, spread->min, mean);
}

/* Rate, or time of an operation. */
static double mdtest_value_of(double operations, double elapsed_s, bool in_time) {
    if (in_time) {
        return operations > 0 ? elapsed_s * 1e3 / operations : elapsed_s * 1e3;
    }
    return elapsed_s > 0 ? operations / elapsed_s : 0;
}

static void mdtest_print_line(const struct mdtest_run *run, const struct mdtest_line *line, bool in_time) {
    struct spread all = {0}, ranks = {0};
    int size = run->base.job->size;
    for (int i = 0; i < (int)run->requested.iterations; i++) {
        int found = mdtest_result_of(run, line, i);
        if (found < 0) {
            continue;
        }
        const struct weir_result *result = &run->base.document.results[found];
        const struct mdtest_rank *each = run->notes[found].ranks;
        /* A time is that of one rank: so many of its operations were done one after the other. */
        double operations = (double)result->operations / (in_time ? size : 1);
        mdtest_add(&all, mdtest_value_of(operations, result->io_s, in_time));
        for (int rank = 0; each != NULL && rank < size; rank++) {
            if (each[rank].operations > 0) {
                mdtest_add(&ranks, mdtest_value_of(each[rank].operations, each[rank].elapsed_s, in_time));
            }
        }
    }
    printf("   %-22s", line->label);
    if (run->requested.rank_statistics) {
        mdtest_print_spread(&ranks);
    }
    mdtest_print_spread(&all);
    double mean = all.count > 0 ? all.sum / all.count : 0;
    double variance = all.count > 1 ? (all.squares - all.sum * mean) / (all.count - 1) : 0;
    printf(" %14.3f\n", variance > 0 ? sqrt(variance) : 0.0);
}

static void mdtest_summary(const struct mdtest_run *run, bool in_time) {
    static const char heads[] = "            Max            Min           Mean";
    static const char rules[] = "            ---            ---           ----";
    const struct mdtest_params *a = &run->requested;
    bool ranks = a->rank_statistics != 0;
    printf("\nSUMMARY %s: (of %lld iterations)\n", in_time ? "time (in ms/op)" : "rate (in ops/sec)",
           (long long)a->iterations);
    if (ranks) {
        printf("   %-22s%45s%45s\n", "", "of single ranks", "of all ranks");
    }
    printf("   %-22s%s%s        Std Dev\n", "Operation", ranks ? heads : "", heads);
    printf("   %-22s%s%s        -------\n", "---------", ranks ? rules : "", rules);
    for (int i = 0; i < MDTEST_LINES; i++) {
        const struct mdtest_line *line = &mdtest_lines[i];
        bool requested = line->item == MDTEST_TREE || (line->item == MDTEST_FILE ? a->files : a->directories);
        if (requested && (line->item != MDTEST_DIRECTORY || strcmp(line->access, "read") != 0)) {
            mdtest_print_line(run, line, in_time);
        }
    }
}

void mdtest_table_end(const struct mdtest_run *run) {
    const struct mdtest_params *a = &run->requested;
    if (a->rate_and_time || !a->time_only) {
        mdtest_summary(run, false);
    }
    if (a->rate_and_time || a->time_only) {
        mdtest_summary(run, true);
    }
    const struct mdtest_launch *launch = run->base.launch;
    if (run->number + 1 >= launch->runs) {
        mdtest_moment("finished");
    }
    fflush(stdout);
}
