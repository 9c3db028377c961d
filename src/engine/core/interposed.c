#include "interposed.h"

#include "bindings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line of more whose text is not there yet. */
static void interposed_add_line(char *text, const char *line, size_t length) {
    size_t used = strlen(text);
    for (const char *at = text; (at = strstr(at, line)) != NULL; at++) {
        if ((at == text || at[-1] == '\n') && at[length] == '\n') {
            return;
        }
    }
    if (used + length + 2 < WEIR_INTERPOSED_BYTES) {
        memcpy(text + used, line, length);
        memcpy(text + used + length, "\n", 2);
    }
}

static void interposed_add_call(void *text, const char *call, const char *object, bool behind) {
    char line[512];
    (void)behind;
    interposed_add_line(text, line, (size_t)snprintf(line, sizeof line, "%.60s %.400s", call, object));
}

/* The ranks are mostly alike: only those that differ from rank 0 send. */
static void interposed_gather(const struct weir_job *job, char *mine, char text[WEIR_INTERPOSED_BYTES]) {
    int *bytes = calloc((size_t)job->size, sizeof *bytes), *at = calloc((size_t)job->size, sizeof *at);
    memcpy(text, mine, WEIR_INTERPOSED_BYTES);
    MPI_Bcast(text, WEIR_INTERPOSED_BYTES, MPI_CHAR, 0, job->comm);
    int length = strcmp(text, mine) == 0 ? 0 : (int)strlen(mine) + 1, sum = 0;
    if (bytes == NULL || at == NULL) {
        fprintf(stderr, "weir-io: no memory for the list of libraries\n");
        MPI_Abort(job->comm, 1);
    }
    MPI_Gather(&length, 1, MPI_INT, bytes, 1, MPI_INT, 0, job->comm);
    for (int i = 0; job->rank == 0 && i < job->size; i++) {
        at[i] = sum;
        sum += bytes[i];
    }
    char *all = calloc((size_t)sum + 1, 1);
    MPI_Gatherv(mine, length, MPI_CHAR, all, bytes, at, MPI_CHAR, 0, job->comm);
    for (int i = 0; all != NULL && job->rank == 0 && i < job->size; i++) {
        char *rest = all + at[i];
        for (char *line = strtok_r(rest, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
            interposed_add_line(text, line, strlen(line));
        }
    }
    free(all);
    free(at);
    free(bytes);
}

void weir_interposed_find(const struct weir_job *job, char text[WEIR_INTERPOSED_BYTES]) {
    static char found[WEIR_INTERPOSED_BYTES], mine[WEIR_INTERPOSED_BYTES];
    static bool looked;
    if (!looked) { /* once: what is loaded later comes behind the C library */
        weir_bindings_look(NULL, NULL, 0, interposed_add_call, found);
        looked = true;
    }
    memcpy(mine, found, sizeof mine);
    char line[64];
    unsigned tracer = weir_bindings_tracer();
    if (tracer != 0) { /* it may attach at any time, and can answer any call of the system itself */
        interposed_add_line(mine, line, (size_t)snprintf(line, sizeof line, "ptrace process %u", tracer));
    }
    bool any = !weir_job_agree(job, mine[0] == '\0');
    text[0] = '\0';
    if (any) {
        interposed_gather(job, mine, text);
    }
}

void weir_interposed_write(struct weir_json *json, const char *text) {
    char call[64], object[512];
    weir_json_list(json, "interposed");
    for (const char *at = text; *at != '\0'; at = strchr(at, '\n') + 1) {
        if (sscanf(at, "%63s %511[^\n]", call, object) == 2) {
            weir_json_object(json, NULL);
            weir_json_text(json, "call", call);
            weir_json_text(json, "object", object);
            weir_json_object_end(json);
        }
    }
    weir_json_list_end(json);
}
