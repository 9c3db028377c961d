#include "status_file.h"

#include <errno.h>
#include <stdio.h>

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
        FILE *file = fopen(name, "r");
        if (file == NULL) {
            weir_problem_set(problem, "fopen", name, errno, NULL, "to learn what was written");
        } else {
            if (fscanf(file, "%lld", &operations) != 1 || operations < 1) {
                weir_problem_set(problem, "fscanf", name, 0, "it holds no number of operations", "%s", "");
                operations = -1;
            }
            fclose(file);
        }
    }
    MPI_Bcast(&operations, 1, MPI_LONG_LONG, 0, job->comm);
    return operations;
}
