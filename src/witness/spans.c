/* Phases of a program, as far as opens and closes tell them apart: when each began and ended, and how the
 * counters of the kernel and of the device grew meanwhile. */
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include "pauses.h"
#include "witness.h"

#define CLOSE_NS 10000u /* nothing came between the clocks */

static struct span spans[WITNESS_SPANS];
static _Atomic unsigned used; /* of spans; the last one may still be open */
static _Atomic uint64_t uncounted;
static _Atomic int open_files;
static _Atomic uint64_t sync_ns; /* begin of the last synchronisation of the span, 0: none */
static struct tested tested;

typedef int (*clock_call)(clockid_t, struct timespec *);
typedef int (*wall_call)(struct timeval *, void *);

/* All clocks at the same moment; again where the process was interrupted between them, as in watch.c. */
static void read_clocks(struct moment *moment) {
    static clock_call clock;
    static wall_call wall;
    struct timespec now = {0, 0};
    struct timeval time = {0, 0};
    uint64_t before, after;
    int attempts = 0;
    if (clock == NULL || wall == NULL) {
        clock = (clock_call)first_call("clock_gettime");
        wall = (wall_call)first_call("gettimeofday");
    }
    do {
        before = weir_raw_clock_ns();
        if (clock != NULL && wall != NULL) {
            clock(CLOCK_MONOTONIC, &now);
            wall(&time, NULL);
        }
        after = weir_raw_clock_ns();
    } while (after - before > CLOSE_NS && ++attempts < 8);
    moment->raw_ns = before + (after - before) / 2;
    moment->apart_ns = (after - before + 1) / 2;
    moment->paused_ns = weir_pauses_ns();
    moment->monotonic_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    moment->wall_ns = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

static void read_servers(struct moment *moment) {
    if (!tested.servers.known) {
        return;
    }
    weir_servers_count(&tested.medium, &tested.servers);
    for (int i = 0; i < WEIR_SERVERS_MOST; i++) {
        memcpy(moment->servers[i], tested.servers.seen[i].counts, sizeof moment->servers[i]);
    }
}

static void read_counters(struct moment *moment) {
    files_sum(&moment->read_bytes, &moment->written_bytes, &moment->syncs);
    weir_process_io_read(&moment->io);
    moment->device_known = tested.device.name[0] != '\0' && weir_device_now(&tested.device, moment->device);
    read_servers(moment);
}

void spans_now(struct moment *moment) {
    read_counters(moment);
    read_clocks(moment);
}

void spans_begin(void) {
    const char *root = getenv("WEIR_WITNESS_ROOT");
    char path[WITNESS_PATH_BYTES];
    if (root == NULL || root[0] == '\0') {
        return;
    }
    snprintf(path, sizeof path, "%s/", root);
    weir_medium_of_directory(path, NULL, &tested.medium);
    contents_wanted = weir_medium_is_memory(&tested.medium);
    weir_device_begin(path, &tested.medium, &tested.device);
    weir_observers_may_listen = false;
    weir_servers_begin(&tested.medium, &tested.servers);
    read_servers(&tested.start);
    tested.start.raw_ns = weir_raw_clock_ns();
    weir_control_group_read(&tested.group);
    files_look(root);
}

void spans_opened(void) {
    if (atomic_fetch_add(&open_files, 1) > 0) {
        return;
    }
    unsigned at = atomic_load(&used);
    if (at == WITNESS_SPANS) {
        atomic_fetch_add(&uncounted, 1);
        return;
    }
    memset(&spans[at], 0, sizeof spans[at]);
    atomic_store(&sync_ns, 0);
    halts_begin();
    spans_now(&spans[at].begin);
    atomic_store(&used, at + 1);
    places_begin(spans[at].places);
}

static struct span *open_span(void) {
    unsigned at = atomic_load(&used);
    return at > 0 && !spans[at - 1].ended ? &spans[at - 1] : NULL;
}

void spans_syncing(void) {
    if (atomic_load_explicit(&used, memory_order_relaxed) > 0) {
        atomic_store(&sync_ns, weir_raw_clock_ns());
    }
}

void spans_closing(void) {
    struct span *span = open_span();
    if (span != NULL && atomic_load(&open_files) == 1) {
        uint64_t sync = atomic_load(&sync_ns);
        span->transfers_end_ns = sync != 0 ? sync : weir_raw_clock_ns();
    }
}

void spans_closed(void) {
    if (atomic_fetch_sub(&open_files, 1) != 1) {
        return;
    }
    struct span *span = open_span();
    if (span != NULL) {
        places_begin(NULL);
        read_clocks(&span->end);
        read_counters(&span->end);
        files_unwritten(&span->unwritten);
        span->halt = halts_end();
        span->ended = true;
    }
}

void spans_forget(void) {
    halts_forget();
    places_begin(NULL);
    atomic_store(&used, 0);
    atomic_store(&uncounted, 0);
}

const struct span *spans_all(unsigned *count, uint64_t *more) {
    *count = atomic_load(&used);
    *more = atomic_load(&uncounted);
    return spans;
}

const struct tested *spans_tested(void) {
    return &tested;
}
