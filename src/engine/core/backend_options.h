/* The command line of a personality that lets -a choose its back end: one table of options for the
 * personality and one for each back end. */
#pragma once

#include "run.h"

/* Parse argv[1..]: the first of the tables into the personality's own struct, where *api holds the back end's
 * name once that is done, the others, up to NULL, into run->common. Sets the back end of the run, its
 * settings and the texts, and whether all options are known: where this failed all the same, the back end is
 * not. An option of a back end that was not chosen gets another message than one that does not exist. False
 * with one sentence. */
bool weir_backend_options_parse(struct weir_run *run, int argc, char **argv,
                                const struct weir_option *const *tables, void *own, const char *const *api,
                                char *complaint);
/* Whether the back end of the run takes such a file; false with its reason. */
bool weir_backend_takes(const struct weir_run *run, const struct weir_open *how, char *complaint);
/* For --help: the same tables, whose first option is -a, and those of the back ends. names: only of back ends
 * that have operations on names. */
void weir_backend_options_print(const struct weir_option *const *tables, bool names);
