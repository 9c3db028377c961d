/* The way out of a collective library that one rank left with an error while others wait in it for ever:
 * after a grace the rank that failed says why, writes the document if it is rank 0, and ends the job. */
#ifndef WEIR_WAY_OUT_H
#define WEIR_WAY_OUT_H

#include "document.h"

#include <pthread.h>

#define WEIR_GRACE_S 10

struct weir_way_out {
    struct weir_document *document;
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

#endif
