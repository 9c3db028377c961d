/* The JSON document of a run, in which failures of ranks become messages. */
#pragma once

#include "interposed.h"
#include "job.h"
#include "json.h"
#include "problem.h"
#include "result.h"
#include "stuck.h"

struct weir_document {
    struct weir_job *job;
    const char *personality;
    const char *file_name; /* NULL: no document is requested */
    /* Write the keys of "requested", and what a personality adds to each result (may be NULL). */
    void (*requested)(struct weir_json *json, const void *context);
    void (*more)(struct weir_json *json, const struct weir_result *result, const void *context);
    const void *context;

    /* kept by document.c; all but stuck on rank 0 */
    struct weir_stuck stuck;
    char began[40];
    char interposed[WEIR_INTERPOSED_BYTES];
    struct weir_json text; /* of FILE.part in front of the last result, which may yet get its verdict */
    long text_bytes;
    int results_before;
    bool warmed_up; /* libraries were used before the first timed phase */
    struct weir_result *results;
    int result_count;
    struct weir_problem *problems;
    int problem_count;
};

/* Opens the file, so that a bad name is known before anything is measured. False on all ranks, after a
 * message. */
bool weir_document_begin(struct weir_document *document);
/* Hand over a result (rank 0; elsewhere nothing happens). The pointer is good until the next one. */
struct weir_result *weir_document_add(struct weir_document *document, const struct weir_result *result);
/* Collects the problems of all ranks. If one met a problem, rank 0 prints it and keeps it; returns true where
 * all is well. */
bool weir_document_settle(struct weir_document *document, const struct weir_problem *problem);
/* Print and keep a problem that only rank 0 knows; does nothing elsewhere. */
void weir_document_note(struct weir_document *document, const struct weir_problem *problem);
/* Write what is known into FILE.part, where other ranks find it if this one should never come back from a
 * library. Does nothing but on rank 0. */
void weir_document_put_down(struct weir_document *document);
/* Write the document and free everything. Returns the exit code on all ranks: the given one, or a failure. */
int weir_document_end(struct weir_document *document, int exit_code);

/* The text alone (document_json.c, document_probe.c): head, the results one by one, tail. */
void weir_document_write_head(struct weir_json *json, const struct weir_document *document);
void weir_document_write_result(struct weir_json *json, const struct weir_document *document,
                                const struct weir_result *result);
void weir_document_write_tail(struct weir_json *json, const struct weir_problem *problems, int count,
                              bool done);
void weir_document_write_timeline(struct weir_json *json, const struct weir_result *result);
void weir_document_write_observed(struct weir_json *json, const struct weir_result *result);
