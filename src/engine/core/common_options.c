#include "common_options.h"

#include "trace.h"

#include <string.h>

#define AT(member) offsetof(struct weir_common, member)

const struct weir_common weir_common_defaults = {.trace_records = WEIR_TRACE_RECORDS};

const struct weir_option weir_document_options[] = {
    {0, "json", NULL, WEIR_TEXT, AT(document_file), "FILE", "write the results as JSON to the file"},
    WEIR_OPTION_END,
};

const struct weir_option weir_start_options[] = {
    {0, "no-warm-up", NULL, WEIR_FLAG, AT(no_warm_up), NULL,
     "let the first timed phase pay for the start of libraries"},
    {0, "no-residency", NULL, WEIR_FLAG, AT(no_residency), NULL,
     "never open a file to see what the page cache holds of it"},
    WEIR_OPTION_END,
};

const struct weir_option weir_trace_options[] = {
    {0, "trace", NULL, WEIR_TEXT, AT(trace_file), "FILE", "write every operation of rank N to FILE.N"},
    {0, "trace-records", NULL, WEIR_COUNT, AT(trace_records), "N",
     "operations of a rank and phase that a trace holds; what is more is counted [1048576]"},
    WEIR_OPTION_END,
};

static bool common_name_is_sound(const char *option, const char *name, char *complaint) {
    REFUSE(name != NULL && (name[0] == '\0' || strlen(name) > 900), "%s: the name is empty or too long",
           option);
    return true;
}

bool weir_common_is_sound(const struct weir_common *common, char *complaint) {
    REFUSE(common->trace_records < 1 || common->trace_records > (int64_t)1 << 32,
           "--trace-records %lld: between 1 and 2^32", (long long)common->trace_records);
    return common_name_is_sound("--json", common->document_file, complaint) &&
           common_name_is_sound("--trace", common->trace_file, complaint);
}
