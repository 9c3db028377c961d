/* What the client of a network file system exchanged with its servers, by one source of the client's node.
 *
 * An observer is one file of observers/: it registers itself, tells whether it can see anything of a mount,
 * and then how its counters have grown since. Engine and witness use the same ones.
 */
#pragma once

#include "medium.h"
#include "peers.h"

#include <stdbool.h>
#include <stdint.h>

enum weir_server_count {
    WEIR_SERVERS_SENT,     /* bytes that the servers acknowledged, or that the client sent them */
    WEIR_SERVERS_RECEIVED, /* bytes that came from them */
    WEIR_SERVERS_REQUESTS, /* requests of any kind */
    WEIR_SERVERS_WRITES,   /* requests that write; only where the observer tells them apart */
    WEIR_SERVERS_COMMITS,  /* requests to make earlier writes stable; likewise */
    WEIR_SERVERS_ENDED,    /* connections whose last counts were lost: the others are lower bounds then */
    WEIR_SERVERS_UNANSWERED_MS, /* in which a connection got no answer to what it sent; of the longest one */
    WEIR_SERVERS_TIMEOUTS,      /* after which a connection sent again, at most; of the worst one */
    WEIR_SERVERS_COUNTS
};

/* A count that the observer does not have. */
#define WEIR_SERVERS_UNKNOWN UINT64_MAX

/* What it reports, for whoever has to believe it. */
enum weir_server_counted {
    WEIR_COUNTS_PAYLOAD, /* bytes of files alone */
    WEIR_COUNTS_TRAFFIC, /* of the mount, with headers and requests */
    WEIR_COUNTS_NODE,    /* of the whole node, whoever caused it */
    WEIR_COUNTS_DEVICES, /* of the servers' devices, as the servers report them */
    WEIR_COUNTS_LINKS    /* of a container's links, past which the mount may send and receive */
};

struct weir_observer {
    const char *name;
    enum weir_server_counted counted;
    /* Whether it is about this kind of mount at all. */
    bool (*fits)(const struct weir_medium *medium);
    /* Find what to count: a text for whom it counts, or, where it returns false, why it cannot. */
    bool (*begin)(const struct weir_medium *medium, char what[96]);
    /* How far the counters are now, from how many sources; 0: they cannot be read. All are unknown before,
     * but WEIR_SERVERS_ENDED is 0. They only grow between two calls of begin. */
    int (*count)(const struct weir_medium *medium, uint64_t counts[WEIR_SERVERS_COUNTS]);
    /* The same for each server, where it tells them apart; else NULL. After count. */
    void (*peers)(struct weir_peers *peers);
    const struct weir_observer *next; /* set by the registry */
};

/* Whether an observer may keep a descriptor between its calls: false in a process that is not ours, which may
 * close it, and get its number for a file. */
extern bool weir_observers_may_listen;

void weir_observer_register(struct weir_observer *observer);
const struct weir_observer *weir_observers(void); /* sorted by name */

/* Put this at the end of an observer's file. The number: before the constructor of the witness, which looks
 * for observers when it is loaded. */
#define WEIR_OBSERVER(table)                                                                                 \
    __attribute__((constructor(200))) static void table##_register(void) {                                   \
        weir_observer_register(&(table));                                                                    \
    }
