/* MooseFS: requests of the mount to its master, in the virtual file .stats. It has no counts of data. */
#include "closing.h"
#include "observer.h"

#include <stdio.h>
#include <string.h>

static bool moosefs_fits(const struct weir_medium *medium) {
    return strncmp(medium->file_system, "fuse", 4) == 0 && strncmp(medium->source, "mfs#", 4) == 0;
}

static int moosefs_count(const struct weir_medium *medium, uint64_t counts[WEIR_SERVERS_COUNTS]) {
    char path[400], line[256];
    unsigned long long packets;
    bool found = false;
    snprintf(path, sizeof path, "%.256s/.stats", medium->point);
    WEIR_FILE *file = fopen(path, "re");
    while (file != NULL && !found && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "master.packets_sent: %llu", &packets) == 1) {
            counts[WEIR_SERVERS_REQUESTS] = packets;
            found = true;
        }
    }
    return found;
}

static bool moosefs_begin(const struct weir_medium *medium, char what[96]) {
    uint64_t counts[WEIR_SERVERS_COUNTS];
    bool good = moosefs_count(medium, counts) > 0;
    snprintf(what, 96, good ? "the master of %.70s" : "%.70s shows no .stats", medium->source);
    return good;
}

static struct weir_observer moosefs = {
    .name = "moosefs",
    .counted = WEIR_COUNTS_PAYLOAD,
    .fits = moosefs_fits,
    .begin = moosefs_begin,
    .count = moosefs_count,
};

WEIR_OBSERVER(moosefs)
