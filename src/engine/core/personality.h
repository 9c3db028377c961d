/* What a personality is: one file or folder under personalities/ that registers itself. It reads the original
 * tool's command line, runs phases (phase.h) and reports results (document.h). No global state: `weir-io
 * batch` runs several on sub-communicators. */
#ifndef WEIR_PERSONALITY_H
#define WEIR_PERSONALITY_H

#include "job.h"

enum weir_exit { WEIR_FINE = 0, WEIR_FAILED = 1, WEIR_WRONG_USE = 2 };

struct weir_personality {
    const char *name;    /* as the first word after weir-io */
    const char *summary; /* one line for --help */
    void (*help)(void);  /* full help on stdout; called on one rank only */
    /* argv[0] is the personality's name. Called on every rank of the job; returns the same exit code on all.
     */
    int (*run)(struct weir_job *job, int argc, char **argv);

    const struct weir_personality *next; /* set by the registry */
};

void weir_personality_register(struct weir_personality *personality);
const struct weir_personality *weir_personalities(void); /* sorted by name */

#define WEIR_PERSONALITY(table)                                                                              \
    __attribute__((constructor)) static void table##_register(void) {                                        \
        weir_personality_register(&(table));                                                                 \
    }

#endif
