/* The results of a test as IOR prints them: its table, its JSON or its CSV. */
#include "clock.h"
#include "ior.h"
#include "ior_report.h"

#define MIB 1048576.0

/* JSON between two items ends within a line, and a launcher may lead a part of a line astray. */
static void table_flush(const struct ior_report *report) {
    if (report->format != IOR_JSON) {
        fflush(report->file);
    }
}

void ior_table_begin(const void *own) {
    const struct ior_run *run = own;
    struct ior_report *report = run->base.launch;
    if (report->tests == 0) {
        ior_report_header(report, run);
    }
    ior_settings(report, run);
    report->in_test = true;
    report->dry = run->requested.dry_run != 0;
    if (report->format == IOR_JSON) {
        weir_json_list(&report->json, "Results");
    } else if (report->format == IOR_CSV) {
        fprintf(report->file, "access,bw(MiB/s),IOPS,Latency,block(KiB),xfer(KiB),open(s),wr/rd(s),close(s),"
                              "total(s),numTasks,iter\n");
    } else {
        fprintf(report->file,
                "\nResults: \n\n"
                "access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   "
                "close(s)   total(s)   iter\n"
                "------    ---------  ----       ----------  ---------- ---------  --------   --------   "
                "--------   --------   ----\n");
    }
    table_flush(report);
}

/* Ten columns; fewer digits for greater numbers. */
static void table_cell(FILE *file, double value, const char *gap) {
    fprintf(file, "%-10.*f%s", value < 1 ? 6 : value < 3600 ? 2 : 0, value, gap);
}

static void table_warnings(FILE *log, const struct ior_run *run, const struct weir_result *result) {
    if (result->wear_out) {
        fprintf(log, "stonewalling pairs accessed min: %llu max: %llu -- mean data: %.1f GiB time: %.1fs\n",
                (unsigned long long)result->wall_pairs_min, (unsigned long long)result->wall_pairs_max,
                (double)result->wall_bytes / run->base.job->size / 1073741824.0, result->wall_s);
    }
    bool plain = (run->base.backend->traits & WEIR_STORES) && !(run->base.backend->traits & WEIR_FORMAT);
    if (result->moved_bytes != result->requested_bytes ||
        (plain && result->file_bytes != result->moved_bytes)) {
        fprintf(log, "WARNING: Expected aggregate file size       = %llu\n",
                (unsigned long long)result->requested_bytes);
        fprintf(log, "WARNING: Stat() of aggregate file size      = %llu\n",
                (unsigned long long)result->file_bytes);
        fprintf(log, "WARNING: Using actual aggregate bytes moved = %llu\n",
                (unsigned long long)result->moved_bytes);
        if (result->walled) {
            fprintf(log, "WARNING: Maybe caused by deadlineForStonewalling\n");
        }
    }
}

struct cell {
    const char *key;
    double value;
};

/* In the order of IOR's JSON; its table and its CSV have block and transfer size behind the latency. */
static void table_row_of(struct ior_report *report, const struct weir_result *result,
                         const struct cell cells[9], int tasks) {
    static const int order[9] = {0, 3, 4, 1, 2, 5, 6, 7, 8};
    if (report->format == IOR_JSON) {
        weir_json_object(&report->json, NULL);
        weir_json_text(&report->json, "access", result->access);
        for (int i = 0; i < 9; i++) {
            weir_json_number(&report->json, cells[i].key, cells[i].value);
        }
        weir_json_object_end(&report->json);
        return;
    }
    bool csv = report->format == IOR_CSV;
    fprintf(report->file, csv ? "%s," : "%-10s", result->access);
    for (int i = 0; i < 9; i++) {
        if (csv) {
            fprintf(report->file, "%.4f,", cells[order[i]].value);
        } else {
            table_cell(report->file, cells[order[i]].value, order[i] == 4 ? "  " : " ");
        }
    }
    if (csv) {
        fprintf(report->file, "%d,%d\n", tasks, result->iteration);
    } else {
        fprintf(report->file, "%-4d\n", result->iteration);
    }
}

void ior_table_row(const struct ior_run *run, const struct weir_result *result) {
    struct ior_report *report = run->base.launch;
    const struct cell cells[9] = {{"bwMiB", result->bw_mib_s},
                                  {"blockKiB", (double)run->requested.block_bytes / 1024.0},
                                  {"xferKiB", (double)run->requested.xfer_bytes / 1024.0},
                                  {"iops", result->ops_s},
                                  {"latency", result->rank_latency_s},
                                  {"openTime", result->open_s},
                                  {"wrRdTime", result->io_s},
                                  {"closeTime", result->close_s},
                                  {"totalTime", result->total_s}};
    table_warnings(report->log, run, result);
    table_row_of(report, result, cells, run->base.job->size);
    fflush(report->log);
    table_flush(report);
}

/* With -v IOR tells how long it took to remove the files. */
void ior_table_removed(const struct ior_run *run, double elapsed_s) {
    struct ior_report *report = run->base.launch;
    if (report->format == IOR_JSON) {
        weir_json_object(&report->json, NULL);
        weir_json_text(&report->json, "access", "remove");
        weir_json_number(&report->json, "totalTime", elapsed_s);
        weir_json_object_end(&report->json);
    } else if (report->format == IOR_TABLE) {
        fprintf(report->file, "remove    -          -          -           -          -          -          "
                              "-          -          ");
        table_cell(report->file, elapsed_s, " ");
        fprintf(report->file, "%-4d\n", run->iteration);
    }
}

/* With -v -v IOR tells the signature, and with one more when a phase begins. */
void ior_table_tell(const struct ior_run *run, const char *phase) {
    const struct ior_report *report = run->base.launch;
    if (phase == NULL) {
        unsigned signature = run->payload.signature;
        fprintf(report->log, "Using Time Stamp %u (0x%x) for Data Signature\n", signature, signature);
    } else {
        char now[32];
        weir_clock_local("%a %b %e %H:%M:%S %Y", now);
        fprintf(report->log, "Commencing %s performance test: %s\n", phase, now);
    }
    fflush(report->log);
}

static void table_hints(FILE *log, const struct weir_hints *hints) {
    for (int i = 0; i < hints->count; i++) {
        fprintf(log, "\t%s = %s\n", hints->list[i].key, hints->list[i].value);
    }
    fprintf(log, "}\n");
}

void ior_table_hints(const struct ior_run *run, const struct weir_result *result) {
    const struct ior_report *report = run->base.launch;
    fprintf(report->log, "\nhints passed to MPI_File_open() {\n");
    table_hints(report->log, &run->base.hints);
    fprintf(report->log, "\nhints returned from opened file {\n");
    table_hints(report->log, &result->observed.hints);
}

void ior_table_end(const struct ior_run *run) {
    struct ior_report *report = run->base.launch;
    if (!report->in_test) {
        return; /* nothing was measured */
    }
    bool json = report->format == IOR_JSON;
    ior_summary_add(report, run);
    if (json) {
        weir_json_list_end(&report->json);
    }
    if (run->requested.verbose > 0) {
        ior_summary_best(report, run);
    }
    if (json) {
        weir_json_object_end(&report->json);
    }
    report->in_test = false;
    report->tests++;
    table_flush(report);
}
