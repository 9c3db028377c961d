/* The command line of a personality that lets -a choose its back end: one table of options for the
 * personality and one for each back end. */
#pragma once

#include "run.h"

/* Parse argv[1..] into the personality's own sets, where *api holds the back end's name once that is done.
 * Sets the back end of the run, its settings and the texts, and whether all options are known: where this
 * failed all the same, the back end is not. An option of a back end that was not chosen gets another message
 * than one that does not exist. False with one sentence. */
bool weir_backend_options_parse(struct weir_run *run, int argc, char **argv,
                                const struct weir_option_set *own, int own_count, const char *const *api,
                                char *complaint);
/* Whether the back end of the run takes such a file; false with its reason. */
bool weir_backend_takes(const struct weir_run *run, const struct weir_open *how, char *complaint);
/* For --help: the names of all back ends as the value of -a, and the options of each that has some. */
void weir_backend_options_print_names(void);
void weir_backend_options_print(void);
