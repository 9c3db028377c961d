/* The NFS client of the kernel: payload and requests of one mount in /proc/self/mountstats. */
#include "nfs.h"

#include "closing.h"

#include <stdio.h>
#include <string.h>

static bool nfs_fits(const struct weir_medium *medium) {
    return strcmp(medium->file_system, "nfs") == 0 || strcmp(medium->file_system, "nfs4") == 0;
}

/* device SOURCE mounted on POINT with fstype nfs4 statvers=1.1 */
static bool nfs_is_of(const char *line, const char *point) {
    char here[600];
    snprintf(here, sizeof here, " mounted on %.500s with fstype nfs", point);
    return strncmp(line, "device ", 7) == 0 && strstr(line, here) != NULL;
}

/* NAME: operations transmissions timeouts bytes-sent bytes-received ... */
static void nfs_add_operation(const char *line, uint64_t counts[WEIR_SERVERS_COUNTS]) {
    char name[32];
    unsigned long long operations;
    if (sscanf(line, " %31[A-Z0-9_]: %llu %*u %*u %*u %*u", name, &operations) != 2) {
        return;
    }
    counts[WEIR_SERVERS_REQUESTS] += operations;
    counts[WEIR_SERVERS_WRITES] += strcmp(name, "WRITE") == 0 ? operations : 0;
    counts[WEIR_SERVERS_COMMITS] += strcmp(name, "COMMIT") == 0 ? operations : 0;
}

bool weir_nfs_parse(FILE *file, const char *point, uint64_t counts[WEIR_SERVERS_COUNTS]) {
    char line[2048];
    unsigned long long received, sent;
    bool here = false, operations = false, found = false;
    counts[WEIR_SERVERS_REQUESTS] = counts[WEIR_SERVERS_WRITES] = counts[WEIR_SERVERS_COMMITS] = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "device ", 7) == 0) {
            here = nfs_is_of(line, point);
            operations = false;
        } else if (here && sscanf(line, " bytes: %*u %*u %*u %*u %llu %llu", &received, &sent) == 2) {
            counts[WEIR_SERVERS_RECEIVED] = received;
            counts[WEIR_SERVERS_SENT] = sent;
            found = true;
        } else if (here && strstr(line, "per-op statistics") != NULL) {
            operations = true;
        } else if (here && operations) {
            nfs_add_operation(line, counts);
        }
    }
    return found;
}

static int nfs_count(const struct weir_medium *medium, uint64_t counts[WEIR_SERVERS_COUNTS]) {
    WEIR_FILE *file = fopen("/proc/self/mountstats", "re");
    return file != NULL && weir_nfs_parse(file, medium->point, counts);
}

static bool nfs_begin(const struct weir_medium *medium, char what[96]) {
    uint64_t counts[WEIR_SERVERS_COUNTS];
    bool good = nfs_count(medium, counts) > 0;
    snprintf(what, 96, "%.80s", good ? medium->source : "the mount is not in /proc/self/mountstats");
    return good;
}

static struct weir_observer nfs = {
    .name = "nfs",
    .counted = WEIR_COUNTS_PAYLOAD,
    .fits = nfs_fits,
    .begin = nfs_begin,
    .count = nfs_count,
};

WEIR_OBSERVER(nfs)
