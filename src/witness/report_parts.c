/* What both kinds of report contain. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>

#include "json.h"
#include "witness.h"

static const char *const sync_names[SYNC_CALLS] = {"fsync", "fdatasync", "sync_file_range", "syncfs",
                                                   "msync"};

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
                sync_names[i], counted(&record->syncs[i]), counted(&record->syncs_failed[i]));
    }
    fputs("}", stream);
}

void write_text_or_null(FILE *stream, const char *key, const char *text) {
    fprintf(stream, "\"%s\": ", key);
    if (text[0] != '\0') {
        json_text(stream, text);
    } else {
        fputs("null", stream);
    }
}

void write_processors(FILE *stream, bool is_over) {
    struct weir_processors allowed;
    char text[256] = "";
    if (!is_over) {
        weir_processors_read(&allowed);
        weir_processors_text(&allowed, text, sizeof text);
    }
    write_text_or_null(stream, "processors", text);
}

void write_group(FILE *stream, const struct weir_control_group *start, bool is_over) {
    struct weir_control_group now = *start;
    if (!is_over) {
        weir_control_group_read(&now);
        weir_control_group_since(start, &now);
    }
    if (!now.known) {
        fputs("\"group\": null", stream);
        return;
    }
    fprintf(stream, "\"group\": {\"throttled_periods\": %" PRIu64 ", \"block_limits\": [",
            is_over ? 0 : now.throttled_periods);
    for (int i = 0; i < now.limit_count; i++) {
        const struct weir_block_limit *limit = &now.limits[i];
        fprintf(stream, "%s{\"device\": \"%u:%u\"", i > 0 ? ", " : "", limit->major_number,
                limit->minor_number);
        for (int way = 0; way < WEIR_BLOCK_WAYS; way++) {
            if (limit->most[way] > 0) {
                fprintf(stream, ", \"%s\": %" PRIu64, weir_block_ways[way], limit->most[way]);
            }
        }
        fputs("}", stream);
    }
    fputs("]}", stream);
}

void write_names(FILE *stream, const uint64_t *names) {
    fputs("\"names\": {", stream);
    for (int i = 0; i < NAME_KINDS; i++) {
        fprintf(stream, "%s\"%s\": %" PRIu64, i > 0 ? ", " : "", write_name_kind(i), names[i]);
    }
    fputs("}", stream);
}

const char *write_name_kind(enum name_kind kind) {
    static const char *const kinds[NAME_KINDS] = {"create", "open",   "mkdir", "stat",
                                                  "rename", "unlink", "rmdir"};
    return kinds[kind];
}

void write_unwritten(FILE *stream, const struct weir_cachestat *unwritten) {
    if (unwritten->files == 0) {
        fputs("\"unwritten\": null", stream);
        return;
    }
    fprintf(stream, "\"unwritten\": {\"files\": %" PRIu64 ", \"pages\": %" PRIu64, unwritten->files,
            unwritten->pages);
    fprintf(stream, ", \"dirty_bytes\": %" PRIu64 ", \"writeback_bytes\": %" PRIu64 "}",
            unwritten->dirty_bytes, unwritten->writeback_bytes);
}

/* Bytes read and written by the devices that hold the files, then by the whole disks. */
void write_device_counts(FILE *stream, const char *key, const uint64_t *counts) {
    fprintf(stream, "\"%s\": ", key);
    for (int i = 0; counts != NULL && i < WEIR_DEVICE_COUNTS; i++) {
        fprintf(stream, "%s%" PRIu64, i > 0 ? ", " : "[", counts[i]);
    }
    fputs(counts != NULL ? "]" : "null", stream);
}

/* For each observer that fits: bytes sent and received, requests, writes, commits, ended connections,
 * unanswered ms, timeouts. */
void write_server_counts(FILE *stream, const char *key, const struct weir_servers *servers,
                         const uint64_t counts[][WEIR_SERVERS_COUNTS]) {
    const char *separator = "";
    fprintf(stream, "\"%s\": [", key);
    for (int i = 0; servers != NULL && i < WEIR_SERVERS_MOST; i++) {
        for (int c = 0; servers->seen[i].fits && c < WEIR_SERVERS_COUNTS; c++) {
            fputs(c > 0 ? ", " : separator, stream);
            fputs(c > 0 ? "" : "[", stream);
            if (servers->seen[i].known && counts[i][c] != WEIR_SERVERS_UNKNOWN) {
                fprintf(stream, "%" PRIu64, counts[i][c]);
            } else {
                fputs("null", stream);
            }
            fputs(c == WEIR_SERVERS_COUNTS - 1 ? "]" : "", stream);
            separator = ", ";
        }
    }
    fputs("]", stream);
}

void write_observers(FILE *stream, const struct weir_servers *servers) {
    int i = 0;
    const char *separator = "";
    fputs("\"observers\": [", stream);
    for (const struct weir_observer *o = weir_observers();
         servers != NULL && o != NULL && i < WEIR_SERVERS_MOST; o = o->next) {
        const struct weir_seen *seen = &servers->seen[i++];
        if (seen->fits) {
            fprintf(stream,
                    "%s{\"observer\": \"%s\", \"counted\": \"%s\", \"known\": %s, \"what\": ", separator,
                    o->name, weir_servers_counted_names[o->counted], seen->known ? "true" : "false");
            json_text(stream, seen->what);
            fputs("}", stream);
            separator = ", ";
        }
    }
    fputs("]", stream);
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
