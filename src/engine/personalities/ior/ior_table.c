/* The table of IOR 4, for people. Programs read the summary file. */
#include "ior.h"

#include <math.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <time.h>

#define MIB 1048576.0

static void ior_text(const char *key, const char *value) {
    printf("%-20s: %s\n", key, value);
}

static void ior_number(const char *key, long long value) {
    printf("%-20s: %lld\n", key, value);
}

static void ior_moment(const char *key) {
    char now[32];
    time_t seconds = time(NULL);
    struct tm local;
    localtime_r(&seconds, &local);
    strftime(now, sizeof now, "%a %b %e %H:%M:%S %Y", &local);
    ior_text(key, now);
}

static void ior_size(const char *key, long long bytes) {
    static const struct {
        long long bytes;
        const char *name;
    } units[] = {{1LL << 40, "TiB"}, {1LL << 30, "GiB"}, {1LL << 20, "MiB"}};
    for (int i = 0; i < 3; i++) {
        if (bytes >= units[i].bytes) {
            bool whole = bytes % units[i].bytes == 0;
            printf("%-20s: %.*f %s\n", key, whole ? 0 : 2, (double)bytes / (double)units[i].bytes,
                   units[i].name);
            return;
        }
    }
    printf("%-20s: %lld bytes\n", key, bytes);
}

static void ior_file_system(const char *path) {
    char directory[1024];
    struct statvfs facts;
    snprintf(directory, sizeof directory, "%s", path);
    char *slash = strrchr(directory, '/');
    snprintf(slash != NULL ? slash + 1 : directory, 2, ".");
    if (statvfs(directory, &facts) != 0 || facts.f_blocks == 0) {
        return;
    }
    double all_gib = (double)facts.f_blocks * (double)facts.f_frsize / 1073741824.0;
    double used = 100.0 * (1.0 - (double)facts.f_bfree / (double)facts.f_blocks);
    double used_inodes = facts.f_files ? 100.0 * (1.0 - (double)facts.f_ffree / (double)facts.f_files) : 0.0;
    printf("%-20s: %.1f %s   Used FS: %.1f%%   Inodes: %.1f Mi   Used Inodes: %.1f%%\n", "FS",
           all_gib > 1024 ? all_gib / 1024 : all_gib, all_gib > 1024 ? "TiB" : "GiB", used,
           (double)facts.f_files / MIB, used_inodes);
}

static void ior_order_between_files(const struct ior_params *a) {
    if (!a->reorder_constant && !a->reorder_random) {
        ior_text("ordering inter file", "no tasks offsets");
        return;
    }
    ior_text("ordering inter file", a->reorder_constant ? "constant task offset" : "random task offset");
    ior_number("task offset", a->shift_nodes);
    if (a->reorder_random) {
        ior_number("reorder random seed", a->reorder_seed);
    }
}

static void ior_settings(const struct ior_run *run) {
    const struct ior_params *a = &run->requested;
    printf("\nOptions: \n");
    ior_text("api", run->base.backend->name);
    ior_text("test filename", a->test_file);
    ior_text("access", a->file_per_process ? "file-per-process" : "single-shared-file");
    ior_text("type", a->collective ? "collective" : "independent");
    ior_number("segments", a->segments);
    ior_text("ordering in a file", a->random ? "random" : "sequential");
    ior_order_between_files(a);
    ior_number("nodes", run->base.job->nodes);
    ior_number("tasks", run->base.job->size);
    ior_number("clients per node", run->base.job->tasks_on_node0);
    ior_number("repetitions", a->iterations);
    ior_size("xfersize", a->xfer_bytes);
    ior_size("blocksize", a->block_bytes);
    ior_size("aggregate filesize", a->block_bytes * a->segments * run->base.job->size);
    if (a->stonewall_s > 0) {
        printf("%-20s: %g\n", "stonewallingTime", a->stonewall_s);
        ior_number("stoneWallingWearOut", a->wear_out);
    }
}

void ior_table_begin(const void *own) {
    const struct ior_run *run = own;
    struct utsname machine;
    printf("weir-io %s ior: the table of IOR 4\n", WEIR_VERSION);
    ior_moment("Began");
    printf("%-20s:", "Command line");
    for (int i = 0; i < run->base.job->argument_count; i++) {
        printf(" %s", run->base.job->command_line[i]);
    }
    printf("\n");
    if (uname(&machine) == 0) {
        printf("%-20s: %s %s\n", "Machine", machine.sysname, machine.nodename);
    }
    ior_text("Path", run->path);
    ior_file_system(run->path);
    ior_settings(run);
    printf(
        "\nResults: \n\n"
        "access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   "
        "total(s)   iter\n"
        "------    ---------  ----       ----------  ---------- ---------  --------   --------   --------   "
        "--------   ----\n");
    fflush(stdout);
}

/* Ten columns; fewer digits for greater numbers. */
static void ior_cell(double value, const char *gap) {
    printf("%-10.*f%s", value < 1 ? 6 : value < 3600 ? 2 : 0, value, gap);
}

static void ior_warnings(const struct ior_run *run, const struct weir_result *result) {
    if (result->wear_out) {
        printf("stonewalling pairs accessed min: %llu max: %llu -- mean data: %.1f GiB time: %.1fs\n",
               (unsigned long long)result->wall_pairs_min, (unsigned long long)result->wall_pairs_max,
               (double)result->wall_bytes / run->base.job->size / 1073741824.0, result->wall_s);
    }
    bool plain = (run->base.backend->traits & WEIR_STORES) && !(run->base.backend->traits & WEIR_FORMAT);
    if (result->moved_bytes != result->requested_bytes ||
        (plain && result->file_bytes != result->moved_bytes)) {
        printf("WARNING: Expected aggregate file size       = %llu\n",
               (unsigned long long)result->requested_bytes);
        printf("WARNING: Stat() of aggregate file size      = %llu\n",
               (unsigned long long)result->file_bytes);
        printf("WARNING: Using actual aggregate bytes moved = %llu\n",
               (unsigned long long)result->moved_bytes);
        if (result->walled) {
            printf("WARNING: Maybe caused by deadlineForStonewalling\n");
        }
    }
}

void ior_table_row(const struct ior_run *run, const struct weir_result *result) {
    ior_warnings(run, result);
    printf("%-10s", result->access);
    ior_cell(result->bw_mib_s, " ");
    ior_cell(result->ops_s, " ");
    ior_cell(result->rank_latency_s, "  ");
    ior_cell((double)run->requested.block_bytes / 1024.0, " ");
    ior_cell((double)run->requested.xfer_bytes / 1024.0, " ");
    ior_cell(result->open_s, " ");
    ior_cell(result->io_s, " ");
    ior_cell(result->close_s, " ");
    ior_cell(result->total_s, " ");
    printf("%-4d\n", result->iteration);
    fflush(stdout);
}

struct spread {
    double max, min, sum, squares;
    int count;
};

static void ior_take(struct spread *spread, double value) {
    spread->max = spread->count == 0 || value > spread->max ? value : spread->max;
    spread->min = spread->count == 0 || value < spread->min ? value : spread->min;
    spread->sum += value;
    spread->squares += value * value;
    spread->count++;
}

static void ior_print_spread(const struct spread *spread) {
    double mean = spread->sum / spread->count;
    double variance = spread->squares / spread->count - mean * mean;
    printf("%10.2f %10.2f %10.2f %10.2f ", spread->max, spread->min, mean,
           variance > 0 ? sqrt(variance) : 0.0);
}

static void ior_summary(const struct ior_run *run, const char *access) {
    const struct ior_params *a = &run->requested;
    struct spread bandwidth = {0}, operations = {0};
    double total_s = 0, wall_s = 0, wall_bytes = 0, moved_bytes = 0;
    for (int i = 0; i < run->base.document.result_count; i++) {
        const struct weir_result *result = &run->base.document.results[i];
        if (strcmp(result->access, access) == 0) {
            ior_take(&bandwidth, result->bw_mib_s);
            ior_take(&operations, (double)result->operations / result->total_s);
            moved_bytes = bandwidth.count == 1 ? (double)result->moved_bytes : moved_bytes;
            total_s += result->total_s;
            wall_s += result->wall_s;
            wall_bytes += (double)result->wall_bytes / run->base.job->size;
        }
    }
    if (bandwidth.count == 0) {
        return;
    }
    printf("%-9s ", access);
    ior_print_spread(&bandwidth);
    ior_print_spread(&operations);
    printf("%10.5f ", total_s / bandwidth.count);
    if (a->wear_out && wall_s > 0) {
        printf("%10.2f %13.2f ", wall_s / bandwidth.count, wall_bytes / wall_s / MIB);
    } else {
        printf("%10s %13s ", "NA", "NA");
    }
    printf("%5d %6d %3d %4lld %3d %5d %8lld %9d %4lld %6lld %8lld %8lld %9.1f %3s %6d\n", 0,
           run->base.job->size, run->base.job->tasks_on_node0, (long long)a->iterations, a->file_per_process,
           a->reorder_constant, (long long)a->shift_nodes, a->reorder_random, (long long)a->reorder_seed,
           (long long)a->segments, (long long)a->block_bytes, (long long)a->xfer_bytes, moved_bytes / MIB,
           run->base.backend->name, 0);
}

void ior_table_end(const struct ior_run *run) {
    printf("\nSummary of all tests:\n"
           "Operation   Max(MiB)   Min(MiB)  Mean(MiB)     StdDev   Max(OPs)   Min(OPs)  Mean(OPs)     "
           "StdDev    "
           "Mean(s) Stonewall(s) Stonewall(MiB) Test# #Tasks tPN reps fPP reord reordoff reordrand seed "
           "segcnt   "
           "blksiz    xsize aggs(MiB)   API RefNum\n");
    ior_summary(run, "write");
    ior_summary(run, "read");
    ior_moment("Finished");
    fflush(stdout);
}
