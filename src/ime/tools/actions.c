/* The commands that move data. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "imectl.h"

static double actions_seconds_since(int64_t began_ns) {
    return (double)(now_ns(CLOCK_MONOTONIC) - began_ns) * 1e-9;
}

static int actions_report(const struct invocation *invocation, const char *done, uint64_t bytes,
                          int64_t began_ns, int error) {
    double seconds = actions_seconds_since(began_ns);
    if (error != 0) {
        fprintf(stderr, "imectl: %s: %s\n", invocation->command, strerror(error));
    }
    if (invocation->json) {
        printf("{\"command\": \"%s\", \"bytes\": %" PRIu64 ", \"seconds\": %.6f, \"errno\": %d}\n",
               invocation->command, bytes, seconds, error);
    } else {
        printf("%s %" PRIu64 " bytes in %.3f s\n", done, bytes, seconds);
    }
    return error == 0 ? EXIT_DONE : EXIT_FAILED;
}

static int actions_each_buffered(struct store *store, const struct invocation *invocation, migration *migrate,
                                 uint64_t *bytes) {
    struct buffered_list list = {NULL, 0, 0};
    int first_error = survey(store, invocation, &list);
    for (size_t i = 0; i < list.count; i++) {
        int error = 0;
        struct object *object =
            list.entries[i].path == NULL ? NULL : object_find(store, list.entries[i].inode, &error);
        if (object != NULL) {
            error = migrate(object, UINT64_MAX, bytes);
            object_release(object);
        }
        first_error = first_error != 0 ? first_error : error;
    }
    survey_free(&list);
    return first_error;
}

int command_drain(struct store *store, const struct invocation *invocation) {
    int64_t began_ns = now_ns(CLOCK_MONOTONIC);
    uint64_t bytes = 0;
    store_collect(store);
    int error = invocation->file_count > 0 ? actions_each_buffered(store, invocation, object_drain, &bytes)
                                           : drain_everything(store, &bytes);
    error = error != 0 ? error : sync_backings(store);
    return actions_report(invocation, "drained", bytes, began_ns, error);
}

int command_evict(struct store *store, const struct invocation *invocation) {
    int64_t began_ns = now_ns(CLOCK_MONOTONIC);
    uint64_t bytes = 0;
    int error = actions_each_buffered(store, invocation, object_evict, &bytes);
    return actions_report(invocation, "evicted", bytes, began_ns, error);
}

static int actions_stage_one(struct store *store, const char *name, uint64_t *bytes) {
    char relative[PATH_MAX];
    struct file *file;
    int error = path_in_store(store, name, relative);
    error = error != 0 ? error : file_open(store, relative, O_RDONLY, 0, true, &file);
    if (error == 0) {
        error = file->regular ? file_stage(file, bytes) : EISDIR;
        file_close(file);
    }
    if (error != 0) {
        fprintf(stderr, "imectl: %s: %s\n", name, strerror(error));
    }
    return error;
}

int command_stage_in(struct store *store, const struct invocation *invocation) {
    int64_t began_ns = now_ns(CLOCK_MONOTONIC);
    uint64_t bytes = 0;
    int first_error = 0;
    if (invocation->file_count == 0) {
        fprintf(stderr, "imectl: stage-in: name the files to fetch\n");
        return EXIT_USAGE;
    }
    for (int i = 0; i < invocation->file_count; i++) {
        int error = actions_stage_one(store, invocation->files[i], &bytes);
        first_error = first_error != 0 ? first_error : error;
    }
    return actions_report(invocation, "staged in", bytes, began_ns, first_error);
}

static bool actions_named_settled(struct store *store, const struct invocation *invocation, int *error) {
    struct buffered_list list = {NULL, 0, 0};
    bool settled = true;
    if (invocation->file_count == 0) {
        return everything_settled(store);
    }
    *error = survey(store, invocation, &list);
    for (size_t i = 0; i < list.count; i++) {
        settled = settled && list.entries[i].settled;
    }
    survey_free(&list);
    return settled;
}

int command_wait(struct store *store, const struct invocation *invocation) {
    int64_t began_ns = now_ns(CLOCK_MONOTONIC);
    int error = 0;
    int pid;
    while (!actions_named_settled(store, invocation, &error) && error == 0) {
        if (!drainer_is_running(store, &pid)) {
            if (!store->config.drain_auto) {
                fprintf(stderr, "imectl: wait: drain = manual and no drainer runs: run imectl drain\n");
                return EXIT_FAILED;
            }
            error = drainer_start(store);
        }
        if (invocation->timeout_s > 0 && actions_seconds_since(began_ns) > invocation->timeout_s) {
            error = ETIMEDOUT;
        }
        uint32_t drain_error = atomic_load(&store->control->drain_error);
        error = error == 0 ? (int)drain_error : error;
        usleep(2000);
    }
    return actions_report(invocation, "waited for the drain,", 0, began_ns, error);
}

int command_drainer(struct store *store, const struct invocation *invocation) {
    if (invocation->stop) {
        int error = drainer_stop(store, false);
        if (error != 0) {
            fprintf(stderr, "imectl: drainer: it does not end: %s\n", strerror(error));
        }
        return error == 0 ? EXIT_DONE : EXIT_FAILED;
    }
    int error = drainer_run(store);
    return error == 0 || error == EALREADY ? EXIT_DONE : EXIT_FAILED;
}

static void actions_name_clients(struct store *store) {
    fprintf(stderr, "imectl: destroy: %u clients use the store: process", clients_count(store) - 1);
    for (uint32_t i = 0; i < MAX_PROCESSES; i++) {
        if (i != store->process && client_is_alive(store, i)) {
            fprintf(stderr, " %" PRId32, atomic_load(&store->control->processes[i].pid));
        }
    }
    fprintf(stderr, "; hint: end them (or unmount) first\n");
}

/* Everything drained and no client left: 0, or 1 with the reason on stderr. */
static int actions_empty_store(struct store *store, const struct invocation *invocation) {
    uint64_t bytes = 0;
    if (drainer_stop(store, invocation->discard) != 0) {
        fprintf(stderr, "imectl: destroy: the drainer does not end\n");
        return EXIT_FAILED;
    }
    double patience_s = invocation->timeout_s > 0 ? invocation->timeout_s : 5;
    int64_t began_ns = now_ns(CLOCK_MONOTONIC);
    while (clients_count(store) > 1 && actions_seconds_since(began_ns) < patience_s) {
        usleep(10000); /* a mount that got a signal to end is still closing */
    }
    if (clients_count(store) > 1) {
        actions_name_clients(store);
        return EXIT_FAILED;
    }
    if (!invocation->discard) {
        int error = drain_everything(store, &bytes);
        error = error != 0 ? error : sync_backings(store);
        if (error != 0) {
            fprintf(stderr,
                    "imectl: destroy: the drain failed (%s): repair the backing, or lose the data with "
                    "--discard\n",
                    strerror(error));
            return EXIT_FAILED;
        }
    }
    return EXIT_DONE;
}

int command_destroy(struct store *store, const struct invocation *invocation) {
    if (actions_empty_store(store, invocation) != EXIT_DONE) {
        store_close(store);
        return EXIT_FAILED;
    }
    char backing[PATH_MAX];
    snprintf(backing, sizeof backing, "%s", store->config.backing);
    int error = store_destroy(store);
    if (error != 0) {
        fprintf(stderr, "imectl: destroy: %s\n", strerror(error));
        return EXIT_FAILED;
    }
    if (invocation->json) {
        printf("{\"command\": \"destroy\", \"errno\": 0}\n");
    } else {
        printf("destroyed; the files are in %s\n", backing);
    }
    return EXIT_DONE;
}
