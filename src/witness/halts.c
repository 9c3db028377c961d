/* The longest time within a span in which calls were under way and none ended: a storage, or the network to
 * it, stood still. The thread that finds pauses looks, so that the calls need no clock. */
#include <pthread.h>

#include "pauses.h"
#include "witness.h"

struct counter halts_calls;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool watching;
static uint64_t moved_bytes, moved_ns, same_ns; /* when bytes were seen to move, and last seen not to */
static struct halt longest;

static uint64_t moved_now(void) {
    uint64_t read, written, syncs;
    files_sum(&read, &written, &syncs);
    return read + written;
}

static void look_now(void) {
    uint64_t now_ns = weir_raw_clock_ns(), moved = moved_now();
    if (moved != moved_bytes) {
        /* From look to look: a thread that woke up late makes no halt. */
        if (same_ns > moved_ns && same_ns - moved_ns > longest.ns) {
            longest = (struct halt){.ns = same_ns - moved_ns, .bytes = moved - moved_bytes};
        }
        moved_bytes = moved;
        moved_ns = now_ns;
    } else if (counted(&halts_calls) > 0) {
        same_ns = now_ns;
    } else {
        moved_ns = now_ns; /* the program does something else */
    }
}

static void look(void) {
    if (pthread_mutex_trylock(&mutex) == 0) {
        if (watching) {
            look_now();
        }
        pthread_mutex_unlock(&mutex);
    }
}

void halts_begin(void) {
    weir_pauses_also = look;
    pthread_mutex_lock(&mutex);
    moved_bytes = moved_now();
    moved_ns = weir_raw_clock_ns();
    same_ns = 0;
    longest = (struct halt){0};
    watching = true;
    pthread_mutex_unlock(&mutex);
}

struct halt halts_end(void) {
    pthread_mutex_lock(&mutex);
    if (watching) {
        look_now(); /* what moved since the last beat may end a halt */
    }
    watching = false;
    pthread_mutex_unlock(&mutex);
    return longest;
}

void halts_forget(void) {
    pthread_mutex_init(&mutex, NULL);
    watching = false;
    halts_calls = (struct counter){0};
}
