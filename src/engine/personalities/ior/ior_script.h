/* -f SCRIPT: tests of IOR in a file, each the one before it with some directives more. */
#pragma once

#include "options.h"
#include "run.h"

#include <stdbool.h>

/* The command line of each test: the given one, and the directives of the script up to its `run`. */
struct ior_script {
    char *text;       /* of the script; the directives lie in it */
    char **arguments; /* of all command lines */
    struct weir_arguments *tests;
    int count;
};

/* Takes the text over. False with one sentence; the script is to be freed in any case. */
bool ior_script_read(struct ior_script *script, char *text, const struct weir_arguments *line,
                     char *complaint);
void ior_script_free(struct ior_script *script);
