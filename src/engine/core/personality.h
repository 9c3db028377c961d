/* What a personality is: one file or folder under personalities/ that registers itself. It reads the original
 * tool's command line, runs phases (phase.h) and reports results (document.h). No global state: `weir-io
 * batch` runs several on sub-communicators. */
#pragma once

#include "job.h"
#include "run.h"

enum weir_exit { WEIR_FINE = 0, WEIR_FAILED = 1, WEIR_WRONG_USE = 2 };
/* What a launcher reports of IOR and mdtest after MPI_Abort. */
#define WEIR_ABORTED 255

struct weir_personality {
    const char *name;        /* as the first argument of weir-io */
    const char *summary;     /* one line for --help */
    void (*help)(void);      /* full help on stdout; called on one rank only */
    struct weir_frame frame; /* of a personality that measures */
    /* What weir_personality_main calls on every rank of the job instead of running the frame once; returns
     * the same exit code on all. */
    int (*run)(struct weir_job *job, int argc, char **argv);

    const struct weir_personality *next; /* set by the registry */
};

void weir_personality_register(struct weir_personality *personality);
const struct weir_personality *weir_personalities(void); /* sorted by name */
/* argv[0] is the personality's name. */
int weir_personality_main(const struct weir_personality *personality, struct weir_job *job, int argc,
                          char **argv);

#define WEIR_PERSONALITY(table)                                                                              \
    __attribute__((constructor)) static void table##_register(void) {                                        \
        weir_personality_register(&(table));                                                                 \
    }
