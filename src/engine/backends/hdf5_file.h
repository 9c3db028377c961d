/* What the files of the HDF5 back end share: hdf5.c moves data, hdf5_stored.c looks at what was stored,
 * hdf5_library.c knows names and errors. */
#pragma once

#include "backend.h"
#include "try.h"

#include <hdf5.h>

#define VALUE_BYTES 8

struct hdf5_settings {
    int64_t alignment_bytes;
    int64_t chunk_values;
    int64_t deflate;
    int no_fill;
    int collective_metadata;
    int shuffle, fletcher32, subfiling;
};

static inline bool weir_hdf5_filters(const struct hdf5_settings *settings) {
    return settings->deflate != 0 || settings->shuffle || settings->fletcher32;
}

/* Name of the data set of a segment. */
void weir_hdf5_name(uint64_t segment, char *name, size_t bytes);
/* Always -1, after setting the problem. */
int weir_hdf5_failed(struct weir_problem *problem, const char *call, const char *path, int code,
                     int last_errno);
int weir_hdf5_stored(const char *path, const void *settings, struct weir_stored *stored,
                     struct weir_problem *problem);

#define TRY(call_text, expression) WEIR_TRY(WEIR_NEGATIVE, weir_hdf5_failed, call_text, expression)
