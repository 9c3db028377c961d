/* The Lustre client: bulk transfers and requests of its devices for the targets (osc, mdc), which its page
 * cache does not answer. */
#include "llite.h"
#include "observer.h"
#include "osc.h"

#include <stdio.h>
#include <string.h>

static bool lustre_fits(const struct weir_medium *medium) {
    return strcmp(medium->file_system, "lustre") == 0;
}

static int lustre_count(const struct weir_medium *medium, uint64_t counts[WEIR_SERVERS_COUNTS]) {
    char name[64];
    const char *root;
    int targets = 0;
    struct weir_osc sum = {0, 0, 0};
    weir_lustre_name(medium->source, name);
    for (int i = 0; targets == 0 && (root = weir_lustre_root(i)) != NULL; i++) {
        targets = weir_osc_count(root, name, &sum);
    }
    counts[WEIR_SERVERS_RECEIVED] = sum.read_bytes;
    counts[WEIR_SERVERS_SENT] = sum.written_bytes;
    counts[WEIR_SERVERS_REQUESTS] = sum.requests;
    return targets;
}

static bool lustre_begin(const struct weir_medium *medium, char what[96]) {
    uint64_t counts[WEIR_SERVERS_COUNTS];
    if (lustre_count(medium, counts) == 0) {
        snprintf(what, 96,
                 "the counters of the client (osc) are not readable: since Lustre 2.12 root's alone");
        return false;
    }
    snprintf(what, 96, "osc of %.80s", medium->source);
    return true;
}

static struct weir_observer lustre = {
    .name = "lustre",
    .counted = WEIR_COUNTS_PAYLOAD,
    .fits = lustre_fits,
    .begin = lustre_begin,
    .count = lustre_count,
};

WEIR_OBSERVER(lustre)
