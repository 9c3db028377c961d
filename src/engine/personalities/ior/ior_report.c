#include "ior_report.h"

#include "clock.h"
#include "ior.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/utsname.h>

static bool report_open_file(struct ior_report *report, const char *name) {
    report->file = stdout;
    report->log = report->format == IOR_TABLE ? stdout : stderr;
    if (name == NULL) {
        return true;
    }
    report->log = stdout;
    report->file = fopen(name, "we");
    if (report->file == NULL) {
        fprintf(stderr, "weir-io: cannot write the summary file %s: %s\n", name, strerror(errno));
        return false;
    }
    printf("Writing output to %s\n", name);
    fflush(stdout);
    return true;
}

bool ior_report_open(struct ior_report *report, const struct ior_run *run) {
    const struct ior_params *a = &run->requested;
    const char *format = a->summary_format != NULL ? a->summary_format : "default";
    report->format = strcasecmp(format, "JSON") == 0  ? IOR_JSON
                     : strcasecmp(format, "CSV") == 0 ? IOR_CSV
                                                      : IOR_TABLE;
    bool good = run->base.job->rank != 0 || report_open_file(report, a->summary_file);
    report->json.file = report->file;
    return weir_job_agree(run->base.job, good);
}

void ior_put_text(struct ior_report *report, const char *key, const char *text) {
    if (report->format == IOR_JSON) {
        weir_json_text(&report->json, key, text);
    } else if (report->format == IOR_TABLE) {
        fprintf(report->file, "%-20s: %s\n", key, text);
    }
}

void ior_put_number(struct ior_report *report, const char *key, long long number) {
    if (report->format == IOR_JSON) {
        weir_json_integer(&report->json, key, number);
    } else if (report->format == IOR_TABLE) {
        fprintf(report->file, "%-20s: %lld\n", key, number);
    }
}

void ior_report_moment(struct ior_report *report, const char *key) {
    char now[32];
    weir_clock_local("%a %b %e %H:%M:%S %Y", now);
    ior_put_text(report, key, now);
}

static char *report_command_line(const struct weir_job *job) {
    size_t bytes = 1;
    for (int i = 0; i < job->argument_count; i++) {
        bytes += strlen(job->command_line[i]) + 1;
    }
    char *line = calloc(1, bytes);
    for (int i = 0; line != NULL && i < job->argument_count; i++) {
        strcat(line, i > 0 ? " " : "");
        strcat(line, job->command_line[i]);
    }
    return line;
}

static void report_machine(struct ior_report *report, bool whole) {
    struct utsname of;
    char text[sizeof of + 8];
    if (uname(&of) != 0) {
        return;
    }
    int used = snprintf(text, sizeof text, "%s %s", of.sysname, of.nodename);
    if (whole) {
        snprintf(text + used, sizeof text - (size_t)used, " %s %s %s", of.release, of.version, of.machine);
    }
    ior_put_text(report, "Machine", text);
}

void ior_report_header(struct ior_report *report, const struct ior_run *run) {
    char *line = report_command_line(run->base.job);
    if (report->format == IOR_JSON) {
        weir_json_object(&report->json, NULL);
        weir_json_text(&report->json, "Version", "weir-io " WEIR_VERSION);
    } else if (report->format == IOR_TABLE) {
        fprintf(report->file, "weir-io %s ior: the table of IOR 4\n", WEIR_VERSION);
    }
    ior_report_moment(report, "Began");
    ior_put_text(report, "Command line", line != NULL ? line : "");
    report_machine(report, run->requested.verbose > 1);
    if (report->format == IOR_JSON) {
        weir_json_list(&report->json, "tests");
    }
    free(line);
}

/* Whether all of it was written: the error of a line that had no room is not told again when it closes. */
static bool report_close_file(struct ior_report *report) {
    bool good = fflush(report->file) == 0 && ferror(report->file) == 0;
    good = fclose(report->file) == 0 && good;
    if (!good) {
        fprintf(stderr, "weir-io: the summary file is not whole; hint: look for room in its file system\n");
    }
    return good;
}

/* Also after a failure: what is there can be read. */
bool ior_report_close(struct ior_report *report) {
    bool told = report->tests > 0 && (report->line_count > 0 || report->dry || report->format == IOR_JSON);
    if (report->file != NULL && told) {
        ior_summary_print(report);
        ior_report_moment(report, "Finished");
        if (report->format == IOR_JSON) {
            weir_json_object_end(&report->json);
        }
        fflush(report->file);
    }
    free(report->lines);
    return report->file == NULL || report->file == stdout || report_close_file(report);
}
