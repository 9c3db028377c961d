/* GlusterFS: what each client translator of the mount exchanged with its brick, in the virtual folder .meta.
 */
#include "closing.h"
#include "observer.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

static bool gluster_fits(const struct weir_medium *medium) {
    return strcmp(medium->file_system, "fuse.glusterfs") == 0;
}

static bool gluster_add_brick(const char *path, uint64_t counts[WEIR_SERVERS_COUNTS]) {
    char line[256];
    unsigned long long value;
    int found = 0;
    WEIR_FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "total_bytes_read = %llu", &value) == 1) {
            counts[WEIR_SERVERS_RECEIVED] += value;
            found++;
        } else if (sscanf(line, "total_bytes_written = %llu", &value) == 1) {
            counts[WEIR_SERVERS_SENT] += value;
            found++;
        }
    }
    return found == 2;
}

/* The number of bricks; 0 where one cannot be read: a sum of some is useless. */
static int gluster_count(const struct weir_medium *medium, uint64_t counts[WEIR_SERVERS_COUNTS]) {
    char folder[400], path[800];
    int bricks = 0;
    snprintf(folder, sizeof folder, "%.256s/.meta/graphs/active", medium->point);
    counts[WEIR_SERVERS_SENT] = counts[WEIR_SERVERS_RECEIVED] = 0;
    WEIR_DIR *translators = opendir(folder);
    for (struct dirent *entry; translators != NULL && (entry = readdir(translators)) != NULL;) {
        if (strstr(entry->d_name, "-client-") == NULL) {
            continue;
        }
        snprintf(path, sizeof path, "%s/%.255s/private", folder, entry->d_name);
        if (!gluster_add_brick(path, counts)) {
            bricks = 0;
            break;
        }
        bricks++;
    }
    return bricks;
}

static bool gluster_begin(const struct weir_medium *medium, char what[96]) {
    uint64_t counts[WEIR_SERVERS_COUNTS];
    int bricks = gluster_count(medium, counts);
    if (bricks > 0) {
        snprintf(what, 96, "%d bricks of %.70s", bricks, medium->source);
    } else {
        snprintf(what, 96, "the mount shows no counters of its bricks (.meta)");
    }
    return bricks > 0;
}

static struct weir_observer gluster = {
    .name = "gluster",
    .counted = WEIR_COUNTS_TRAFFIC,
    .fits = gluster_fits,
    .begin = gluster_begin,
    .count = gluster_count,
};

WEIR_OBSERVER(gluster)
