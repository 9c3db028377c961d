/* The way out of a collective library that one rank left with an error while others wait in it for ever:
 * after a grace period the rank that failed reports why, writes the document, and ends the job. */
#pragma once

#include "problem.h"

#include <pthread.h>

#define WEIR_GRACE_S 10 /* unless the environment has another, under the same name */

struct weir_stuck {
    void (*report)(void *reported, const struct weir_problem *problem);
    void *reported;
    int rank;
    long grace_s;
    struct weir_problem problem;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    bool armed, called_off;
};

/* report: what this rank does about its problem when it cannot talk to the others any more. */
void weir_stuck_begin(struct weir_stuck *stuck, int rank,
                      void (*report)(void *reported, const struct weir_problem *problem), void *reported);
/* This rank failed, and the others may not come to know. */
void weir_stuck_arm(struct weir_stuck *stuck, const struct weir_problem *problem);
/* All ranks are together again. */
void weir_stuck_disarm(struct weir_stuck *stuck);
void weir_stuck_end(struct weir_stuck *stuck);

/* A library that failed in this process may crash or wait when MPI_Finalize lets it tidy up. */
void weir_stuck_skip_finalize(void);
/* MPI_Finalize, or where any rank wants to do without it the end of the process. Called by all ranks of the
 * world, with nothing left to report. */
void weir_stuck_finalize(int exit_code);
