/* What one rank does: read directories, look at files. */
#include "clock.h"
#include "find.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define ENTRIES_AT_ONCE 128 /* between two looks at the clock */

static bool find_grow(struct find_queue *queue) {
    if (queue->head > 0 && queue->head + queue->count == queue->capacity) {
        memmove(queue->items, queue->items + queue->head, queue->count * sizeof *queue->items);
        queue->head = 0;
    }
    if (queue->count == queue->capacity) {
        size_t capacity = queue->capacity * 2 + 64;
        char **items = realloc(queue->items, capacity * sizeof *items);
        if (items == NULL) {
            return false;
        }
        queue->items = items;
        queue->capacity = capacity;
    }
    return true;
}

bool find_push(struct find_queue *queue, char kind, const char *folder, const char *name) {
    size_t length = strlen(folder) + strlen(name) + 3;
    char *item = malloc(length);
    if (item == NULL || !find_grow(queue)) {
        free(item);
        return false;
    }
    snprintf(item, length, "%c%s%s%s", kind, folder, name[0] != '\0' ? "/" : "", name);
    queue->items[queue->head + queue->count++] = item;
    return true;
}

void find_queue_free(struct find_queue *queue) {
    for (size_t i = 0; i < queue->count; i++) {
        free(queue->items[queue->head + i]);
    }
    free(queue->items);
    memset(queue, 0, sizeof *queue);
}

static void find_fail(struct find_run *run, const char *call, const char *path, int cause) {
    run->counts.failures++;
    weir_problem_set(&run->base.problem, call, path, cause, NULL, "%s", "");
}

static bool find_is_newer(const struct find_run *run, const struct stat *facts) {
    const struct timespec *a = &facts->st_mtim, *b = &run->newer_than;
    return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec);
}

static void find_hit(struct find_run *run, const char *folder, const char *name) {
    run->counts.found++;
    if (!run->requested.count_only) {
        printf("%s%s%s\n", folder, name[0] != '\0' ? "/" : "", name);
    }
}

static void find_look_at(struct find_run *run, const char *path) {
    struct stat facts;
    uint64_t start_ticks = weir_clock_ticks();
    int status = lstat(path, &facts);
    uint64_t ticks = weir_clock_ticks() - start_ticks;
    if (status != 0) {
        find_fail(run, "lstat", path, errno);
        return;
    }
    weir_histogram_add(&run->base.measure.latency, weir_clock_ns_of(ticks));
    bool right_size = run->size_bytes < 0 || facts.st_size == run->size_bytes;
    if (right_size && (run->requested.newer == NULL || find_is_newer(run, &facts))) {
        find_hit(run, path, "");
    }
}

static void find_enqueue(struct find_run *run, char kind, const char *name) {
    if (!find_push(&run->queue, kind, run->reading_path, name)) {
        find_fail(run, "malloc", run->reading_path, ENOMEM);
    }
}

/* Some file systems do not return the type of an entry with its name. */
static bool find_is_directory(struct find_run *run, const struct dirent *entry) {
    struct stat facts;
    if (entry->d_type != DT_UNKNOWN) {
        return entry->d_type == DT_DIR;
    }
    run->counts.unknown_types++;
    if (fstatat(dirfd(run->reading), entry->d_name, &facts, AT_SYMLINK_NOFOLLOW) != 0) {
        find_fail(run, "fstatat", run->reading_path, errno);
        return false;
    }
    return S_ISDIR(facts.st_mode);
}

static void find_take_entry(struct find_run *run, const struct dirent *entry) {
    const char *name = entry->d_name;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
        return;
    }
    run->counts.entries++;
    if (find_is_directory(run, entry)) {
        find_enqueue(run, 'd', name);
        return;
    }
    run->counts.files++;
    if (run->requested.name != NULL && fnmatch(run->requested.name, name, 0) != 0) {
        return;
    }
    if (run->size_bytes < 0 && run->requested.newer == NULL) {
        find_hit(run, run->reading_path, name);
    } else if (run->queue.count < (size_t)run->requested.queue) {
        find_enqueue(run, 'f', name);
    } else {
        char path[4096 + 256];
        snprintf(path, sizeof path, "%s/%s", run->reading_path, name);
        find_look_at(run, path);
    }
}

static void find_end_directory(struct find_run *run) {
    closedir(run->reading);
    free(run->reading_path);
    run->reading = NULL;
    run->reading_path = NULL;
    run->counts.directories++;
}

static void find_read_on(struct find_run *run) {
    for (int i = 0; i < ENTRIES_AT_ONCE; i++) {
        errno = 0;
        const struct dirent *entry = readdir(run->reading);
        if (entry == NULL) {
            if (errno != 0) {
                find_fail(run, "readdir", run->reading_path, errno);
            }
            find_end_directory(run);
            return;
        }
        find_take_entry(run, entry);
    }
}

/* The newest item: so the queue stays as short as the tree is deep. */
static void find_take_item(struct find_run *run) {
    char *item = run->queue.items[run->queue.head + --run->queue.count];
    if (item[0] == 'f') {
        find_look_at(run, item + 1);
        free(item);
        return;
    }
    run->reading = opendir(item + 1);
    if (run->reading == NULL) {
        find_fail(run, "opendir", item + 1, errno);
    } else {
        run->reading_path = strdup(item + 1);
        if (run->reading_path == NULL) {
            find_fail(run, "strdup", item + 1, ENOMEM);
            closedir(run->reading);
            run->reading = NULL;
        }
    }
    free(item);
}

void find_work(struct find_run *run, uint64_t until_ns) {
    while (run->reading != NULL || run->queue.count > 0) {
        if (run->reading != NULL) {
            find_read_on(run);
        } else {
            find_take_item(run);
        }
        if (weir_clock_ns() > until_ns) {
            return;
        }
    }
}
