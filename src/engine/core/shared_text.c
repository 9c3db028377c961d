#include "shared_text.h"

#include "closing.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NULL after a message. */
static char *shared_text_read(const char *who, const char *name) {
    WEIR_FILE *file = fopen(name, "r");
    char *text = NULL;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0) {
        long size = ftell(file);
        rewind(file);
        text = size >= 0 ? calloc(1, (size_t)size + 1) : NULL;
        if (text != NULL && fread(text, 1, (size_t)size, file) != (size_t)size) {
            free(text);
            text = NULL;
        }
    }
    if (text == NULL) {
        fprintf(stderr, "weir-io: %s: %s: %s\n", who, name, strerror(errno));
    }
    return text;
}

char *weir_shared_text(const struct weir_job *job, const char *who, const char *name) {
    char *text = job->rank == 0 ? shared_text_read(who, name) : NULL;
    long long bytes = text != NULL ? (long long)strlen(text) + 1 : 0;
    MPI_Bcast(&bytes, 1, MPI_LONG_LONG, 0, job->comm);
    if (bytes == 0) {
        return NULL;
    }
    if (job->rank != 0) {
        text = malloc((size_t)bytes);
    }
    if (!weir_job_agree(job, text != NULL)) {
        free(text);
        return NULL;
    }
    MPI_Bcast(text, (int)bytes, MPI_CHAR, 0, job->comm);
    return text;
}

void weir_status_write(const struct weir_job *job, const char *name, uint64_t operations,
                       struct weir_problem *problem) {
    if (job->rank != 0) {
        return;
    }
    FILE *file = fopen(name, "w");
    bool good = file != NULL && fprintf(file, "%llu", (unsigned long long)operations) > 0;
    good = file != NULL && fclose(file) == 0 && good;
    if (!good) {
        weir_problem_set(problem, "fopen", name, errno, NULL, "to keep what the stonewall left");
    }
}

int64_t weir_status_read(const struct weir_job *job, const char *name, struct weir_problem *problem) {
    long long operations = -1;
    if (job->rank == 0) {
        WEIR_FILE *file = fopen(name, "r");
        if (file == NULL) {
            weir_problem_set(problem, "fopen", name, errno, NULL, "to learn what was written");
        } else if (fscanf(file, "%lld", &operations) != 1 || operations < 1) {
            weir_problem_set(problem, "fscanf", name, 0, "it holds no number of operations", "%s", "");
            operations = -1;
        }
    }
    MPI_Bcast(&operations, 1, MPI_LONG_LONG, 0, job->comm);
    return operations;
}
