/* The command line of a personality that lets -a choose its back end: one table of options for the
 * personality and one for each back end. */
#ifndef WEIR_BACKEND_OPTIONS_H
#define WEIR_BACKEND_OPTIONS_H

#include "backend.h"
#include "options.h"

/* What came of it. The caller frees both pointers, after a mistake too. */
struct weir_chosen {
    const struct weir_backend *backend;
    void *settings; /* of the back end, NULL where it has no options */
    char *texts;    /* of the options */
    bool parsed;    /* all options are known; where this failed all the same, the back end is not */
};

/* Parse argv[1..] into the personality's own sets, where *api holds the back end's name once that is done. An
 * option of a back end that was not chosen gets another message than one that does not exist. False with one
 * sentence. */
bool weir_backend_options_parse(int argc, char **argv, const struct weir_option_set *own, int own_count,
                                const char *const *api, struct weir_chosen *chosen, char *complaint,
                                unsigned bytes);
/* For --help: the names of all back ends as the value of -a, and the options of each that has some. */
void weir_backend_options_print_names(void);
void weir_backend_options_print(void);

#endif
