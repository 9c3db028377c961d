#include "stuck.h"

#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool skip_finalize;

void weir_stuck_skip_finalize(void) {
    skip_finalize = true;
}

void weir_stuck_finalize(int exit_code) {
    int any = skip_finalize;
    MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    if (any) {
        _exit(exit_code);
    }
    MPI_Finalize();
}

static void stuck_give_up(struct weir_stuck *stuck) {
    char line[2048];
    const char end[] = "; other ranks did not come out of the library, so the job ends here\n";
    weir_problem_sentence(&stuck->problem, 0, line, sizeof line - sizeof end);
    strcat(line, end);
    fputs(line, stderr);
    stuck->report(stuck->reported, &stuck->problem);
    _exit(EXIT_FAILURE);
}

static void *stuck_wait_and_see(void *context) {
    struct weir_stuck *stuck = context;
    struct timespec until;
    int status = 0;
    clock_gettime(CLOCK_MONOTONIC, &until); /* whoever sets the wall clock ends no job */
    /* Where rank 0 failed too, it is the one that ends the job: the document is its own. */
    until.tv_sec += stuck->grace_s + (stuck->rank != 0);
    pthread_mutex_lock(&stuck->mutex);
    while (!stuck->called_off && status != ETIMEDOUT) {
        status = pthread_cond_timedwait(&stuck->wake, &stuck->mutex, &until);
    }
    bool called_off = stuck->called_off;
    pthread_mutex_unlock(&stuck->mutex);
    if (!called_off) {
        stuck_give_up(stuck);
    }
    return NULL;
}

void weir_stuck_begin(struct weir_stuck *stuck, int rank,
                      void (*report)(void *reported, const struct weir_problem *problem), void *reported) {
    memset(stuck, 0, sizeof *stuck);
    const char *requested = getenv("WEIR_GRACE_S");
    stuck->rank = rank;
    stuck->report = report;
    stuck->reported = reported;
    stuck->grace_s = requested != NULL && atol(requested) > 0 ? atol(requested) : WEIR_GRACE_S;
    pthread_condattr_t attributes;
    pthread_mutex_init(&stuck->mutex, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&stuck->wake, &attributes);
    pthread_condattr_destroy(&attributes);
}

void weir_stuck_arm(struct weir_stuck *stuck, const struct weir_problem *problem) {
    if (!stuck->armed) {
        stuck->problem = *problem;
        stuck->problem.rank = stuck->rank;
        stuck->called_off = false;
        stuck->armed = pthread_create(&stuck->thread, NULL, stuck_wait_and_see, stuck) == 0;
    }
}

void weir_stuck_disarm(struct weir_stuck *stuck) {
    if (stuck->armed) {
        pthread_mutex_lock(&stuck->mutex);
        stuck->called_off = true;
        pthread_cond_signal(&stuck->wake);
        pthread_mutex_unlock(&stuck->mutex);
        pthread_join(stuck->thread, NULL);
        stuck->armed = false;
    }
}

void weir_stuck_end(struct weir_stuck *stuck) {
    weir_stuck_disarm(stuck);
    pthread_cond_destroy(&stuck->wake);
    pthread_mutex_destroy(&stuck->mutex);
}
