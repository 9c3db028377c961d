#include "batch_list.h"

#include "options.h"

#include <stdlib.h>
#include <string.h>

#define FIXED_WORDS 4 /* name, ranks, folder, personality */

static int batch_arguments_of(const char *line) {
    int count = 1;
    for (const char *at = line; *at != '\0'; at++) {
        count += *at == '\t';
    }
    return count;
}

static bool batch_read_cell(struct batch_cell *cell, char *line, int ranks, char *complaint) {
    int count = batch_arguments_of(line);
    REFUSE(count < FIXED_WORDS,
           "line %d: %d fields, but a cell has name, ranks, folder, personality, options", cell->line, count);
    char **arguments = calloc((size_t)count + 1, sizeof *arguments);
    REFUSE(arguments == NULL, "line %d: no memory", cell->line);
    for (int i = 0; i < count; i++) {
        arguments[i] = line;
        line += strcspn(line, "\t");
        if (*line == '\t') {
            *line++ = '\0';
        }
    }
    char *end;
    long wanted = strtol(arguments[1], &end, 10);
    cell->name = arguments[0];
    cell->folder = arguments[2];
    cell->argument_count = count - 3;
    memmove(arguments, arguments + 3, (size_t)(count - 2) * sizeof *arguments);
    cell->arguments = arguments;
    cell->ranks = (int)wanted;
    REFUSE(*end != '\0' || wanted < 1 || wanted > ranks, "line %d: a cell of this job can have 1 to %d ranks",
           cell->line, ranks);
    return true;
}

bool batch_list_parse(struct batch_list *list, char *text, int ranks, char *complaint) {
    int lines = 1;
    for (const char *at = text; *at != '\0'; at++) {
        lines += *at == '\n';
    }
    *list = (struct batch_list){.text = text, .cells = calloc((size_t)lines, sizeof *list->cells)};
    REFUSE(list->cells == NULL, "no memory for %d cells", lines);
    char *line = text;
    for (int number = 1; number <= lines; number++) {
        char *next = line + strcspn(line, "\n");
        bool last = *next == '\0';
        *next = '\0';
        if (*line != '\0' && *line != '#') {
            struct batch_cell *cell = &list->cells[list->count++];
            cell->line = number;
            if (!batch_read_cell(cell, line, ranks, complaint)) {
                return false;
            }
        }
        line = last ? next : next + 1;
    }
    REFUSE(list->count == 0, "the list holds no cell");
    return true;
}

void batch_list_free(struct batch_list *list) {
    for (int i = 0; i < list->count; i++) {
        free(list->cells[i].arguments);
    }
    free(list->cells);
    free(list->text);
    *list = (struct batch_list){NULL, NULL, 0};
}
