/* What IOR prints, for people and for programs: one header, the part of each test, one summary. It is of a
 * launch: the tests of a script share it. Only rank 0 prints. */
#pragma once

#include "result.h"

#include <stdbool.h>
#include <stdio.h>

struct ior_run;

enum ior_format { IOR_TABLE, IOR_JSON, IOR_CSV };

struct ior_spread {
    double max, min, sum, squares;
    int count;
};

/* A line of the summary: all iterations of one access of one test. */
struct ior_line {
    char access[16];
    struct ior_spread bandwidth, operations;
    double total_s, wall_s, wall_bytes, moved_bytes;
    int test, tasks, tasks_per_node;
    const struct ior_run *run; /* for what was requested; it lives as long as the report */
};

struct ior_report {
    bool in_script;   /* the command lines that are read now are the tests of -f */
    int script_tests; /* how many they are */
    bool measured;    /* no command line was wrong */
    bool unreadable;  /* IOR would not have come to look at what the command line requests */
    enum ior_format format;
    FILE *file; /* the results; NULL: not open */
    FILE *log;  /* warnings: where they do not spoil the results for a program */
    struct weir_json json;
    int tests; /* begun */
    bool in_test;
    bool dry; /* --dryRun: no results are missing */
    struct ior_line *lines;
    int line_count;
};

/* ior_report.c. False on all ranks after a message where -O summaryFile cannot be written. */
bool ior_report_open(struct ior_report *report, const struct ior_run *run);
bool ior_report_close(struct ior_report *report); /* false after a message where results are lost */
/* Printed for the first test, before its results. */
void ior_report_header(struct ior_report *report, const struct ior_run *run);
void ior_report_moment(struct ior_report *report, const char *key);
/* One pair; nothing in a CSV. */
void ior_put_text(struct ior_report *report, const char *key, const char *text);
void ior_put_number(struct ior_report *report, const char *key, long long number);

/* ior_settings.c: TestID to Options */
void ior_settings(struct ior_report *report, const struct ior_run *run);

/* ior_summary.c */
void ior_summary_add(struct ior_report *report, const struct ior_run *run);
/* The greatest of each access, as IOR prints it after a test with -v. */
void ior_summary_best(struct ior_report *report, const struct ior_run *run);
void ior_summary_print(struct ior_report *report);
