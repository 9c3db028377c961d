#include "document.h"

#include "clock.h"
#include "personality.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROBLEMS_KEPT 64 /* of more ranks than these nobody reads the list */

bool weir_document_begin(struct weir_document *document) {
    int good = 1;
    weir_clock_iso8601(document->began);
    if (document->job->rank == 0 && document->file_name != NULL) {
        char directory[1024];
        snprintf(directory, sizeof directory, "%s", document->file_name);
        char *slash = strrchr(directory, '/');
        snprintf(slash != NULL ? slash + 1 : directory, 2, ".");
        if (access(directory, W_OK | X_OK) != 0) {
            fprintf(stderr, "weir-io: cannot write the summary file %s: %s\n", document->file_name,
                    strerror(errno));
            good = 0;
        }
    }
    MPI_Bcast(&good, 1, MPI_INT, 0, document->job->comm);
    return good != 0;
}

struct weir_result *weir_document_add(struct weir_document *document, const struct weir_result *result) {
    if (document->job->rank != 0) {
        return NULL;
    }
    size_t bytes = sizeof *result * (size_t)(document->result_count + 1);
    struct weir_result *results = realloc(document->results, bytes);
    if (results == NULL) {
        fprintf(stderr, "weir-io: no memory for %zu bytes of results\n", bytes);
        MPI_Abort(document->job->comm, WEIR_FAILED);
    }
    document->results = results;
    results[document->result_count] = *result;
    return &results[document->result_count++];
}

static bool same_kind(const struct weir_problem *a, const struct weir_problem *b) {
    return a->errnum == b->errnum && strcmp(a->call, b->call) == 0 && strcmp(a->error, b->error) == 0;
}

/* One message for each kind of failure, by the first rank that met it. */
static void print_problems(const struct weir_problem *all, int count) {
    for (int i = 0; i < count; i++) {
        int earlier = 0, later = 0;
        char line[2048];
        for (int j = 0; weir_problem_is_set(&all[i]) && j < count; j++) {
            if (j != i && same_kind(&all[i], &all[j])) {
                j < i ? earlier++ : later++;
            }
        }
        if (weir_problem_is_set(&all[i]) && earlier == 0) {
            weir_problem_sentence(&all[i], later, line, sizeof line);
            fprintf(stderr, "%s\n", line);
        }
    }
    fflush(stderr);
}

static void keep_problems(struct weir_document *document, const struct weir_problem *all, int count) {
    if (document->problems == NULL) {
        document->problems = calloc(PROBLEMS_KEPT, sizeof *document->problems);
    }
    for (int i = 0; document->problems != NULL && i < count; i++) {
        if (weir_problem_is_set(&all[i]) && document->problem_count < PROBLEMS_KEPT) {
            document->problems[document->problem_count++] = all[i];
        }
    }
}

void weir_document_keep(struct weir_document *document, const struct weir_problem *problem) {
    keep_problems(document, problem, 1);
}

void weir_document_note(struct weir_document *document, const struct weir_problem *problem) {
    if (document->job->rank == 0) {
        fflush(stdout);
        print_problems(problem, 1);
        keep_problems(document, problem, 1);
    }
}

bool weir_document_settle(struct weir_document *document, const struct weir_problem *problem) {
    const struct weir_job *job = document->job;
    if (weir_job_agree(job, !weir_problem_is_set(problem))) {
        return true;
    }
    fflush(stdout);
    struct weir_problem *all = NULL;
    if (job->rank == 0) {
        all = calloc((size_t)job->size, sizeof *all);
    }
    MPI_Gather(problem, sizeof *problem, MPI_BYTE, all, sizeof *problem, MPI_BYTE, 0, job->comm);
    if (all != NULL) {
        print_problems(all, job->size);
        keep_problems(document, all, job->size);
        free(all);
    }
    return false;
}

/* Written beside its place and renamed, so that a reader finds the whole document or none. */
bool weir_document_save(const struct weir_document *document, int exit_code) {
    if (document->file_name == NULL) {
        return true;
    }
    char temporary[1100];
    snprintf(temporary, sizeof temporary, "%s.%ld.part", document->file_name, (long)getpid());
    FILE *file = fopen(temporary, "w");
    bool good = file != NULL;
    if (good) {
        weir_document_write(document, file, exit_code);
        good = ferror(file) == 0;
        good = fclose(file) == 0 && good;
        good = good && rename(temporary, document->file_name) == 0;
    }
    if (!good) {
        fprintf(stderr, "weir-io: cannot write the summary file %s: %s\n", document->file_name,
                strerror(errno));
        unlink(temporary);
    }
    return good;
}

int weir_document_end(struct weir_document *document, int exit_code) {
    if (document->job->rank == 0 && !weir_document_save(document, exit_code)) {
        exit_code = WEIR_FAILED;
    }
    for (int i = 0; i < document->result_count; i++) {
        weir_result_free(&document->results[i]);
    }
    free(document->results);
    free(document->problems);
    MPI_Bcast(&exit_code, 1, MPI_INT, 0, document->job->comm);
    return exit_code;
}
