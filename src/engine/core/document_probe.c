/* The part of the document that the probe fills: bandwidth over time, and what the operating system reports.
 */
#include "document.h"

#include <math.h>

void weir_document_write_timeline(struct weir_json *json, const struct weir_result *result) {
    const struct weir_buckets *buckets = &result->timeline;
    if (!weir_json_object_known(json, "timeline", result->moved_bytes > 0 && buckets->bucket_s > 0)) {
        return;
    }
    weir_json_number(json, "bucket_s", buckets->bucket_s);
    weir_json_counts(json, "moved_bytes", buckets->bytes, WEIR_TIMELINE_BUCKETS);
    weir_json_object_end(json);
}

static void document_write_process_io(struct weir_json *json, const struct weir_process_io *io) {
    if (!weir_json_object_known(json, "process_io", io->known)) {
        return;
    }
    for (int i = 0; i < WEIR_IO_COUNTS; i++) {
        weir_json_count(json, weir_process_io_names[i], io->counts[i]);
    }
    weir_json_object_end(json);
}

static void document_write_share(struct weir_json *json, const char *key,
                                 const struct weir_residency *residency) {
    bool known = residency->sampled_pages > 0;
    weir_json_number(json, key,
                     known ? (double)residency->resident_pages / (double)residency->sampled_pages : NAN);
}

static void document_write_residency(struct weir_json *json, const struct weir_watched *watched) {
    if (!weir_json_object_known(json, "residency",
                                watched->before.sampled_pages > 0 || watched->after.sampled_pages > 0)) {
        return;
    }
    document_write_share(json, "before", &watched->before);
    document_write_share(json, "after", &watched->after);
    weir_json_count(json, "sampled_pages", watched->before.sampled_pages);
    weir_json_object_end(json);
}

static void document_write_unwritten(struct weir_json *json, const struct weir_cachestat *unwritten) {
    if (!weir_json_object_known(json, "unwritten", unwritten->files > 0)) {
        return;
    }
    weir_json_count(json, "files", unwritten->files);
    weir_json_count(json, "pages", unwritten->pages);
    weir_json_count(json, "dirty_bytes", unwritten->dirty_bytes);
    weir_json_count(json, "writeback_bytes", unwritten->writeback_bytes);
    weir_json_object_end(json);
}

static void document_write_llite(struct weir_json *json, const struct weir_llite *llite) {
    if (!weir_json_object_known(json, "lustre", llite->instance[0] != '\0')) {
        return;
    }
    weir_json_text(json, "mount", llite->instance);
    weir_json_object(json, "counters");
    for (int i = 0; i < llite->count; i++) {
        weir_json_object(json, llite->counters[i].name);
        weir_json_count(json, "samples", llite->counters[i].samples);
        weir_json_count(json, "sum", llite->counters[i].sum);
        weir_json_object_end(json);
    }
    weir_json_object_end(json);
    weir_json_object_end(json);
}

static void document_write_device(struct weir_json *json, const struct weir_device *device) {
    bool known = device->name[0] != '\0';
    weir_json_known_count(json, "device_read_bytes", known, device->counts[WEIR_DEVICE_READ]);
    weir_json_known_count(json, "device_written_bytes", known, device->counts[WEIR_DEVICE_WRITTEN]);
    weir_json_object(json, "device");
    weir_json_text(json, "name", known ? device->name : NULL);
    weir_json_text(json, "reason", known || device->reason[0] == '\0' ? NULL : device->reason);
    weir_json_known_count(json, "disk_read_bytes", known, device->counts[WEIR_DEVICE_DISK_READ]);
    weir_json_known_count(json, "disk_written_bytes", known, device->counts[WEIR_DEVICE_DISK_WRITTEN]);
    weir_json_known_count(json, "copies", known, device->copies);
    weir_json_known_count(json, "mirrors_least", known, device->mirrors_least);
    weir_json_known_count(json, "mirrors_most", known, device->mirrors_most);
    weir_json_known_count(json, "flushes", known && device->counts_flushes,
                          device->counts[WEIR_DEVICE_FLUSHES]);
    weir_json_object_end(json);
}

static void document_write_observer(struct weir_json *json, const struct weir_observer *observer,
                                    const struct weir_seen *seen) {
    static const char *const names[WEIR_SERVERS_COUNTS] = {
        "sent_bytes", "received_bytes",    "requests",      "writes",
        "commits",    "ended_connections", "unanswered_ms", "timeouts"};
    weir_json_object(json, NULL);
    weir_json_text(json, "observer", observer->name);
    weir_json_text(json, "counted", weir_servers_counted_names[observer->counted]);
    weir_json_text(json, "what", seen->known ? seen->what : NULL);
    weir_json_text(json, "reason", seen->known ? NULL : seen->what);
    for (int i = 0; i < WEIR_SERVERS_COUNTS; i++) {
        bool known = seen->known && seen->counts[i] != WEIR_SERVERS_UNKNOWN;
        weir_json_known_count(json, names[i], known, seen->counts[i]);
    }
    weir_json_known_count(json, "idle_sent_bytes", seen->known, seen->idle[0]);
    weir_json_known_count(json, "idle_received_bytes", seen->known, seen->idle[1]);
    weir_json_object_end(json);
}

/* Those that moved anything. */
static void document_write_peers(struct weir_json *json, const struct weir_peers *peers) {
    char name[WEIR_PEER_NAME];
    weir_json_list(json, "by_address");
    for (int i = 0; i < peers->count; i++) {
        const struct weir_peer *peer = &peers->list[i];
        if (peer->sent_bytes + peer->received_bytes == 0) {
            continue;
        }
        weir_peer_name(peer, name);
        weir_json_object(json, NULL);
        weir_json_text(json, "address", name);
        weir_json_bool(json, "here", peer->here);
        weir_json_count(json, "sent_bytes", peer->sent_bytes);
        weir_json_count(json, "received_bytes", peer->received_bytes);
        weir_json_count(json, "outstanding_us", peer->outstanding_us);
        weir_json_count(json, "closed_us", peer->closed_us);
        bool received = peer->received_bytes > 0;
        weir_json_known_count(json, "answer_us", received,
                              received ? peer->answer_us_bytes / peer->received_bytes : 0);
        weir_json_object_end(json);
    }
    weir_json_list_end(json);
}

/* null: nothing tells that the file system has servers. */
static void document_write_servers(struct weir_json *json, const struct weir_servers *servers) {
    int i = 0;
    if (!weir_json_object_known(json, "servers", servers->any)) {
        return;
    }
    weir_json_number(json, "idle_s", servers->idle_s);
    weir_json_known_count(json, "cpu_waited_us", servers->cpu_waited_us != WEIR_SERVERS_UNKNOWN,
                          servers->cpu_waited_us);
    weir_json_list(json, "observers");
    for (const struct weir_observer *o = weir_observers(); o != NULL && i < WEIR_SERVERS_MOST; o = o->next) {
        const struct weir_seen *seen = &servers->seen[i++];
        if (seen->fits) {
            document_write_observer(json, o, seen);
        }
    }
    weir_json_list_end(json);
    document_write_peers(json, &servers->peers);
    weir_json_object_end(json);
}

static void document_write_payload(struct weir_json *json, const struct weir_payload_sample *payload) {
    if (!weir_json_object_known(json, "payload", payload->sampled_bytes > 0)) {
        return;
    }
    weir_json_number(json, "compressed_share", payload->compressed_share);
    weir_json_number(json, "unique_share", payload->unique_share);
    weir_json_count(json, "sampled_bytes", payload->sampled_bytes);
    weir_json_object_end(json);
}

static void document_write_layout_component(struct weir_json *json, const struct weir_file_layout *layout,
                                            const struct weir_layout_component *component) {
    weir_json_object(json, NULL);
    weir_json_count(json, "begin_bytes", component->begin_bytes);
    weir_json_known_count(json, "end_bytes", component->end_bytes != WEIR_LAYOUT_END, component->end_bytes);
    weir_json_text(json, "pattern", component->pattern);
    weir_json_text(json, "pool", component->pool[0] != '\0' ? component->pool : NULL);
    weir_json_integer(json, "stripe_count", component->stripe_count);
    weir_json_count(json, "stripe_bytes", component->stripe_bytes);
    weir_json_list(json, "targets");
    for (int i = 0; i < component->target_count; i++) {
        weir_json_count(json, NULL, layout->targets[component->first_target + i]);
    }
    weir_json_list_end(json);
    weir_json_object_end(json);
}

/* Numbers that are not 0, by their place. */
static void document_write_counted(struct weir_json *json, const char *key, const uint32_t *counts,
                                   int places) {
    char place[16];
    weir_json_object(json, key);
    for (int i = 0; i < places; i++) {
        if (counts[i] > 0) {
            snprintf(place, sizeof place, "%d", i);
            weir_json_count(json, place, counts[i]);
        }
    }
    weir_json_object_end(json);
}

static void document_write_file_layout(struct weir_json *json, const struct weir_result *result) {
    const struct weir_file_layout *layout = result->file_layout;
    if (layout == NULL) {
        return;
    }
    weir_json_object(json, "file_layout");
    weir_json_text(json, "source", layout->source);
    weir_json_count(json, "files", result->layout_counts->files);
    document_write_counted(json, "file_stripes", result->layout_counts->stripes, WEIR_LAYOUT_TARGETS);
    document_write_counted(json, "target_stripes", result->layout_counts->objects, WEIR_LAYOUT_TARGETS);
    weir_json_list(json, "components");
    for (int i = 0; i < layout->component_count; i++) {
        document_write_layout_component(json, layout, &layout->components[i]);
    }
    weir_json_list_end(json);
    weir_json_object_end(json);
}

/* These files were named just before the clock started. */
static void document_write_touched(struct weir_json *json, const struct weir_result *result) {
    const char *const touched[] = {result->watched.medium.file_system[0] != '\0' ? "directory" : NULL,
                                   result->watched.touched ? "file" : NULL};
    weir_json_texts(json, "touched", touched, 2);
}

/* Only where the ranks differ. */
static void document_write_types(struct weir_json *json, const struct weir_watched *watched) {
    if (watched->types[1][0] == '\0') {
        return;
    }
    weir_json_list(json, "file_systems");
    for (int i = 0; i < WEIR_WATCH_TYPES && watched->types[i][0] != '\0'; i++) {
        weir_json_text(json, NULL, watched->types[i]);
    }
    weir_json_list_end(json);
}

static void document_write_limit(struct weir_json *json, const struct weir_block_limit *limit) {
    char number[32];
    snprintf(number, sizeof number, "%u:%u", limit->major_number, limit->minor_number);
    weir_json_object(json, NULL);
    weir_json_text(json, "device", number);
    for (int way = 0; way < WEIR_BLOCK_WAYS; way++) {
        if (limit->most[way] > 0) {
            weir_json_count(json, weir_block_ways[way], limit->most[way]);
        }
    }
    weir_json_object_end(json);
}

static void document_write_group(struct weir_json *json, const struct weir_control_group *group) {
    if (!weir_json_object_known(json, "group", group->known)) {
        return;
    }
    weir_json_count(json, "throttled_periods", group->throttled_periods);
    weir_json_list(json, "block_limits");
    for (int i = 0; i < group->limit_count; i++) {
        document_write_limit(json, &group->limits[i]);
    }
    weir_json_list_end(json);
    weir_json_object_end(json);
}

static void document_write_processors(struct weir_json *json, const struct weir_watched *watched) {
    if (!weir_json_object_known(json, "processors", watched->processors > 0)) {
        return;
    }
    weir_json_count(json, "ranks", watched->ranks);
    weir_json_count(json, "allowed", watched->processors);
    weir_json_object_end(json);
}

void weir_document_write_observed(struct weir_json *json, const struct weir_result *result) {
    const struct weir_watched *watched = &result->watched;
    const struct weir_process_io *io = &watched->io;
    bool counted = io->known && watched->medium.counted;
    weir_json_text(json, "file_system",
                   watched->medium.file_system[0] != '\0' ? watched->medium.file_system : NULL);
    document_write_types(json, watched);
    weir_json_known_count(json, "fetched_bytes", counted, io->counts[WEIR_IO_READ_BYTES]);
    weir_json_known_count(json, "dirtied_bytes", counted, io->counts[WEIR_IO_WRITE_BYTES]);
    document_write_device(json, &watched->device);
    document_write_servers(json, &watched->servers);
    weir_json_number(json, "clock_error", watched->clock_error >= 0 ? watched->clock_error : NAN);
    weir_json_number(json, "paused_s", (double)watched->paused_ns / 1e9);
    document_write_group(json, &watched->group);
    document_write_processors(json, watched);
    document_write_process_io(json, io);
    document_write_residency(json, watched);
    if (result->clock_doubt_s > 0) {
        weir_json_number(json, "clock_doubt_s", result->clock_doubt_s);
    }
    document_write_unwritten(json, &watched->unwritten);
    document_write_llite(json, &watched->llite);
    document_write_payload(json, &result->payload);
    document_write_touched(json, result);
    document_write_file_layout(json, result);
    if (result->denied_holes > 0) {
        weir_json_count(json, "denied_holes", result->denied_holes);
    }
    if (result->looked > 0) {
        weir_json_object(json, "contents");
        weir_json_count(json, "looked", result->looked);
        weir_json_count(json, "differing", result->differing);
        weir_json_object_end(json);
    }
    if (result->late_sizes > 0) {
        weir_json_count(json, "late_sizes", result->late_sizes);
    }
    if (result->existing_bytes > 0) {
        weir_json_count(json, "existing_bytes", result->existing_bytes);
    }
}
