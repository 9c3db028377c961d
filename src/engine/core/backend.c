#include "backend.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static struct weir_backend *backends;

/* Constructors run in no particular order, so the lists are kept sorted. */
void weir_backend_register(struct weir_backend *backend) {
    const struct weir_backend **place = (const struct weir_backend **)&backends;
    while (*place != NULL && strcmp((*place)->name, backend->name) < 0) {
        place = (const struct weir_backend **)&((struct weir_backend *)*place)->next;
    }
    backend->next = *place;
    *place = backend;
}

const struct weir_backend *weir_backends(void) {
    return backends;
}

const struct weir_backend *weir_backend_find(const char *name) {
    for (const struct weir_backend *b = backends; b != NULL; b = b->next) {
        if (strcasecmp(b->name, name) == 0 || (b->alias != NULL && strcasecmp(b->alias, name) == 0)) {
            return b;
        }
    }
    return NULL;
}

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
