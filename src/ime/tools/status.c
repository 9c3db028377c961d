#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#include "imectl.h"

static struct buffered status_total_of(const struct buffered_list *list) {
    struct buffered total = {.settled = true};
    for (size_t i = 0; i < list->count; i++) {
        const struct buffered *entry = &list->entries[i];
        total.size_bytes += entry->size_bytes;
        total.resident_bytes += entry->resident_bytes;
        total.dirty_bytes += entry->dirty_bytes;
        total.drained_bytes += entry->drained_bytes;
        total.settled = total.settled && (entry->settled || entry->path == NULL);
    }
    return total;
}

/* Besides ourselves and the drainer. */
static unsigned status_count_clients(const struct store *store) {
    int pid;
    unsigned ours = drainer_is_running(store, &pid) ? 2 : 1;
    unsigned all = clients_count(store);
    return all > ours ? all - ours : 0;
}

static void status_print_json_bytes(const struct buffered *entry) {
    printf("\"size_bytes\": %" PRIu64 ", \"resident_bytes\": %" PRIu64 ", \"dirty_bytes\": %" PRIu64
           ", \"drained_bytes\": %" PRIu64 ", \"settled\": %s",
           entry->size_bytes, entry->resident_bytes, entry->dirty_bytes, entry->drained_bytes,
           entry->settled ? "true" : "false");
}

static void status_add_index(struct store *store, const char *name, void *total_bytes) {
    int fd = openat(store->objects_fd, name, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        *(uint64_t *)total_bytes += index_bytes(fd);
        close(fd);
    }
}

static void status_print_json(struct store *store, const struct buffered_list *list) {
    int pid = drainer_process(store);
    struct buffered total = status_total_of(list);
    uint64_t index = 0;
    objects_each(store, status_add_index, &index);
    printf("{\n  \"fast\": ");
    print_json_text(store->config.fast);
    printf(",\n  \"backing\": ");
    print_json_text(store->config.backing);
    printf(",\n  \"emulated\": true,\n  \"granule_bytes\": %" PRIu64 ",\n  \"capacity_bytes\": %" PRIu64
           ",\n  \"used_bytes\": %" PRIu64 ",\n  \"index_bytes\": %" PRIu64 ",\n",
           store->granule_bytes, store->control->capacity_bytes, atomic_load(&store->control->used_bytes),
           index);
    printf("  \"clients\": %u,\n  \"drainer_pid\": ", status_count_clients(store));
    printf(pid != 0 ? "%d" : "null", pid);
    printf(",\n  \"drain_errno\": %u,\n  \"total\": {", atomic_load(&store->control->drain_error));
    status_print_json_bytes(&total);
    printf("},\n  \"files\": [");
    for (size_t i = 0; i < list->count; i++) {
        const struct buffered *entry = &list->entries[i];
        printf("%s\n    {\"path\": ", i > 0 ? "," : "");
        if (entry->path != NULL) {
            print_json_text(entry->path);
        } else {
            printf("null");
        }
        printf(", ");
        status_print_json_bytes(entry);
        printf("}");
    }
    printf("%s]\n}\n", list->count > 0 ? "\n  " : "");
}

static void status_print_row(const struct buffered *entry, const char *name) {
    printf("%14" PRIu64 " %14" PRIu64 " %14" PRIu64 " %14" PRIu64 "  %s\n", entry->size_bytes,
           entry->resident_bytes, entry->dirty_bytes, entry->drained_bytes, name);
}

static void status_print_text(const struct store *store, const struct buffered_list *list) {
    int pid = drainer_process(store);
    const double mib = 1048576;
    struct buffered total = status_total_of(list);
    printf("store %s before %s (emulated)\n", store->config.fast, store->config.backing);
    printf("%.1f of %.1f MiB used, %u clients, ", (double)atomic_load(&store->control->used_bytes) / mib,
           (double)store->control->capacity_bytes / mib, status_count_clients(store));
    int noted;
    if (pid != 0) {
        printf("drainer %d\n", pid);
    } else if (drainer_is_running(store, &noted)) { /* just begun, or of another namespace */
        printf("a drainer of unknown id\n");
    } else {
        printf("no drainer (drain = %s)\n", store->config.drain_auto ? "auto" : "manual");
    }
    printf("%14s %14s %14s %14s  %s\n", "size/B", "resident/B", "dirty/B", "drained/B", "file");
    for (size_t i = 0; i < list->count; i++) {
        const struct buffered *entry = &list->entries[i];
        status_print_row(entry, entry->path != NULL ? entry->path : "(deleted, still open)");
    }
    status_print_row(&total, "total");
}

int command_status(struct store *store, const struct invocation *invocation) {
    struct buffered_list list = {NULL, 0, 0};
    int error = survey(store, invocation, &list);
    if (invocation->json) {
        status_print_json(store, &list);
    } else {
        status_print_text(store, &list);
    }
    survey_free(&list);
    return error == 0 ? EXIT_DONE : EXIT_FAILED;
}
