/* What IOR prints of a test before its results. */
#include "ior.h"
#include "ior_report.h"

#include <ctype.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>

static void settings_size(struct ior_report *report, const char *key, long long bytes) {
    static const struct {
        long long bytes;
        const char *name;
    } units[] = {{1LL << 40, "TiB"}, {1LL << 30, "GiB"}, {1LL << 20, "MiB"}};
    char text[64];
    snprintf(text, sizeof text, "%lld bytes", bytes);
    for (int i = 0; i < 3; i++) {
        if (bytes >= units[i].bytes) {
            bool whole = bytes % units[i].bytes == 0;
            snprintf(text, sizeof text, "%.*f %s", whole ? 0 : 2, (double)bytes / (double)units[i].bytes,
                     units[i].name);
            break;
        }
    }
    ior_put_text(report, key, text);
}

static void settings_file_system(struct ior_report *report, const char *path) {
    char directory[1024], size[32], used[32], inodes[32], used_inodes[32];
    struct statvfs facts;
    weir_directory_of(path, directory, sizeof directory);
    if (statvfs(directory, &facts) != 0 || facts.f_blocks == 0) {
        return;
    }
    double all_gib = (double)facts.f_blocks * (double)facts.f_frsize / 1073741824.0;
    double files = facts.f_files > 0 ? (double)facts.f_files : 1;
    snprintf(size, sizeof size, "%.1f %s", all_gib > 1024 ? all_gib / 1024 : all_gib,
             all_gib > 1024 ? "TiB" : "GiB");
    snprintf(used, sizeof used, "%.1f%%", 100.0 * (1.0 - (double)facts.f_bfree / (double)facts.f_blocks));
    snprintf(inodes, sizeof inodes, "%.1f Mi", (double)facts.f_files / 1048576.0);
    snprintf(used_inodes, sizeof used_inodes, "%.1f%%",
             facts.f_files > 0 ? 100.0 * (1.0 - (double)facts.f_ffree / files) : 0.0);
    if (report->format == IOR_TABLE) {
        fprintf(report->file, "%-20s: %s   Used FS: %s   Inodes: %s   Used Inodes: %s\n", "FS", size, used,
                inodes, used_inodes);
        return;
    }
    ior_put_text(report, "Capacity", size);
    ior_put_text(report, "Used Capacity", used);
    ior_put_text(report, "Inodes", inodes);
    ior_put_text(report, "Used Inodes", used_inodes);
}

/* The node without its number, and the system, as IOR names a platform. */
static void settings_platform(struct ior_report *report) {
    struct utsname of;
    char text[sizeof of.nodename + sizeof of.sysname + 4];
    if (uname(&of) != 0) {
        return;
    }
    size_t length = strlen(of.nodename);
    while (length > 1 && isdigit((unsigned char)of.nodename[length - 1])) {
        length--;
    }
    snprintf(text, sizeof text, "%.*s(%s)", (int)length, of.nodename, of.sysname);
    ior_put_text(report, "platform", text);
}

struct pair {
    const char *key;
    long long number;
};

static void settings_numbers(struct ior_report *report, const struct pair *pairs, size_t count) {
    for (size_t i = 0; i < count; i++) {
        ior_put_number(report, pairs[i].key, pairs[i].number);
    }
}

#define NUMBERS(pairs) settings_numbers(report, pairs, sizeof(pairs) / sizeof(pairs)[0])

static void settings_of_test(struct ior_report *report, const struct ior_run *run) {
    const struct ior_params *a = &run->requested;
    const struct pair limits[] = {{"deadlineForStonewall", (long long)(a->stonewall_s + 0.999)},
                                  {"stoneWallingWearOut", a->wear_out},
                                  {"maxTimeDuration", (long long)(a->most_minutes + 0.999)},
                                  {"outlierThreshold", 0}};
    ior_put_number(report, "testID", report->tests);
    ior_put_number(report, "refnum", a->reference);
    ior_put_text(report, "api", run->base.backend->name);
    settings_platform(report);
    ior_put_text(report, "testFileName", a->test_file);
    NUMBERS(limits);
    ior_put_text(report, "options", "");
}

/* Keys in IOR's order. Times are whole seconds or minutes there, so a part of one is rounded up. */
static void settings_parameters(struct ior_report *report, const struct ior_run *run) {
    const struct ior_params *a = &run->requested;
    const struct weir_job *job = run->base.job;
    int64_t hog_bytes = ior_memory_bytes(run);
    char letter = run->packet == WEIR_PAYLOAD_TIMESTAMP ? 'g' : weir_payload_kind_name(run->packet)[0];
    const char packet[2] = {letter, '\0'};
    const struct pair options[] = {{"dryRun", a->dry_run},
                                   {"nodes", job->nodes},
                                   {"memoryPerTask", hog_bytes},
                                   {"memoryPerNode", hog_bytes * job->tasks_on_node0},
                                   {"tasksPerNode", job->tasks_on_node0},
                                   {"repetitions", a->iterations},
                                   {"multiFile", a->multi_file},
                                   {"interTestDelay", (long long)(a->delay_s + 0.999)},
                                   {"fsync", a->sync},
                                   {"fsyncperwrite", a->sync_each},
                                   {"useExistingTestFile", a->existing},
                                   {"uniqueDir", a->unique_dir},
                                   {"singleXferAttempt", a->single_attempt},
                                   {"readFile", a->read},
                                   {"writeFile", a->write},
                                   {"filePerProc", a->file_per_process},
                                   {"reorderTasks", a->reorder_constant},
                                   {"reorderTasksRandom", a->reorder_random},
                                   {"reorderTasksRandomSeed", a->reorder_seed},
                                   {"randomOffset", a->random},
                                   {"checkWrite", a->verify_write},
                                   {"checkRead", a->verify_read},
                                   {"dataPacketType", run->packet},
                                   {"keepFile", a->keep},
                                   {"keepFileWithError", a->keep_with_error},
                                   {"warningAsErrors", 0},
                                   {"verbose", a->verbose}};
    const struct pair data[] = {{"setTimeStampSignature/incompressibleSeed", a->signature},
                                {"collective", a->collective},
                                {"segmentCount", a->segments},
                                {"transferSize", a->xfer_bytes},
                                {"blockSize", a->block_bytes}};
    settings_of_test(report, run);
    NUMBERS(options);
    ior_put_text(report, "data packet type", packet);
    NUMBERS(data);
}

static void settings_order_between_files(struct ior_report *report, const struct ior_params *a) {
    if (!a->reorder_constant && !a->reorder_random) {
        ior_put_text(report, "ordering inter file", "no tasks offsets");
        return;
    }
    ior_put_text(report, "ordering inter file",
                 a->reorder_constant ? "constant task offset" : "random task offset");
    ior_put_number(report, "task offset", a->shift_nodes);
    if (a->reorder_random) {
        ior_put_number(report, "reorder random seed", a->reorder_seed);
    }
}

static void settings_stonewall(struct ior_report *report, const struct ior_params *a) {
    if (a->stonewall_s <= 0) {
        return;
    }
    if (report->format == IOR_JSON) {
        weir_json_number(&report->json, "stonewallingTime", a->stonewall_s);
    } else {
        fprintf(report->file, "%-20s: %g\n", "stonewallingTime", a->stonewall_s);
    }
    ior_put_number(report, "stoneWallingWearOut", a->wear_out);
}

static void settings_options(struct ior_report *report, const struct ior_run *run) {
    const struct ior_params *a = &run->requested;
    ior_put_text(report, "api", run->base.backend->name);
    ior_put_text(report, "apiVersion", "");
    ior_put_text(report, "test filename", a->test_file);
    ior_put_text(report, "access", a->file_per_process ? "file-per-process" : "single-shared-file");
    ior_put_text(report, "type", a->collective ? "collective" : "independent");
    ior_put_number(report, "segments", a->segments);
    ior_put_text(report, "ordering in a file", a->random ? "random" : "sequential");
    settings_order_between_files(report, a);
    ior_put_number(report, "nodes", run->base.job->nodes);
    ior_put_number(report, "tasks", run->base.job->size);
    ior_put_number(report, "clients per node", run->base.job->tasks_on_node0);
    if (report->format == IOR_JSON) { /* IOR names the memory of a GPU here, which weir-io has none of */
        ior_put_text(report, "memoryBuffer", "CPU");
        ior_put_text(report, "dataAccess", "CPU");
        ior_put_text(report, "GPUDirect", "0");
    }
    ior_put_number(report, "repetitions", a->iterations);
    settings_size(report, "xfersize", a->xfer_bytes);
    settings_size(report, "blocksize", a->block_bytes);
    settings_size(report, "aggregate filesize", a->block_bytes * a->segments * run->base.job->size);
    if (a->dry_run) {
        ior_put_number(report, "dryRun", a->dry_run);
    }
    if (a->verbose > 0) {
        ior_put_number(report, "verbose", a->verbose);
    }
    settings_stonewall(report, a);
}

void ior_settings(struct ior_report *report, const struct ior_run *run) {
    bool json = report->format == IOR_JSON;
    if (report->format == IOR_CSV) {
        return;
    }
    if (json) {
        weir_json_object(&report->json, NULL);
    }
    ior_put_number(report, "TestID", report->tests);
    ior_report_moment(report, "StartTime");
    ior_put_text(report, "Path", run->path);
    settings_file_system(report, run->path);
    if (json) {
        weir_json_object(&report->json, "Parameters");
        settings_parameters(report, run);
        weir_json_object_end(&report->json);
        weir_json_object(&report->json, "Options");
    } else {
        fprintf(report->file, "\nOptions: \n");
    }
    settings_options(report, run);
    if (json) {
        weir_json_object_end(&report->json);
    }
}
