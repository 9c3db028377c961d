#include "osc.h"

#include "closing.h"
#include "llite.h"

#include <dirent.h>
#include <string.h>

/* A folder of the client's devices: with storage targets, or with metadata targets, which hold what files
 * begin with (data on MDT) and count it like those. */
struct osc_folder {
    const char *name, *target, *of_server;
};

/* name-OST0000-osc-ffff881000395800: of the file system, not of one whose name begins like it, nor of a
 * metadata target of this machine (name-OST0000-osc-MDT0000) */
static bool osc_is_target_of(const struct osc_folder *folder, const char *entry, const char *name) {
    size_t length = strlen(name);
    return length > 0 && strncmp(entry, name, length) == 0 &&
           strncmp(entry + length, folder->target, strlen(folder->target)) == 0 &&
           strstr(entry + length, folder->of_server) == NULL;
}

static void osc_add_target(const struct weir_llite *stats, struct weir_osc *sum) {
    for (int i = 0; i < stats->count; i++) {
        const struct weir_llite_counter *counter = &stats->counters[i];
        if (strcmp(counter->name, "read_bytes") == 0) {
            sum->read_bytes += counter->sum;
        } else if (strcmp(counter->name, "write_bytes") == 0) {
            sum->written_bytes += counter->sum;
        } else if (strcmp(counter->name, "req_waittime") == 0) {
            sum->requests += counter->samples;
        }
    }
}

/* How many there are; -1 where one cannot be read, for a sum of some is useless. */
static int osc_add_folder(const char *root, const struct osc_folder *folder, const char *name,
                          struct weir_osc *sum) {
    char path[1024];
    int found = 0;
    snprintf(path, sizeof path, "%.500s/%s", root, folder->name);
    WEIR_DIR *targets = opendir(path);
    for (struct dirent *entry; targets != NULL && (entry = readdir(targets)) != NULL;) {
        struct weir_llite stats;
        if (!osc_is_target_of(folder, entry->d_name, name)) {
            continue;
        }
        snprintf(path, sizeof path, "%.500s/%s/%.200s/stats", root, folder->name, entry->d_name);
        WEIR_FILE *file = fopen(path, "re");
        if (file == NULL) {
            found = -1;
            break;
        }
        weir_llite_parse(file, &stats);
        osc_add_target(&stats, sum);
        found++;
    }
    return found;
}

int weir_osc_count(const char *root, const char *name, struct weir_osc *sum) {
    static const struct osc_folder storage = {"osc", "-OST", "-osc-MDT"};
    static const struct osc_folder metadata = {"mdc", "-MDT", "-mdc-MDT"};
    memset(sum, 0, sizeof *sum);
    int found = osc_add_folder(root, &storage, name, sum);
    if (found <= 0 || osc_add_folder(root, &metadata, name, sum) < 0) {
        return 0;
    }
    return found;
}
