/* The accounts as JSON: of this process, or of one that was killed, by its image. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "image.h"
#include "json.h"

static const char *const call_kinds[CALL_KINDS] = {"read", "write", "sync", "name"};

static void write_number(FILE *stream, const char *key, uint64_t value) {
    fprintf(stream, "\"%s\": %" PRIu64 ", ", key, value);
}

static void write_text(FILE *stream, const char *key, const char *text) {
    write_text_or_null(stream, key, text);
    fputs(", ", stream);
}

/* Its observers, where they watch this mount: they have room for one in each process. */
static const struct weir_servers *servers_of(const struct account *account) {
    return account->watches_servers ? &account->servers : NULL;
}

static void write_process_io(FILE *stream, const char *key, const struct weir_process_io *io) {
    fprintf(stream, "\"%s\": ", key);
    if (!io->known) {
        fputs("null", stream);
        return;
    }
    for (int i = 0; i < WEIR_IO_COUNTS; i++) {
        fprintf(stream, "%s\"%s\": %" PRIu64, i > 0 ? ", " : "{", weir_process_io_names[i], io->counts[i]);
    }
    fputs("}", stream);
}

static void write_counters(FILE *stream, const struct account *account, const struct counters *counters) {
    fputs("{", stream);
    write_number(stream, "raw_ns", counters->raw_ns);
    write_process_io(stream, "io", &counters->io);
    fputs(", ", stream);
    write_device_counts(stream, "device", counters->device_known ? counters->device : NULL);
    fputs(", ", stream);
    write_server_counts(stream, "servers", servers_of(account), counters->servers);
    fputs("}", stream);
}

static void write_each_name(FILE *stream, const char *key, const _Atomic uint64_t *counts) {
    fprintf(stream, "\"%s\": {", key);
    for (int i = 0; i < NAME_KINDS; i++) {
        fprintf(stream, "%s\"%s\": %" PRIu64, i > 0 ? ", " : "", write_name_kind(i), atomic_load(&counts[i]));
    }
    fputs("}, ", stream);
}

static void write_phase(FILE *stream, const struct account *account, const struct phase *phase) {
    fprintf(stream, "{%s", phase->continues ? "\"continues\": true, " : "");
    write_number(stream, "first_ns", phase->first_ns);
    write_number(stream, "last_ns", atomic_load(&phase->last_ns));
    write_number(stream, "read_bytes", atomic_load(&phase->read_bytes));
    write_number(stream, "written_bytes", atomic_load(&phase->written_bytes));
    write_number(stream, "direct_read_bytes", atomic_load(&phase->direct_read_bytes));
    write_number(stream, "direct_written_bytes", atomic_load(&phase->direct_written_bytes));
    write_number(stream, "synced_bytes", atomic_load(&phase->synced_bytes));
    write_number(stream, "synced_earlier_bytes", atomic_load(&phase->synced_earlier_bytes));
    write_number(stream, "synced_from_ns", atomic_load(&phase->synced_from_ns));
    write_number(stream, "ahead_before_bytes", atomic_load(&phase->ahead_before_bytes));
    write_number(stream, "ahead_from_ns", atomic_load(&phase->ahead_from_ns));
    if (atomic_load(&phase->is_read)) {
        write_number(stream, "fetched_before_bytes", phase->fetched_before_bytes);
        if (!atomic_load(&phase->is_queued)) {
            write_number(stream, "fetched_after_bytes",
                         atomic_load(&phase->fetched_beyond_bytes) + atomic_load(&phase->read_bytes));
        }
        write_number(stream, "ahead_bytes", atomic_load(&phase->ahead_bytes));
    }
    write_number(stream, "most_at_once", (uint64_t)atomic_load(&phase->most_at_once));
    for (int i = 0; i < CALL_KINDS; i++) {
        fprintf(stream, "\"%s\": {", call_kinds[i]);
        write_number(stream, "calls", atomic_load(&phase->calls[i]));
        write_number(stream, "first_ns", atomic_load(&phase->began_ns[i]));
        write_number(stream, "last_ns", atomic_load(&phase->ended_ns[i]));
        fprintf(stream, "\"busy_ns\": %" PRIu64 "}, ", atomic_load(&phase->busy_ns[i]));
    }
    write_each_name(stream, "names", phase->names);
    write_each_name(stream, "named_ns", phase->named_ns);
    fputs("\"before\": ", stream);
    write_counters(stream, account, &phase->before);
    fputs("}", stream);
}

static void write_counts(FILE *stream, const struct record *record) {
    write_number(stream, "opens", counted(&record->opens));
    write_number(stream, "opens_failed", counted(&record->opens_failed));
    write_number(stream, "stdio_opens", counted(&record->stdio_opens));
    write_number(stream, "direct_requested", counted(&record->direct_requested));
    write_number(stream, "direct_kernel", counted(&record->direct_kernel));
    write_number(stream, "reads", counted(&record->reads));
    write_number(stream, "read_bytes", counted(&record->read_bytes));
    write_number(stream, "reads_failed", counted(&record->reads_failed));
    write_number(stream, "writes", counted(&record->writes));
    write_number(stream, "written_bytes", counted(&record->written_bytes));
    write_number(stream, "writes_failed", counted(&record->writes_failed));
    write_number(stream, "mapped_bytes", counted(&record->mapped_bytes));
    write_number(stream, "mappings", counted(&record->mappings));
    fputs("\"flags\": ", stream);
    write_flags(stream, atomic_load(&record->flags));
    fputs(", ", stream);
    write_syncs(stream, record);
    fputs(", ", stream);
}

/* The counters of a process that was killed went with it; those of the device are the node's. */
static void count_end(struct account *account, bool is_killed, struct counters *end) {
    if (!is_killed) {
        accounts_count(account, end);
        return;
    }
    memset(end, 0, sizeof *end);
    memset(end->servers, 0xff, sizeof end->servers); /* WEIR_SERVERS_UNKNOWN */
    end->device_known = account->device.name[0] != '\0' && weir_device_now(&account->device, end->device);
    end->raw_ns = weir_raw_clock_ns();
}

static void write_account(FILE *stream, struct account *account, bool is_killed) {
    static struct counters end;
    count_end(account, is_killed, &end);
    fputs("\n   {", stream);
    write_text(stream, "point", account->record.path);
    write_text(stream, "file_system", account->medium.file_system);
    write_text(stream, "source", account->medium.source);
    fprintf(stream, "\"counted\": %s, ", account->medium.counted ? "true" : "false");
    fprintf(stream, "\"watched\": %s, ", account->watched ? "true" : "false");
    fprintf(stream, "\"compresses\": %s, ", atomic_load(&account->compresses) ? "true" : "false");
    write_text(stream, "device", account->device.name);
    write_text(stream, "device_reason", account->device.name[0] != '\0' ? "" : account->device.reason);
    write_number(stream, "device_copies", account->device.copies);
    fprintf(stream, "\"device_mirrors\": [%" PRIu64 ", %" PRIu64 "], ", account->device.mirrors_least,
            account->device.mirrors_most);
    fprintf(stream, "\"device_flushes\": %s, ", account->device.counts_flushes ? "true" : "false");
    write_observers(stream, servers_of(account));
    fputs(", ", stream);
    write_counts(stream, &account->record);
    write_unwritten(stream, &account->unwritten);
    fprintf(stream, ", \"unwritten_inode\": %" PRIu64, account->unwritten_inode);
    fputs(", \"listed\": {", stream);
    write_number(stream, "entries", atomic_load(&account->listed));
    fprintf(stream, "\"busy_ns\": %" PRIu64 "}, \"start\": ", atomic_load(&account->listed_ns));
    write_counters(stream, account, &account->start);
    fputs(", \"end\": ", stream);
    write_counters(stream, account, &end);
    fputs(",\n    \"phases\": [", stream);
    for (unsigned i = 0; i < account->used; i++) {
        fputs(i > 0 ? ",\n     " : "\n     ", stream);
        write_phase(stream, account, &account->phases[i]);
    }
    fprintf(stream, "], \"more_phases\": %" PRIu64 "}", account->more_phases);
}

static void write_io(FILE *stream, bool is_killed) {
    struct weir_process_io io = {.known = false};
    if (!is_killed) {
        accounts_io_read(&io);
        weir_process_io_since(&accounts_start_io, &io);
    }
    write_process_io(stream, "io", &io);
}

/* Who reports, and what was moved on no mount. */
static void write_head(FILE *stream, bool is_killed) {
    bool is_started = image.is_started && (is_killed ? image.is_waited_for : !accounts_is_forgotten());
    bool answers_syncs = is_killed ? image.answers_syncs : chain_answers_syncs();
    fputs("{\n  \"schema\": 1, ", stream);
    fprintf(stream, "\"killed\": %s, \"rank\": %d, \"pid\": %ld, ", is_killed ? "true" : "false", image.rank,
            image.pid);
    write_text(stream, "host", image.host);
    write_text(stream, "kernel", image.kernel);
    write_text(stream, "program", image.program);
    write_number(stream, "rings", atomic_load(&image.rings));
    write_number(stream, "elsewhere_read_bytes", atomic_load(&image.elsewhere_read_bytes));
    write_number(stream, "elsewhere_written_bytes", atomic_load(&image.elsewhere_written_bytes));
    write_number(stream, "uncounted_read_bytes", atomic_load(&image.uncounted_read_bytes));
    write_number(stream, "uncounted_written_bytes", atomic_load(&image.uncounted_written_bytes));
    fprintf(stream, "\"started\": %s, ", is_started ? "true" : "false");
    fprintf(stream, "\"syncs_answered\": %s, ", answers_syncs ? "true" : "false");
    write_group(stream, &image.group, is_killed);
    fputs(", ", stream);
    write_processors(stream, is_killed);
    fputs(", ", stream);
}

void accounts_write(FILE *stream, bool is_killed) {
    write_head(stream, is_killed);
    write_io(stream, is_killed);
    fputs(",\n", stream);
    sample_write(stream);
    fputs(",\n", stream);
    if (is_killed) {
        fputs(image.chain, stream);
    } else {
        chain_write(stream);
    }
    fputs(",\n  \"mounts\": [", stream);
    for (unsigned i = 0; i < atomic_load(&image.used); i++) {
        fputs(i > 0 ? "," : "", stream);
        write_account(stream, &image.accounts[i], is_killed);
    }
    fputs("\n  ]\n}\n", stream);
}
