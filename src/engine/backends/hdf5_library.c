/* Names of data sets, and the messages of the HDF5 library. */
#include "hdf5_file.h"

#include <stdio.h>

static herr_t hdf5_keep_innermost(unsigned depth, const H5E_error2_t *error, void *message) {
    (void)depth;
    if (error->desc != NULL && error->desc[0] != '\0') {
        snprintf(message, 120, "%s", error->desc);
    }
    return 0;
}

/* The library lists errors from the call down to the cause: the last one is most precise, and the last errno
 * more. */
int weir_hdf5_failed(struct weir_problem *problem, const char *call, const char *path, int code,
                     int last_errno) {
    (void)code; /* always negative */
    char message[120] = "an error without a message";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, hdf5_keep_innermost, message);
    return weir_problem_set(problem, call, path, last_errno, last_errno != 0 ? NULL : message,
                            "HDF5 reports %s", message);
}

void weir_hdf5_name(uint64_t segment, char *name, size_t bytes) {
    snprintf(name, bytes, "Dataset-0000.%04llu", (unsigned long long)segment);
}
