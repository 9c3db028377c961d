/* The tables of mdtest, for people. Programs read the document. */
#include "mdtest.h"

#include <math.h>
#include <string.h>
#include <time.h>

static const struct {
    enum mdtest_item item;
    const char *access;
    const char *words;
} lines[] = {{MDTEST_DIRECTORY, "create", "Directory creation"},
             {MDTEST_DIRECTORY, "stat", "Directory stat"},
             {MDTEST_DIRECTORY, "rename", "Directory rename"},
             {MDTEST_DIRECTORY, "remove", "Directory removal"},
             {MDTEST_FILE, "create", "File creation"},
             {MDTEST_FILE, "stat", "File stat"},
             {MDTEST_FILE, "read", "File read"},
             {MDTEST_FILE, "remove", "File removal"},
             {MDTEST_TREE, "create", "Tree creation"},
             {MDTEST_TREE, "remove", "Tree removal"}};

static void moment(const char *word) {
    char now[32];
    time_t seconds = time(NULL);
    struct tm local;
    localtime_r(&seconds, &local);
    strftime(now, sizeof now, "%m/%d/%Y %H:%M:%S", &local);
    printf("-- %s at %s --\n", word, now);
}

void mdtest_table_begin(const struct mdtest_run *run) {
    const struct mdtest_params *a = &run->asked;
    moment("started");
    printf("\nweir-io mdtest-%s was launched with %d total task(s) on %d node(s)\nCommand line used: mdtest",
           WEIR_VERSION, run->job->size, run->job->nodes);
    int words = run->job->command_words;
    int first = 0; /* the words before the options: the program, and the personality */
    while (first < words && run->job->command_line[first][0] != '-') {
        first++;
    }
    for (int i = first; i < words; i++) {
        printf(" '%s'", run->job->command_line[i]);
    }
    printf("\nPath                : %s\n", a->directory);
    if (a->read && a->files && a->read_bytes == 0) {
        printf("Read bytes is 0: a read opens and closes the file\n");
    }
    printf("%d tasks, %llu %s\n", run->job->size,
           (unsigned long long)run->items * (unsigned long long)run->job->size,
           a->files && a->directories ? "files/directories"
           : a->files                 ? "files"
                                      : "directories");
    fflush(stdout);
}

struct spread {
    int count;
    double max, min, sum, squares;
};

static void print_line(const struct mdtest_run *run, unsigned line, bool in_time) {
    struct spread spread = {0, 0, 1e308, 0, 0};
    for (int i = 0; i < run->document.result_count; i++) {
        const struct weir_result *result = &run->document.results[i];
        if (run->kinds[i] != lines[line].item || strcmp(result->access, lines[line].access) != 0) {
            continue;
        }
        /* Of one rank: so many of its operations were done one after the other. */
        double per_rank = (double)result->operations / run->job->size;
        double value = in_time ? result->io_s * 1e3 / (per_rank > 0 ? per_rank : 1) : result->ops_s;
        spread.count++;
        spread.sum += value;
        spread.squares += value * value;
        spread.max = value > spread.max ? value : spread.max;
        spread.min = value < spread.min ? value : spread.min;
    }
    double mean = spread.count > 0 ? spread.sum / spread.count : 0;
    double variance = spread.count > 1 ? (spread.squares - spread.sum * mean) / (spread.count - 1) : 0;
    printf("   %-22s %14.3f %14.3f %14.3f %14.3f\n", lines[line].words, spread.max,
           spread.count > 0 ? spread.min : 0.0, mean, variance > 0 ? sqrt(variance) : 0.0);
}

static void summary(const struct mdtest_run *run, bool in_time) {
    const struct mdtest_params *a = &run->asked;
    printf("\nSUMMARY %s: (of %lld iterations)\n", in_time ? "time (in ms/op)" : "rate (in ops/sec)",
           (long long)a->iterations);
    printf("   Operation                     Max            Min           Mean        Std Dev\n"
           "   ---------                     ---            ---           ----        -------\n");
    for (unsigned i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        bool asked =
            lines[i].item == MDTEST_TREE || (lines[i].item == MDTEST_FILE ? a->files : a->directories);
        if (asked) {
            print_line(run, i, in_time);
        }
    }
}

void mdtest_table_end(const struct mdtest_run *run) {
    const struct mdtest_params *a = &run->asked;
    if (a->rate_and_time || !a->time_only) {
        summary(run, false);
    }
    if (a->rate_and_time || a->time_only) {
        summary(run, true);
    }
    moment("finished");
    fflush(stdout);
}
