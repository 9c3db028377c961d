#include "way_out.h"

#include "document.h"
#include "personality.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool skip_finalize;

void weir_way_out_skip_finalize(void) {
    skip_finalize = true;
}

void weir_way_out_finalize(int exit_code) {
    int any = skip_finalize;
    MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    if (any) {
        _exit(exit_code);
    }
    MPI_Finalize();
}

static void way_out_give_up(struct weir_way_out *way) {
    char line[2048];
    const char end[] = "; other ranks did not come out of the library, so the job ends here\n";
    weir_problem_sentence(&way->problem, 0, line, sizeof line - sizeof end);
    strcat(line, end);
    fputs(line, stderr);
    weir_document_rescue(way->document, &way->problem);
    _exit(WEIR_FAILED);
}

static void *way_out_wait_and_see(void *context) {
    struct weir_way_out *way = context;
    struct timespec until;
    int status = 0;
    clock_gettime(CLOCK_REALTIME, &until);
    /* Where rank 0 failed too, it is the one that ends the job: the document is its own. */
    until.tv_sec += way->grace_s + (way->document->job->rank != 0);
    pthread_mutex_lock(&way->mutex);
    while (!way->called_off && status != ETIMEDOUT) {
        status = pthread_cond_timedwait(&way->wake, &way->mutex, &until);
    }
    bool called_off = way->called_off;
    pthread_mutex_unlock(&way->mutex);
    if (!called_off) {
        way_out_give_up(way);
    }
    return NULL;
}

void weir_way_out_begin(struct weir_way_out *way, struct weir_document *document) {
    memset(way, 0, sizeof *way);
    const char *requested = getenv("WEIR_GRACE_S");
    way->document = document;
    way->grace_s = requested != NULL && atol(requested) > 0 ? atol(requested) : WEIR_GRACE_S;
    pthread_mutex_init(&way->mutex, NULL);
    pthread_cond_init(&way->wake, NULL);
}

void weir_way_out_arm(struct weir_way_out *way, const struct weir_problem *problem) {
    if (!way->armed) {
        way->problem = *problem;
        way->problem.rank = way->document->job->rank;
        way->called_off = false;
        way->armed = pthread_create(&way->thread, NULL, way_out_wait_and_see, way) == 0;
    }
}

void weir_way_out_disarm(struct weir_way_out *way) {
    if (way->armed) {
        pthread_mutex_lock(&way->mutex);
        way->called_off = true;
        pthread_cond_signal(&way->wake);
        pthread_mutex_unlock(&way->mutex);
        pthread_join(way->thread, NULL);
        way->armed = false;
    }
}

void weir_way_out_end(struct weir_way_out *way) {
    weir_way_out_disarm(way);
    pthread_cond_destroy(&way->wake);
    pthread_mutex_destroy(&way->mutex);
}
