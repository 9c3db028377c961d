/* What both kinds of report contain. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>

#include "witness.h"

static const char *const sync_names[SYNC_CALLS] = {"fsync", "fdatasync", "sync_file_range", "syncfs"};

static const struct {
    int flag;
    const char *name;
} flag_names[] = {{O_CREAT, "O_CREAT"},   {O_EXCL, "O_EXCL"},     {O_TRUNC, "O_TRUNC"},
                  {O_APPEND, "O_APPEND"}, {O_DIRECT, "O_DIRECT"}, {O_DSYNC, "O_DSYNC"}};

void write_flags(FILE *stream, uint64_t flags) {
    const char *separator = "";
    fputs("[", stream);
    for (unsigned i = 0; i < sizeof flag_names / sizeof flag_names[0]; i++) {
        if ((flags & (uint64_t)(unsigned)flag_names[i].flag) != 0) {
            fprintf(stream, "%s\"%s\"", separator, flag_names[i].name);
            separator = ", ";
        }
    }
    if ((flags & O_SYNC) == O_SYNC) { /* it has the bit of O_DSYNC */
        fprintf(stream, "%s\"O_SYNC\"", separator);
    }
    fputs("]", stream);
}

void write_syncs(FILE *stream, const struct record *record) {
    fputs("\"syncs\": {", stream);
    for (unsigned i = 0; i < SYNC_CALLS; i++) {
        fprintf(stream, "%s\"%s\": {\"done\": %" PRIu64 ", \"failed\": %" PRIu64 "}", i > 0 ? ", " : "",
                sync_names[i], atomic_load(&record->syncs[i]), atomic_load(&record->syncs_failed[i]));
    }
    fputs("}", stream);
}

int rank_of(void) {
    static const char *const names[] = {"PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *text = getenv(names[i]);
        if (text != NULL) {
            return atoi(text);
        }
    }
    return -1;
}
