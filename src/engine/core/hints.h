/* Hints: an ordered list of key and value, as requested or as found in force. */
#pragma once

#include "job.h"
#include "json.h"

#include <mpi.h>
#include <stdbool.h>

struct weir_hint {
    char key[64];
    char value[192];
};

struct weir_hints {
    int count;
    struct weir_hint *list;
};

/* Set a key, replacing an earlier value. */
void weir_hints_set(struct weir_hints *hints, const char *key, const char *value);
void weir_hints_free(struct weir_hints *hints);
/* IOR_HINT__MPI__<key>=<value> lines of the environment, then of a file (NULL: none), as rank 0 finds them.
 * Called by all ranks; false with a sentence on those that failed. */
bool weir_hints_share(const struct weir_job *job, struct weir_hints *hints, const char *file_name,
                      char *complaint);
/* For a WEIR_INFO; MPI_INFO_NULL: no hints. */
MPI_Info weir_hints_to_info(const struct weir_hints *hints);

/* An info object that is freed where its variable goes out of scope. */
static inline void weir_free_info(MPI_Info *info) {
    if (*info != MPI_INFO_NULL) {
        MPI_Info_free(info);
    }
}

#define WEIR_INFO __attribute__((cleanup(weir_free_info))) MPI_Info

/* As the key "hints" of the document. */
void weir_hints_write(struct weir_json *json, const struct weir_hints *hints);
/* What is in force: of an info object, which is freed, or of an open file. */
void weir_hints_from_info(struct weir_hints *hints, MPI_Info info);
void weir_hints_from_file(struct weir_hints *hints, MPI_File file);
