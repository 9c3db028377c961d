#include "backend.h"

#include <errno.h>
#include <stdlib.h>

static void backend_free_state(struct weir_file *file) {
    if (file->backend->state_bytes > 0) {
        free(file->state);
        file->state = NULL;
    }
}

bool weir_open_shared(const struct weir_open *how) {
    int ranks;
    MPI_Comm_size(how->comm, &ranks);
    return ranks > 1;
}

int weir_file_open(struct weir_file *file, struct weir_problem *problem) {
    if (file->backend->state_bytes > 0) {
        file->state = calloc(1, file->backend->state_bytes);
        if (file->state == NULL) {
            return weir_problem_set(problem, "malloc", file->how->path, ENOMEM, NULL, "%s", "");
        }
    }
    int status = file->backend->open(file, problem);
    if (status != 0) {
        backend_free_state(file);
    }
    return status;
}

int weir_file_close(struct weir_file *file, struct weir_problem *problem) {
    int status = file->backend->close(file, problem);
    backend_free_state(file);
    return status;
}
