/* What was seen, as JSON, when the process ends. One that is killed leaves its image at most. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image.h"
#include "json.h"

static void write_record(FILE *stream, const struct record *record, const char *path) {
    const struct {
        const char *name;
        const struct counter *value;
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
        fprintf(stream, ", \"%s\": %" PRIu64, counts[i].name, counted(counts[i].value));
    }
    fprintf(stream, ", \"existing_bytes\": %" PRIu64 ", ", record->existing_bytes);
    write_syncs(stream, record);
    fputs("}", stream);
}

static bool was_used(const struct record *record) {
    return counted(&record->opens) + counted(&record->opens_failed) + counted(&record->reads) +
               counted(&record->writes) >
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

static void write_counters(FILE *stream, const char *when, const struct moment *moment) {
    char key[32];
    snprintf(key, sizeof key, "device_%s", when);
    fputs(", ", stream);
    write_device_counts(stream, key, moment->device_known ? moment->device : NULL);
    snprintf(key, sizeof key, "servers_%s", when);
    fputs(", ", stream);
    write_server_counts(stream, key, &spans_tested()->servers, moment->servers);
}

static void write_places(FILE *stream, const char *key, const struct places *places) {
    fprintf(stream, ", \"%s\": {\"calls\": %" PRIu64 ", \"unplaced\": %" PRIu64, key, counted(&places->calls),
            counted(&places->unplaced));
    fprintf(stream, ", \"looked\": %" PRIu64 ", \"differing\": %" PRIu64, counted(&places->looked),
            counted(&places->differing));
    fprintf(stream, ", \"marked\": %u, \"slots\": %u}", places_marked(places), PLACES_SLOTS);
}

static void write_span(FILE *stream, const struct span *span) {
    const struct moment *begin = &span->begin, *end = &span->end;
    fprintf(stream, "{\"began_ns\": %" PRIu64 ", \"ended_ns\": %" PRIu64, begin->raw_ns, end->raw_ns);
    fprintf(stream, ", \"transfers_end_ns\": %" PRIu64, span->transfers_end_ns);
    fprintf(stream, ", \"monotonic_ns\": %" PRId64, (int64_t)(end->monotonic_ns - begin->monotonic_ns));
    fprintf(stream, ", \"wall_ns\": %" PRId64, (int64_t)(end->wall_ns - begin->wall_ns));
    fprintf(stream, ", \"apart_ns\": %" PRIu64, begin->apart_ns + end->apart_ns);
    /* The thread that finds pauses may have begun to sleep before the span. */
    uint64_t paused_ns = end->paused_ns - begin->paused_ns, lasted_ns = end->raw_ns - begin->raw_ns;
    fprintf(stream, ", \"paused_ns\": %" PRIu64, paused_ns < lasted_ns ? paused_ns : lasted_ns);
    fprintf(stream, ", \"halt_ns\": %" PRIu64 ", \"halt_bytes\": %" PRIu64, span->halt.ns, span->halt.bytes);
    fprintf(stream, ", \"read_bytes\": %" PRIu64, end->read_bytes - begin->read_bytes);
    fprintf(stream, ", \"written_bytes\": %" PRIu64, end->written_bytes - begin->written_bytes);
    fprintf(stream, ", \"syncs\": %" PRIu64, end->syncs - begin->syncs);
    struct weir_process_io io = end->io;
    weir_process_io_since(&begin->io, &io);
    if (io.known && spans_tested()->medium.counted) {
        fprintf(stream, ", \"fetched_bytes\": %" PRIu64 ", \"dirtied_bytes\": %" PRIu64,
                io.counts[WEIR_IO_READ_BYTES], io.counts[WEIR_IO_WRITE_BYTES]);
        fprintf(stream, ", \"cancelled_bytes\": %" PRIu64, io.counts[WEIR_IO_CANCELLED_WRITE_BYTES]);
    } else {
        fputs(", \"fetched_bytes\": null, \"dirtied_bytes\": null", stream);
    }
    /* The kernel counts neither Linux AIO nor splice as read and written. */
    if (io.known &&
        atomic_load(&image.uncounted_read_bytes) + atomic_load(&image.uncounted_written_bytes) == 0) {
        fprintf(stream, ", \"system_read_bytes\": %" PRIu64 ", \"system_written_bytes\": %" PRIu64,
                io.counts[WEIR_IO_RCHAR], io.counts[WEIR_IO_WCHAR]);
    }
    write_places(stream, "read_places", &span->places[0]);
    write_places(stream, "write_places", &span->places[1]);
    write_counters(stream, "before", begin);
    write_counters(stream, "after", end);
    fputs(", ", stream);
    write_unwritten(stream, &span->unwritten);
    fputs("}", stream);
}

static void write_spans(FILE *stream) {
    unsigned count;
    uint64_t more;
    const struct span *spans = spans_all(&count, &more);
    const struct tested *tested = spans_tested();
    const struct weir_device *device = &tested->device;
    const char *separator = "\n    ";
    fputs("  ", stream);
    write_text_or_null(stream, "file_system", tested->medium.file_system);
    fputs(",\n  ", stream);
    write_text_or_null(stream, "device", device->name);
    fputs(",\n  ", stream);
    write_text_or_null(stream, "device_reason", device->name[0] != '\0' ? "" : device->reason);
    fprintf(stream, ",\n  \"device_copies\": %" PRIu64 ",\n  ", device->copies);
    fprintf(stream, "\"device_mirrors\": [%" PRIu64 ", %" PRIu64 "],\n  ", device->mirrors_least,
            device->mirrors_most);
    fprintf(stream, "\"device_flushes\": %s,\n  ", device->counts_flushes ? "true" : "false");
    write_observers(stream, &tested->servers);
    fprintf(stream, ",\n  \"started_ns\": %" PRIu64 ", ", tested->start.raw_ns);
    write_group(stream, &tested->group, false);
    fputs(", ", stream);
    write_processors(stream, false);
    fputs(", ", stream);
    write_server_counts(stream, "servers_at_start", &tested->servers, tested->start.servers);
    fputs(",\n  \"spans\": [", stream);
    for (unsigned i = 0; i < count; i++) {
        if (spans[i].ended) {
            fputs(separator, stream);
            write_span(stream, &spans[i]);
            separator = ",\n    ";
        }
    }
    fprintf(stream, "\n  ],\n  \"more_spans\": %" PRIu64 ",\n", more);
}

static void write_turn(FILE *stream, const struct turn *turn) {
    fprintf(stream, "{\"kind\": \"%s\", \"operations\": %" PRIu64, write_name_kind(turn->kind),
            atomic_load(&turn->operations));
    fprintf(stream, ", \"sampled\": %u, \"there\": %u", turn->sampled, turn->there);
    fprintf(stream, ", \"cached_files\": %" PRIu64 ", \"unwritten_bytes\": %" PRIu64, turn->unwritten.files,
            turn->unwritten.dirty_bytes + turn->unwritten.writeback_bytes);
    write_places(stream, "named", &turn->named);
    fputs(", \"span\": ", stream);
    write_span(stream, &turn->span);
    fputs("}", stream);
}

static void write_turns(FILE *stream) {
    unsigned count;
    uint64_t more;
    const struct turn *turns = names_turns(&count, &more);
    fputs("  ", stream);
    write_names(stream, names_totals());
    fputs(",\n  \"turns\": [", stream);
    for (unsigned i = 0; i < count; i++) {
        fputs(i > 0 ? ",\n    " : "\n    ", stream);
        write_turn(stream, &turns[i]);
    }
    fprintf(stream, "\n  ],\n  \"more_turns\": %" PRIu64 ",\n", more);
}

static void write_all(FILE *stream) {
    char host[256] = "", kernel[40];
    unsigned count;
    uint64_t others;
    const struct record *records = files_first(&count);
    const struct record *rest = files_others(&others);
    const char *root = getenv("WEIR_WITNESS_ROOT");
    gethostname(host, sizeof host - 1);
    fprintf(stream, "{\n  \"schema\": 1,\n  \"rank\": %d,\n  \"pid\": %ld,\n  \"host\": ", rank_of(),
            (long)getpid());
    json_text(stream, host);
    fputs(", ", stream);
    weir_device_read_kernel(kernel); /* whose counters these are: nodes may share one */
    write_text_or_null(stream, "kernel", kernel);
    fputs(",\n  \"program\": ", stream);
    json_text(stream, program_invocation_name);
    fputs(",\n  \"root\": ", stream);
    json_text(stream, root != NULL ? root : "");
    fputs(",\n", stream);
    chain_write(stream);
    fputs(",\n", stream);
    write_spans(stream);
    write_turns(stream);
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

/* Names the report of the accounts, which is whole or not there, so that the image of a process that is
 * killed meanwhile counts. */
static bool name_report(char *path, size_t room) {
    const char *prefix = getenv("WEIR_WITNESS");
    char host[256] = "";
    if (accounts_wanted) {
        return image_report_path(path, room, ".part") != NULL;
    }
    gethostname(host, sizeof host - 1);
    int length = snprintf(path, room, "%s.%s.%ld.json", prefix != NULL ? prefix : "", host, (long)getpid());
    return prefix != NULL && prefix[0] != '\0' && length > 0 && (size_t)length < room;
}

static void report_ends(const char *path) {
    char whole[4096];
    if (accounts_wanted && image_report_path(whole, sizeof whole, ".json") != NULL &&
        rename(path, whole) == 0) {
        image_end();
    }
}

void report_write(bool is_child) {
    char path[4096];
    if ((is_child && !has_something() && !accounts_wanted) || !name_report(path, sizeof path)) {
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
        accounts_write(stream, false);
    } else {
        write_all(stream);
    }
    if (fclose(stream) == 0) {
        report_ends(path);
    }
    accounts_inside(false);
}
