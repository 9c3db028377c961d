#include "llite.h"

#include "closing.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void weir_llite_parse(FILE *file, struct weir_llite *llite) {
    char line[512];
    llite->count = 0;
    while (llite->count < WEIR_LLITE_COUNTERS && fgets(line, sizeof line, file) != NULL) {
        struct weir_llite_counter counter = {"", 0, 0};
        int after_unit = 0;
        /* name N samples [unit] min max sum (sum of squares); where only calls are counted it ends after the
         * unit */
        sscanf(line, "%31s %" SCNu64 " samples [%*[^]]]%n", counter.name, &counter.samples, &after_unit);
        if (after_unit > 0) {
            sscanf(line + after_unit, " %*u %*u %" SCNu64, &counter.sum);
            llite->counters[llite->count++] = counter;
        }
    }
}

const char *weir_lustre_root(int which) {
    /* Since 2.12 a client has some of its files in each: settings, counters, and what did not move yet. */
    static const char *const usual[WEIR_LUSTRE_ROOTS] = {"/sys/fs/lustre", "/sys/kernel/debug/lustre",
                                                         "/proc/fs/lustre"};
    static char given_roots[WEIR_LUSTRE_ROOTS][512];
    const char *given = getenv("WEIR_LUSTRE_ROOT");
    if (which >= WEIR_LUSTRE_ROOTS) {
        return NULL;
    }
    if (given == NULL || given[0] == '\0') {
        return usual[which];
    }
    for (int i = 0; i < which && given != NULL; i++) {
        given = strchr(given, ':');
        given = given != NULL ? given + 1 : NULL;
    }
    if (given == NULL) {
        return NULL;
    }
    snprintf(given_roots[which], sizeof given_roots[which], "%.*s", (int)strcspn(given, ":"), given);
    return given_roots[which];
}

/* mgs@tcp:/name or mgs@tcp:/name/subdirectory */
void weir_lustre_name(const char *source, char name[64]) {
    const char *begin = strstr(source, ":/");
    begin = begin != NULL ? begin + 2 : source;
    snprintf(name, 64, "%.*s", (int)strcspn(begin, "/"), begin);
}

/* The only mount of the file system, or the only one at all where no name is given. */
static bool llite_find_instance(const char *folder, const char *file_system, char *instance, size_t bytes) {
    size_t length = strlen(file_system);
    int found = 0;
    WEIR_DIR *entries = opendir(folder);
    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        const char *dash = strrchr(entry->d_name, '-');
        size_t named = dash != NULL ? (size_t)(dash - entry->d_name) : 0;
        if (named > 0 &&
            (length == 0 || (named == length && strncmp(entry->d_name, file_system, length) == 0))) {
            snprintf(instance, bytes, "%.95s", entry->d_name);
            found++;
        }
    }
    return found == 1; /* two mounts of one file system cannot be distinguished */
}

static bool llite_read_root(const char *root, const char *file_system, struct weir_llite *llite) {
    char folder[1024], path[1200];
    snprintf(folder, sizeof folder, "%s/llite", root);
    bool found = llite_find_instance(folder, file_system, llite->instance, sizeof llite->instance);
    snprintf(path, sizeof path, "%s/%s/stats", folder, llite->instance);
    WEIR_FILE *file = found ? fopen(path, "re") : NULL;
    if (file == NULL) {
        llite->instance[0] = '\0';
        return false;
    }
    weir_llite_parse(file, llite);
    return true;
}

void weir_llite_read(const struct weir_medium *medium, struct weir_llite *llite) {
    const char *given = getenv("WEIR_LUSTRE_ROOT");
    bool lustre = strcmp(medium->file_system, "lustre") == 0;
    char name[64] = "";
    memset(llite, 0, sizeof *llite);
    if (lustre) {
        weir_lustre_name(medium->source, name);
    }
    if (!lustre && (given == NULL || given[0] == '\0')) {
        return;
    }
    const char *root;
    for (int i = 0; (root = weir_lustre_root(i)) != NULL && !llite_read_root(root, name, llite); i++) {
    }
}

static struct weir_llite_counter *llite_counter_of(struct weir_llite *llite, const char *name) {
    for (int i = 0; i < llite->count; i++) {
        if (strcmp(llite->counters[i].name, name) == 0) {
            return &llite->counters[i];
        }
    }
    return NULL;
}

void weir_llite_since(const struct weir_llite *earlier, struct weir_llite *later) {
    struct weir_llite before = *earlier;
    int kept = 0;
    if (strcmp(earlier->instance, later->instance) != 0) {
        memset(later, 0, sizeof *later);
    }
    for (int i = 0; i < later->count; i++) {
        struct weir_llite_counter now = later->counters[i];
        const struct weir_llite_counter *then = llite_counter_of(&before, now.name);
        if (then != NULL && then->samples <= now.samples && then->sum <= now.sum) {
            now.samples -= then->samples;
            now.sum -= then->sum;
        }
        if (now.samples > 0) {
            later->counters[kept++] = now;
        }
    }
    later->count = kept;
}

void weir_llite_add(struct weir_llite *sum, const struct weir_llite *node) {
    if (sum->instance[0] == '\0') {
        *sum = *node;
        return;
    }
    for (int i = 0; i < node->count; i++) {
        struct weir_llite_counter *known = llite_counter_of(sum, node->counters[i].name);
        if (known != NULL) {
            known->samples += node->counters[i].samples;
            known->sum += node->counters[i].sum;
        } else if (sum->count < WEIR_LLITE_COUNTERS) {
            sum->counters[sum->count++] = node->counters[i];
        }
    }
}
