/* The way out of a collective library that one rank left with an error while others wait in it for ever:
 * after a grace period the rank that failed reports why, writes the document, and ends the job. */
#ifndef WEIR_WAY_OUT_H
#define WEIR_WAY_OUT_H

#include "problem.h"

#include <pthread.h>

#define WEIR_GRACE_S 10 /* unless the environment has another, under the same name */

struct weir_document;

struct weir_way_out {
    struct weir_document *document;
    long grace_s;
    struct weir_problem problem;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    bool armed, called_off;
};

void weir_way_out_begin(struct weir_way_out *way, struct weir_document *document);
/* This rank failed, and the others may not come to know. */
void weir_way_out_arm(struct weir_way_out *way, const struct weir_problem *problem);
/* All ranks are together again. */
void weir_way_out_disarm(struct weir_way_out *way);
void weir_way_out_end(struct weir_way_out *way);

/* A library that failed in this process may crash or wait when MPI_Finalize lets it tidy up. */
void weir_way_out_skip_finalize(void);
/* MPI_Finalize, or where any rank wants to do without it the end of the process. Called by all ranks of the
 * world, with nothing left to report. */
void weir_way_out_finalize(int exit_code);

#endif
