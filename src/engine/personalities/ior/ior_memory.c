/* -M: memory that each rank holds while it measures, so that less of it is left for caches. */
#include "ior.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes of a node by 2g or by 75%, of its memory; false where it is neither. */
static bool memory_of_node(const char *text, int64_t *bytes) {
    char *end;
    long long number = 0;
    double percent = strtod(text, &end);
    if (end != text && strcmp(end, "%") == 0) {
        double all = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
        *bytes = (int64_t)(all * percent / 100);
        return percent >= 0 && percent <= 100;
    }
    bool good = weir_size_parse(text, &number);
    *bytes = number;
    return good;
}

bool ior_memory_is_sound(const struct ior_params *a, char *complaint) {
    int64_t found;
    REFUSE(a->memory != NULL && !memory_of_node(a->memory, &found),
           "-M %s: memory of a node is bytes such as 2g, or a share of it such as 75%%", a->memory);
    return true;
}

int64_t ior_memory_bytes(const struct ior_run *run) {
    int64_t bytes = 0;
    if (run->requested.memory != NULL) {
        memory_of_node(run->requested.memory, &bytes);
    }
    return bytes / run->base.job->tasks_on_node0;
}

bool ior_memory_hold(struct ior_run *run) {
    size_t bytes = (size_t)ior_memory_bytes(run), page = (size_t)sysconf(_SC_PAGESIZE);
    if (bytes == 0) {
        return true;
    }
    run->hog = malloc(bytes);
    for (size_t at = 0; run->hog != NULL && at < bytes; at += page) {
        run->hog[at] = 1; /* the system gives a page when it is first written */
    }
    return run->hog != NULL;
}
