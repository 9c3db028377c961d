/* The summary of all tests, as IOR prints it at the end. */
#include "ior.h"
#include "ior_report.h"
#include "personality.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MIB 1048576.0

static const char *const accesses[] = {"write", "read"};

static void summary_take(struct ior_spread *spread, double value) {
    spread->max = spread->count == 0 || value > spread->max ? value : spread->max;
    spread->min = spread->count == 0 || value < spread->min ? value : spread->min;
    spread->sum += value;
    spread->squares += value * value;
    spread->count++;
}

static double summary_deviation(const struct ior_spread *spread) {
    double mean = spread->sum / spread->count;
    double variance = spread->squares / spread->count - mean * mean;
    return variance > 0 ? sqrt(variance) : 0.0;
}

static struct ior_line summary_of(const struct ior_run *run, const char *access, int test) {
    const struct weir_job *job = run->base.job;
    struct ior_line line = {
        .run = run, .test = test, .tasks = job->size, .tasks_per_node = job->tasks_on_node0};
    snprintf(line.access, sizeof line.access, "%s", access);
    for (int i = 0; i < run->base.document.result_count; i++) {
        const struct weir_result *result = &run->base.document.results[i];
        if (strcmp(result->access, access) == 0) {
            summary_take(&line.bandwidth, result->bw_mib_s);
            summary_take(&line.operations, (double)result->operations / result->total_s);
            line.moved_bytes = line.bandwidth.count == 1 ? (double)result->moved_bytes : line.moved_bytes;
            line.total_s += result->total_s;
            line.wall_s += result->wall_s;
            line.wall_bytes += (double)result->wall_bytes / job->size;
        }
    }
    return line;
}

void ior_summary_add(struct ior_report *report, const struct ior_run *run) {
    for (int i = 0; i < 2; i++) {
        struct ior_line line = summary_of(run, accesses[i], report->tests);
        if (line.bandwidth.count == 0) {
            continue;
        }
        struct ior_line *lines = realloc(report->lines, sizeof *lines * (size_t)(report->line_count + 1));
        if (lines == NULL) {
            fprintf(stderr, "weir-io: no memory for the summary\n");
            MPI_Abort(run->base.job->comm, WEIR_FAILED);
        }
        report->lines = lines;
        lines[report->line_count++] = line;
    }
}

void ior_summary_best(struct ior_report *report, const struct ior_run *run) {
    static const char *const titles[] = {"Write:", "Read: "};
    bool json = report->format == IOR_JSON;
    if (json) {
        weir_json_object(&report->json, "max");
    }
    for (int i = 0; i < 2; i++) {
        struct ior_line line = summary_of(run, accesses[i], report->tests);
        double mib = line.bandwidth.max, mb = mib * MIB / 1e6;
        char key[16];
        if (line.bandwidth.count == 0) {
            continue;
        }
        if (json) {
            snprintf(key, sizeof key, "%sMiB", accesses[i]);
            weir_json_number(&report->json, key, mib);
            snprintf(key, sizeof key, "%sMB", accesses[i]);
            weir_json_number(&report->json, key, mb);
        } else if (report->format == IOR_TABLE) {
            fprintf(report->file, "Max %s %.2f MiB/sec (%.2f MB/sec)\n", titles[i], mib, mb);
        }
    }
    if (json) {
        weir_json_object_end(&report->json);
    }
}

static void summary_spread(FILE *file, const struct ior_spread *spread) {
    fprintf(file, "%10.2f %10.2f %10.2f %10.2f ", spread->max, spread->min, spread->sum / spread->count,
            summary_deviation(spread));
}

static bool summary_has_wall(const struct ior_line *line) {
    return line->run->requested.wear_out && line->wall_s > 0;
}

static void summary_table(FILE *file, const struct ior_line *line) {
    const struct ior_params *a = &line->run->requested;
    fprintf(file, "%-9s ", line->access);
    summary_spread(file, &line->bandwidth);
    summary_spread(file, &line->operations);
    fprintf(file, "%10.5f ", line->total_s / line->bandwidth.count);
    if (summary_has_wall(line)) {
        fprintf(file, "%10.2f %13.2f ", line->wall_s / line->bandwidth.count,
                line->wall_bytes / line->wall_s / MIB);
    } else {
        fprintf(file, "%10s %13s ", "NA", "NA");
    }
    fprintf(file, "%5d %6d %3d %4lld %3d %5d %8lld %9d %4lld %6lld %8lld %8lld %9.1f %3s %6lld\n", line->test,
            line->tasks, line->tasks_per_node, (long long)a->iterations, a->file_per_process,
            a->reorder_constant, (long long)a->shift_nodes, a->reorder_random, (long long)a->reorder_seed,
            (long long)a->segments, (long long)a->block_bytes, (long long)a->xfer_bytes,
            line->moved_bytes / MIB, line->run->base.backend->name, (long long)a->reference);
}

static void summary_json_spread(struct weir_json *json, const struct ior_spread *spread,
                                const char *const keys[4]) {
    weir_json_number(json, keys[0], spread->max);
    weir_json_number(json, keys[1], spread->min);
    weir_json_number(json, keys[2], spread->sum / spread->count);
    weir_json_number(json, keys[3], summary_deviation(spread));
}

static void summary_json(struct weir_json *json, const struct ior_line *line) {
    static const char *const bandwidth[] = {"bwMaxMIB", "bwMinMIB", "bwMeanMIB", "bwStdMIB"};
    static const char *const operations[] = {"OPsMax", "OPsMin", "OPsMean", "OPsSD"};
    const struct ior_params *a = &line->run->requested;
    weir_json_object(json, NULL);
    weir_json_text(json, "operation", line->access);
    weir_json_text(json, "API", line->run->base.backend->name);
    weir_json_integer(json, "TestID", line->test);
    weir_json_integer(json, "ReferenceNumber", a->reference);
    weir_json_integer(json, "segmentCount", a->segments);
    weir_json_integer(json, "blockSize", a->block_bytes);
    weir_json_integer(json, "transferSize", a->xfer_bytes);
    weir_json_integer(json, "numTasks", line->tasks);
    weir_json_integer(json, "tasksPerNode", line->tasks_per_node);
    weir_json_integer(json, "repetitions", a->iterations);
    weir_json_integer(json, "filePerProc", a->file_per_process);
    weir_json_integer(json, "reorderTasks", a->reorder_constant);
    weir_json_integer(json, "taskPerNodeOffset", a->shift_nodes);
    weir_json_integer(json, "reorderTasksRandom", a->reorder_random);
    weir_json_integer(json, "reorderTasksRandomSeed", a->reorder_seed);
    summary_json_spread(json, &line->bandwidth, bandwidth);
    summary_json_spread(json, &line->operations, operations);
    weir_json_number(json, "MeanTime", line->total_s / line->bandwidth.count);
    if (summary_has_wall(line)) {
        weir_json_number(json, "StoneWallTime", line->wall_s / line->bandwidth.count);
        weir_json_number(json, "StoneWallbwMeanMIB", line->wall_bytes / line->wall_s / MIB);
    }
    weir_json_number(json, "xsizeMiB", line->moved_bytes / MIB);
    weir_json_object_end(json);
}

void ior_summary_print(struct ior_report *report) {
    if (report->format == IOR_JSON) {
        weir_json_list_end(&report->json);
        weir_json_list(&report->json, "summary");
        for (int i = 0; i < report->line_count; i++) {
            summary_json(&report->json, &report->lines[i]);
        }
        weir_json_list_end(&report->json);
    } else if (report->format == IOR_TABLE && report->line_count > 0) {
        fprintf(report->file,
                "\nSummary of all tests:\n"
                "Operation   Max(MiB)   Min(MiB)  Mean(MiB)     StdDev   Max(OPs)   Min(OPs)  Mean(OPs)     "
                "StdDev    Mean(s) Stonewall(s) Stonewall(MiB) Test# #Tasks tPN reps fPP reord reordoff "
                "reordrand seed segcnt   blksiz    xsize aggs(MiB)   API RefNum\n");
        for (int i = 0; i < report->line_count; i++) {
            summary_table(report->file, &report->lines[i]);
        }
    }
}
