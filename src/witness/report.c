/* What was seen, as JSON, when the process ends. A process that is killed leaves nothing. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "accounts.h"
#include "json.h"

static void write_record(FILE *stream, const struct record *record, const char *path) {
    const struct {
        const char *name;
        const _Atomic uint64_t *value;
    } counts[] = {{"opens", &record->opens},
                  {"opens_failed", &record->opens_failed},
                  {"direct_requested", &record->direct_requested},
                  {"direct_reported", &record->direct_reported},
                  {"direct_kernel", &record->direct_kernel},
                  {"reads", &record->reads},
                  {"read_bytes", &record->read_bytes},
                  {"reads_failed", &record->reads_failed},
                  {"writes", &record->writes},
                  {"written_bytes", &record->written_bytes},
                  {"writes_failed", &record->writes_failed},
                  {"dontneed", &record->dontneed},
                  {"advises", &record->advises},
                  {"advises_failed", &record->advises_failed},
                  {"truncations", &record->truncations},
                  {"truncations_failed", &record->truncations_failed},
                  {"mappings", &record->mappings},
                  {"flag_changes", &record->flag_changes}};
    fputs("{\"path\": ", stream);
    json_text(stream, path);
    fputs(", \"flags\": ", stream);
    write_flags(stream, atomic_load(&record->flags));
    for (unsigned i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        fprintf(stream, ", \"%s\": %" PRIu64, counts[i].name, atomic_load(counts[i].value));
    }
    fprintf(stream, ", \"existing_bytes\": %" PRIu64 ", ", record->existing_bytes);
    write_syncs(stream, record);
    fputs("}", stream);
}

static bool was_used(const struct record *record) {
    return atomic_load(&record->opens) + atomic_load(&record->opens_failed) + atomic_load(&record->reads) +
               atomic_load(&record->writes) >
           0;
}

/* Children of a rank run helpers; only those that touched the storage have something to report. */
static bool has_something(void) {
    unsigned count;
    uint64_t others;
    const struct record *records = files_first(&count);
    bool used = was_used(files_others(&others));
    for (unsigned i = 0; i < count && !used; i++) {
        used = was_used(&records[i]);
    }
    return used;
}

/* Reads first, of the devices and then of the whole disks. */
static void write_device_counts(FILE *stream, const char *key, const struct moment *moment) {
    fprintf(stream, ", \"%s\": ", key);
    if (!moment->device_known) {
        fputs("null", stream);
        return;
    }
    for (int i = 0; i < WEIR_DEVICE_COUNTS; i++) {
        fprintf(stream, "%s%" PRIu64, i > 0 ? ", " : "[", moment->device[i]);
    }
    fputs("]", stream);
}

/* For each observer that fits: bytes sent and received, requests, writes, commits, ended connections,
 * unanswered ms. */
static void write_server_counts(FILE *stream, const char *key, const struct moment *moment) {
    const char *separator = "";
    fprintf(stream, ", \"%s\": [", key);
    for (int i = 0; i < WEIR_SERVERS_MOST; i++) {
        const struct weir_seen *seen = &spans_servers()->seen[i];
        for (int c = 0; seen->fits && c < WEIR_SERVERS_COUNTS; c++) {
            fputs(c > 0 ? ", " : separator, stream);
            fputs(c > 0 ? "" : "[", stream);
            if (seen->known && moment->servers[i][c] != WEIR_SERVERS_UNKNOWN) {
                fprintf(stream, "%" PRIu64, moment->servers[i][c]);
            } else {
                fputs("null", stream);
            }
            fputs(c == WEIR_SERVERS_COUNTS - 1 ? "]" : "", stream);
            separator = ", ";
        }
    }
    fputs("]", stream);
}

static void write_observers(FILE *stream) {
    int i = 0;
    const char *separator = "";
    fputs("  \"observers\": [", stream);
    for (const struct weir_observer *o = weir_observers(); o != NULL && i < WEIR_SERVERS_MOST; o = o->next) {
        const struct weir_seen *seen = &spans_servers()->seen[i++];
        if (seen->fits) {
            fprintf(stream,
                    "%s{\"observer\": \"%s\", \"counted\": \"%s\", \"known\": %s, \"what\": ", separator,
                    o->name, weir_servers_counted_name(o->counted), seen->known ? "true" : "false");
            json_text(stream, seen->what);
            fputs("}", stream);
            separator = ", ";
        }
    }
    fprintf(stream, "],\n  \"started_ns\": %" PRIu64, spans_start()->raw_ns);
    write_server_counts(stream, "servers_at_start", spans_start());
    fputs(",\n", stream);
}

static void write_unwritten(FILE *stream, const struct weir_cachestat *unwritten) {
    if (unwritten->files == 0) {
        fputs(", \"unwritten\": null", stream);
        return;
    }
    fprintf(stream, ", \"unwritten\": {\"files\": %" PRIu64 ", \"pages\": %" PRIu64, unwritten->files,
            unwritten->pages);
    fprintf(stream, ", \"dirty_bytes\": %" PRIu64 ", \"writeback_bytes\": %" PRIu64 "}",
            unwritten->dirty_bytes, unwritten->writeback_bytes);
}

static void write_span(FILE *stream, const struct span *span) {
    const struct moment *begin = &span->begin, *end = &span->end;
    fprintf(stream, "{\"began_ns\": %" PRIu64 ", \"ended_ns\": %" PRIu64, begin->raw_ns, end->raw_ns);
    fprintf(stream, ", \"transfers_end_ns\": %" PRIu64, span->transfers_end_ns);
    fprintf(stream, ", \"monotonic_ns\": %" PRId64, (int64_t)(end->monotonic_ns - begin->monotonic_ns));
    fprintf(stream, ", \"wall_ns\": %" PRId64, (int64_t)(end->wall_ns - begin->wall_ns));
    /* The thread that finds pauses may have begun to sleep before the span. */
    uint64_t paused_ns = end->paused_ns - begin->paused_ns, lasted_ns = end->raw_ns - begin->raw_ns;
    fprintf(stream, ", \"paused_ns\": %" PRIu64, paused_ns < lasted_ns ? paused_ns : lasted_ns);
    fprintf(stream, ", \"read_bytes\": %" PRIu64, end->read_bytes - begin->read_bytes);
    fprintf(stream, ", \"written_bytes\": %" PRIu64, end->written_bytes - begin->written_bytes);
    fprintf(stream, ", \"syncs\": %" PRIu64, end->syncs - begin->syncs);
    struct weir_process_io io = end->io;
    weir_process_io_since(&begin->io, &io);
    if (io.known && spans_medium()->counted) {
        fprintf(stream, ", \"fetched_bytes\": %" PRIu64 ", \"dirtied_bytes\": %" PRIu64,
                io.counts[WEIR_IO_READ_BYTES], io.counts[WEIR_IO_WRITE_BYTES]);
    } else {
        fputs(", \"fetched_bytes\": null, \"dirtied_bytes\": null", stream);
    }
    write_device_counts(stream, "device_before", begin);
    write_device_counts(stream, "device_after", end);
    write_server_counts(stream, "servers_before", begin);
    write_server_counts(stream, "servers_after", end);
    write_unwritten(stream, &span->unwritten);
    fputs("}", stream);
}

static void write_text_or_null(FILE *stream, const char *key, const char *text) {
    fprintf(stream, "  \"%s\": ", key);
    if (text[0] != '\0') {
        json_text(stream, text);
    } else {
        fputs("null", stream);
    }
    fputs(",\n", stream);
}

static void write_spans(FILE *stream) {
    unsigned count;
    uint64_t more;
    const struct span *spans = spans_all(&count, &more);
    const char *separator = "\n    ";
    write_text_or_null(stream, "file_system", spans_medium()->file_system);
    write_text_or_null(stream, "device", spans_device()->name);
    write_text_or_null(stream, "device_reason",
                       spans_device()->name[0] != '\0' ? "" : spans_device()->reason);
    fprintf(stream, "  \"device_copies\": %" PRIu64 ",\n", spans_device()->copies);
    write_observers(stream);
    fputs("  \"spans\": [", stream);
    for (unsigned i = 0; i < count; i++) {
        if (spans[i].ended) {
            fputs(separator, stream);
            write_span(stream, &spans[i]);
            separator = ",\n    ";
        }
    }
    fprintf(stream, "\n  ],\n  \"more_spans\": %" PRIu64 ",\n", more);
}

static const char *const name_kinds[NAME_KINDS] = {"create", "open",   "mkdir", "stat",
                                                   "rename", "unlink", "rmdir"};

static void write_turn(FILE *stream, const struct turn *turn) {
    fprintf(stream, "{\"kind\": \"%s\", \"operations\": %" PRIu64, name_kinds[turn->kind],
            atomic_load(&turn->operations));
    fprintf(stream, ", \"sampled\": %u, \"there\": %u", turn->sampled, turn->there);
    fprintf(stream, ", \"cached_files\": %" PRIu64 ", \"unwritten_bytes\": %" PRIu64 ", \"span\": ",
            turn->unwritten.files, turn->unwritten.dirty_bytes + turn->unwritten.writeback_bytes);
    write_span(stream, &turn->span);
    fputs("}", stream);
}

static void write_names(FILE *stream) {
    unsigned count;
    uint64_t more;
    const struct turn *turns = names_turns(&count, &more);
    fputs("  \"names\": {", stream);
    for (int i = 0; i < NAME_KINDS; i++) {
        fprintf(stream, "%s\"%s\": %" PRIu64, i > 0 ? ", " : "", name_kinds[i], names_total(i));
    }
    fputs("},\n  \"turns\": [", stream);
    for (unsigned i = 0; i < count; i++) {
        fputs(i > 0 ? ",\n    " : "\n    ", stream);
        write_turn(stream, &turns[i]);
    }
    fprintf(stream, "\n  ],\n  \"more_turns\": %" PRIu64 ",\n", more);
}

static void write_all(FILE *stream, const char *host) {
    unsigned count;
    uint64_t others;
    const struct record *records = files_first(&count);
    const struct record *rest = files_others(&others);
    const char *root = getenv("WEIR_WITNESS_ROOT");
    fprintf(stream, "{\n  \"schema\": 1,\n  \"rank\": %d,\n  \"pid\": %ld,\n  \"host\": ", rank_of(),
            (long)getpid());
    json_text(stream, host);
    fputs(",\n  \"program\": ", stream);
    json_text(stream, program_invocation_name);
    fputs(",\n  \"root\": ", stream);
    json_text(stream, root != NULL ? root : "");
    fputs(",\n", stream);
    chain_write(stream);
    fputs(",\n", stream);
    write_spans(stream);
    write_names(stream);
    sample_write(stream);
    fputs(",\n  \"files\": [", stream);
    const char *separator = "\n    ";
    for (unsigned i = 0; i < count; i++) {
        if (was_used(&records[i])) {
            fputs(separator, stream);
            write_record(stream, &records[i], records[i].path);
            separator = ",\n    ";
        }
    }
    fprintf(stream, "\n  ],\n  \"other_opens\": %" PRIu64 ",\n  \"others\": ", others);
    write_record(stream, rest, "");
    fputs("\n}\n", stream);
}

void report_write(bool is_child) {
    const char *prefix = getenv("WEIR_WITNESS");
    char host[256] = "";
    char path[4096];
    if (prefix == NULL || prefix[0] == '\0' || (is_child && !has_something() && !accounts_wanted)) {
        return;
    }
    gethostname(host, sizeof host - 1);
    static unsigned reports; /* a process that becomes another program leaves one before */
    const char *form = accounts_wanted ? "%s.%s.%ld-%u-%" PRIx64 ".json" : "%s.%s.%ld.json";
    int length = snprintf(path, sizeof path, form, prefix, host, (long)getpid(), reports++, raw_clock_ns());
    if (length < 0 || (size_t)length >= sizeof path) {
        return;
    }
    accounts_inside(true);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
    FILE *stream = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (stream == NULL) {
        fprintf(stderr, "libweir-witness: %s: %s\n", path, strerror(errno));
        accounts_inside(false);
        return;
    }
    if (accounts_wanted) {
        accounts_write(stream, host);
    } else {
        write_all(stream, host);
    }
    fclose(stream);
    accounts_inside(false);
}
