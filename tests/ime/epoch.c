/* Several drains run over one object all the time while a writer changes it: whenever it is called settled
 * after a change, the change must be in the backing. Numbers stand for data: what matters is who vouches for
 * what.
 *
 *   epoch [CHANGES]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "object/object.h"

#define DRAINS 3

static struct object_header header;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the object: one drain copies at a time */
static _Atomic unsigned data;
static _Atomic unsigned backing;
static _Atomic bool over;

static void *drain(void *unused) {
    while (!atomic_load(&over)) {
        if (is_settled(&header)) {
            sched_yield();
            continue;
        }
        uint32_t begun = epoch_begin_drain(&header);
        pthread_mutex_lock(&lock);
        unsigned seen = atomic_load(&data);
        sched_yield();
        atomic_store(&backing, seen);
        pthread_mutex_unlock(&lock);
        sched_yield();
        epoch_end_drain(&header, begun);
    }
    return unused;
}

/* 0 if no drain ever vouched for more than it had seen. */
static unsigned long changes_missed(unsigned long changes) {
    unsigned long missed = 0;
    for (unsigned long change = 1; change <= changes; change++) {
        atomic_store(&data, (unsigned)change);
        epoch_mark_changed(&header);
        if (change % 3 == 0) {
            continue; /* the next change comes in the middle of the drains */
        }
        while (!is_settled(&header)) {
            sched_yield();
        }
        missed += atomic_load(&backing) != (unsigned)change;
    }
    return missed;
}

int main(int argc, char **argv) {
    unsigned long changes = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000;
    pthread_t drains[DRAINS];
    for (int i = 0; i < DRAINS; i++) {
        if (pthread_create(&drains[i], NULL, drain, NULL) != 0) {
            return 2;
        }
    }
    unsigned long missed = changes_missed(changes);
    atomic_store(&over, true);
    for (int i = 0; i < DRAINS; i++) {
        pthread_join(drains[i], NULL);
    }
    printf("%lu changes, %lu called settled too early, %s in the end\n", changes, missed,
           is_settled(&header) ? "settled" : "not settled");
    return missed == 0 && is_settled(&header) ? 0 : 1;
}
