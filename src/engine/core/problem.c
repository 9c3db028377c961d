#include "problem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int weir_problem_set(struct weir_problem *problem, const char *call, const char *path, int errnum,
                     const char *error, const char *text, ...) {
    if (weir_problem_is_set(problem)) {
        return -1;
    }
    problem->errnum = errnum;
    snprintf(problem->call, sizeof problem->call, "%s", call);
    snprintf(problem->path, sizeof problem->path, "%s", path);
    snprintf(problem->error, sizeof problem->error, "%s", error != NULL ? error : strerror(errnum));
    va_list arguments;
    va_start(arguments, text);
    vsnprintf(problem->text, sizeof problem->text, text, arguments);
    va_end(arguments);
    return -1;
}

void weir_problem_count(struct weir_problem *problem, uint64_t failures) {
    size_t used = strlen(problem->text);
    if (failures > 1) {
        snprintf(problem->text + used, sizeof problem->text - used, "%sthe first of %llu failures",
                 used > 0 ? ", " : "", (unsigned long long)failures);
    }
}

int weir_problem_of(struct weir_problem *problem, const char *call, const char *path, int status) {
    return status == 0 ? 0 : weir_problem_set(problem, call, path, errno, NULL, "%s", "");
}

void weir_problem_sentence(const struct weir_problem *problem, int others, char *line, unsigned bytes) {
    char same[64] = "";
    if (others > 0) {
        snprintf(same, sizeof same, " (and the same on %d other rank%s)", others, others == 1 ? "" : "s");
    }
    snprintf(line, bytes, "weir-io: rank %d: %s(\"%s\") failed: %s%s%s%s", problem->rank, problem->call,
             problem->path, problem->error, problem->text[0] != '\0' ? ", " : "", problem->text, same);
}
