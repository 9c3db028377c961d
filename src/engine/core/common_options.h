/* Options that several personalities have. Each table is for one purpose: a personality takes those whose
 * options have an effect in it. */
#pragma once

#include "options.h"

#include <stdint.h>

/* What all these tables fill. */
struct weir_common {
    const char *document_file; /* NULL: no document was requested */
    const char *trace_file;    /* NULL: none */
    int64_t trace_records;
    int no_warm_up; /* weir_warm_up does nothing */
    int no_residency;
};

extern const struct weir_common weir_common_defaults;

extern const struct weir_option weir_document_options[]; /* --json */
extern const struct weir_option weir_start_options[];    /* --no-warm-up, --no-residency */
extern const struct weir_option weir_trace_options[];    /* --trace, --trace-records */

bool weir_common_is_sound(const struct weir_common *common, char *complaint);
