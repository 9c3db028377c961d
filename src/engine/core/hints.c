#include "hints.h"

#include "closing.h"
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

static const char PREFIX[] = "IOR_HINT__MPI__";

void weir_hints_set(struct weir_hints *hints, const char *key, const char *value) {
    struct weir_hint *hint = NULL;
    for (int i = 0; i < hints->count; i++) {
        if (strcmp(hints->list[i].key, key) == 0) {
            hint = &hints->list[i];
        }
    }
    if (hint == NULL) {
        struct weir_hint *list = realloc(hints->list, sizeof *list * (size_t)(hints->count + 1));
        if (list == NULL) {
            return;
        }
        hints->list = list;
        hint = &list[hints->count++];
    }
    snprintf(hint->key, sizeof hint->key, "%s", key);
    snprintf(hint->value, sizeof hint->value, "%s", value);
}

void weir_hints_free(struct weir_hints *hints) {
    free(hints->list);
    hints->list = NULL;
    hints->count = 0;
}

static void hints_trim(char *text) {
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1])) {
        text[--length] = '\0';
    }
    size_t blank = strspn(text, " \t");
    memmove(text, text + blank, length - blank + 1);
}

/* Takes IOR_HINT__MPI__key=value; false if the line is something else. */
static bool hints_take(struct weir_hints *hints, const char *line) {
    char copy[sizeof PREFIX + sizeof(struct weir_hint) + 8];
    snprintf(copy, sizeof copy, "%s", line);
    char *equals = strchr(copy, '=');
    if (strncmp(copy, PREFIX, sizeof PREFIX - 1) != 0 || equals == NULL) {
        return false;
    }
    *equals = '\0';
    char *key = copy + sizeof PREFIX - 1;
    hints_trim(key);
    hints_trim(equals + 1);
    weir_hints_set(hints, key, equals + 1);
    return key[0] != '\0';
}

static bool hints_read(struct weir_hints *hints, const char *file_name, char *complaint) {
    for (char **entry = environ; *entry != NULL; entry++) {
        hints_take(hints, *entry);
    }
    if (file_name == NULL) {
        return true;
    }
    WEIR_FILE *file = fopen(file_name, "r");
    REFUSE(file == NULL, "cannot read the hints file %s: %s", file_name, strerror(errno));
    char line[512];
    for (int number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        hints_trim(line);
        REFUSE(line[0] != '\0' && line[0] != '#' && !hints_take(hints, line),
               "%s, line %d: '%s' is not of the form %skey=value", file_name, number, line, PREFIX);
    }
    return true;
}

bool weir_hints_share(const struct weir_job *job, struct weir_hints *hints, const char *file_name,
                      char *complaint) {
    bool good = job->rank != 0 || hints_read(hints, file_name, complaint);
    int count = hints->count;
    MPI_Bcast(&count, 1, MPI_INT, 0, job->comm);
    if (job->rank != 0 && count > 0) {
        hints->list = calloc((size_t)count, sizeof *hints->list);
        hints->count = hints->list != NULL ? count : 0;
        good = hints->list != NULL;
        snprintf(complaint, WEIR_COMPLAINT, "no memory for %d MPI-IO hints", count);
    }
    if (weir_job_agree(job, good) && count > 0) {
        MPI_Bcast(hints->list, count * (int)sizeof *hints->list, MPI_BYTE, 0, job->comm);
    }
    return good;
}

MPI_Info weir_hints_to_info(const struct weir_hints *hints) {
    MPI_Info info = MPI_INFO_NULL;
    if (hints == NULL || hints->count == 0) {
        return info;
    }
    MPI_Info_create(&info);
    for (int i = 0; i < hints->count; i++) {
        MPI_Info_set(info, hints->list[i].key, hints->list[i].value);
    }
    return info;
}

void weir_hints_from_info(struct weir_hints *hints, MPI_Info info) {
    int keys = 0;
    if (info == MPI_INFO_NULL || MPI_Info_get_nkeys(info, &keys) != MPI_SUCCESS) {
        return;
    }
    for (int i = 0; i < keys; i++) {
        char key[MPI_MAX_INFO_KEY + 1] = "";
        char value[MPI_MAX_INFO_VAL + 1] = "";
        int found = 0;
        MPI_Info_get_nthkey(info, i, key);
        MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found);
        if (found) {
            weir_hints_set(hints, key, value);
        }
    }
    MPI_Info_free(&info);
}

void weir_hints_from_file(struct weir_hints *hints, MPI_File file) {
    MPI_Info info = MPI_INFO_NULL;
    if (MPI_File_get_info(file, &info) == MPI_SUCCESS) {
        weir_hints_from_info(hints, info);
    }
}

void weir_hints_write(struct weir_json *json, const struct weir_hints *hints) {
    weir_json_object(json, "hints");
    for (int i = 0; i < hints->count; i++) {
        weir_json_text(json, hints->list[i].key, hints->list[i].value);
    }
    weir_json_object_end(json);
}
