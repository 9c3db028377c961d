#include "osc.h"

#include "llite.h"

#include <dirent.h>
#include <string.h>

/* name-OST0000-osc-ffff881000395800: of the file system, not of one whose name begins like it */
static bool osc_is_target_of(const char *entry, const char *name) {
    size_t length = strlen(name);
    return length > 0 && strncmp(entry, name, length) == 0 && strncmp(entry + length, "-OST", 4) == 0;
}

static void osc_add_target(const struct weir_llite *stats, uint64_t *read_bytes, uint64_t *written_bytes) {
    for (int i = 0; i < stats->count; i++) {
        if (strcmp(stats->counters[i].name, "read_bytes") == 0) {
            *read_bytes += stats->counters[i].sum;
        } else if (strcmp(stats->counters[i].name, "write_bytes") == 0) {
            *written_bytes += stats->counters[i].sum;
        }
    }
}

int weir_osc_count(const char *root, const char *name, uint64_t *read_bytes, uint64_t *written_bytes) {
    char path[1024];
    int found = 0;
    snprintf(path, sizeof path, "%.500s/osc", root);
    DIR *targets = opendir(path);
    *read_bytes = *written_bytes = 0;
    for (struct dirent *entry; targets != NULL && (entry = readdir(targets)) != NULL;) {
        struct weir_llite stats;
        if (!osc_is_target_of(entry->d_name, name)) {
            continue;
        }
        snprintf(path, sizeof path, "%.500s/osc/%.200s/stats", root, entry->d_name);
        FILE *file = fopen(path, "re");
        if (file == NULL) {
            found = 0; /* a sum of some targets is useless */
            break;
        }
        weir_llite_parse(file, &stats);
        fclose(file);
        osc_add_target(&stats, read_bytes, written_bytes);
        found++;
    }
    if (targets != NULL) {
        closedir(targets);
    }
    return found;
}
