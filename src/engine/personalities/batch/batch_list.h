/* The list of cells: one line each, arguments separated by tabs, so that an argument may contain spaces.
 *
 *     NAME <tab> RANKS <tab> FOLDER <tab> PERSONALITY <tab> WORD <tab> WORD ...
 *
 * Empty lines and lines that begin with # are skipped. */
#pragma once

#include <stdbool.h>

struct batch_cell {
    int line;
    const char *name;
    int ranks;
    const char *folder; /* stdout.txt and stderr.txt of the cell go there */
    int argument_count;
    char **arguments; /* the personality, then its options */
};

struct batch_list {
    char *text; /* what all the arguments point into */
    struct batch_cell *cells;
    int count;
};

/* Cuts the text up; false with one sentence that names the line. The list takes the text over. */
bool batch_list_parse(struct batch_list *list, char *text, int ranks, char *complaint);
void batch_list_free(struct batch_list *list);
