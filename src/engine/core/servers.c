#include "servers.h"
#include "clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define REST_MS     20
#define RESTS       5    /* the most of them */
#define QUIET_BYTES 1024 /* by which client and servers learn that the other one is there */

bool weir_observers_may_listen = true;

static struct weir_observer *registered;

/* Constructors run in no particular order, so the list is kept sorted. */
void weir_observer_register(struct weir_observer *observer) {
    const struct weir_observer **place = (const struct weir_observer **)&registered;
    while (*place != NULL && strcmp((*place)->name, observer->name) < 0) {
        place = (const struct weir_observer **)&((struct weir_observer *)*place)->next;
    }
    observer->next = *place;
    *place = observer;
}

const struct weir_observer *weir_observers(void) {
    return registered;
}

const char *const weir_servers_counted_names[] = {"payload", "traffic", "node", "devices", "links"};

static void servers_count_one(const struct weir_observer *observer, const struct weir_medium *medium,
                              struct weir_seen *seen) {
    memset(seen->counts, 0xff, sizeof seen->counts); /* WEIR_SERVERS_UNKNOWN */
    seen->counts[WEIR_SERVERS_ENDED] = 0;
    if (seen->known && observer->count(medium, seen->counts) == 0) {
        seen->known = false;
        snprintf(seen->what, sizeof seen->what, "its counters went away");
    }
}

void weir_servers_begin(const struct weir_medium *medium, struct weir_servers *servers) {
    int i = 0;
    memset(servers, 0, sizeof *servers);
    for (const struct weir_observer *o = weir_observers(); o != NULL && i < WEIR_SERVERS_MOST; o = o->next) {
        struct weir_seen *seen = &servers->seen[i++];
        seen->counted = o->counted;
        seen->fits = o->fits(medium);
        seen->known = seen->fits && o->begin(medium, seen->what);
        servers->any = servers->any || seen->fits;
        servers->known = servers->known || seen->known;
    }
    weir_servers_count(medium, servers);
}

void weir_servers_count(const struct weir_medium *medium, struct weir_servers *servers) {
    int i = 0;
    for (const struct weir_observer *o = weir_observers(); o != NULL && i < WEIR_SERVERS_MOST; o = o->next) {
        struct weir_seen *seen = &servers->seen[i++];
        servers_count_one(o, medium, seen);
        if (seen->known && o->peers != NULL) {
            o->peers(&servers->peers);
        }
    }
}

static void servers_subtract(const uint64_t *earlier, uint64_t *later) {
    for (int i = 0; i < WEIR_SERVERS_COUNTS; i++) {
        if (later[i] != WEIR_SERVERS_UNKNOWN) {
            later[i] = later[i] >= earlier[i] ? later[i] - earlier[i] : 0;
        }
    }
}

/* Neither other traffic of the node nor the servers' other clients end with what is ours. */
static bool servers_of_mount(const struct weir_seen *seen) {
    return seen->known && (seen->counted == WEIR_COUNTS_PAYLOAD || seen->counted == WEIR_COUNTS_TRAFFIC);
}

/* What moved in one rest; the most that an observer saw. */
static uint64_t servers_rest_once(const struct weir_medium *medium, struct weir_servers *servers) {
    const struct timespec rest = {0, REST_MS * 1000000};
    struct weir_servers before = *servers;
    uint64_t most = 0, began_ns = weir_clock_ns();
    nanosleep(&rest, NULL);
    weir_servers_count(medium, servers);
    servers->idle_s = (double)(weir_clock_ns() - began_ns) / 1e9;
    for (int i = 0; i < WEIR_SERVERS_MOST; i++) {
        for (int way = WEIR_SERVERS_SENT; way <= WEIR_SERVERS_RECEIVED; way++) {
            uint64_t now = servers->seen[i].counts[way], then = before.seen[i].counts[way];
            uint64_t moved = now > then ? now - then : 0;
            servers->seen[i].idle[way] = moved;
            most = moved > most && servers_of_mount(&servers->seen[i]) ? moved : most;
        }
    }
    return most;
}

/* A read-ahead of the program's last file ends soon, and one message of a daemon is not a rate; others go on.
 */
void weir_servers_rest(const struct weir_medium *medium, struct weir_servers *servers) {
    for (int i = 0; servers->known && i < RESTS; i++) {
        if (servers_rest_once(medium, servers) < QUIET_BYTES) {
            break;
        }
    }
}

void weir_servers_end(const struct weir_medium *medium, struct weir_servers *servers) {
    struct weir_servers before = *servers;
    weir_servers_count(medium, servers);
    for (int i = 0; i < WEIR_SERVERS_MOST; i++) {
        servers_subtract(before.seen[i].counts, servers->seen[i].counts);
    }
    weir_peers_subtract(&servers->peers, &before.peers);
}

void weir_server_drop_caches(void) {
    const char *command = getenv("WEIR_DROP_SERVER_CACHES");
    if (command != NULL && command[0] != '\0' && system(command) != 0) {
        fprintf(stderr, "weir-io: %s (WEIR_DROP_SERVER_CACHES) failed: reads may come from there\n", command);
    }
}

void weir_servers_add(struct weir_servers *sum, const struct weir_servers *node) {
    sum->any = sum->any || node->any;
    sum->known = sum->known && node->known;
    weir_peers_add(&sum->peers, &node->peers);
    if (sum->cpu_waited_us < node->cpu_waited_us) {
        sum->cpu_waited_us = node->cpu_waited_us; /* unknown is the greatest */
    }
    for (int i = 0; i < WEIR_SERVERS_MOST; i++) {
        struct weir_seen *all = &sum->seen[i];
        const struct weir_seen *one = &node->seen[i];
        if (all->known && !one->known) {
            memcpy(all->what, one->what, sizeof all->what);
        }
        all->known = all->known && one->known;
        /* Every node that asks the servers gets the same answer. */
        bool same = all->known && all->counted == WEIR_COUNTS_DEVICES;
        for (int c = 0; c < WEIR_SERVERS_COUNTS && !same; c++) {
            bool both = all->counts[c] != WEIR_SERVERS_UNKNOWN && one->counts[c] != WEIR_SERVERS_UNKNOWN;
            uint64_t a = all->counts[c], b = one->counts[c];
            bool of_one = c == WEIR_SERVERS_UNANSWERED_MS || c == WEIR_SERVERS_TIMEOUTS;
            uint64_t joined = !of_one ? a + b : a > b ? a : b;
            all->counts[c] = both ? joined : WEIR_SERVERS_UNKNOWN;
        }
        for (int way = 0; way < 2 && !same; way++) {
            all->idle[way] += one->idle[way];
        }
    }
}
