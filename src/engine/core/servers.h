/* All observers of the mount that holds a file: what crossed between this node and the servers. */
#pragma once

#include "observer.h"

#include <stdint.h>

#define WEIR_SERVERS_MOST 12 /* observers */

struct weir_seen {
    enum weir_server_counted counted;
    bool fits;     /* it is about this kind of mount */
    bool known;    /* and could count */
    char what[96]; /* for whom it counts; else why it cannot */
    uint64_t counts[WEIR_SERVERS_COUNTS];
    uint64_t idle[2]; /* bytes sent and received in the rest before: foreign traffic */
};

struct weir_servers {
    bool any;                                 /* some observer fits: a file system with servers */
    bool known;                               /* and one could count */
    double idle_s;                            /* length of that interval; 0: none */
    struct weir_seen seen[WEIR_SERVERS_MOST]; /* in the order of weir_observers() */
    uint64_t cpu_waited_us;  /* in which some process of the node waited for a processor; of several nodes the
                              * longest; WEIR_SERVERS_UNKNOWN: the kernel does not tell */
    struct weir_peers peers; /* those that an observer tells apart */
};

extern const char *const weir_servers_counted_names[];
/* Find what each observer can count; then how far the counters are. */
void weir_servers_begin(const struct weir_medium *medium, struct weir_servers *servers);
void weir_servers_count(const struct weir_medium *medium, struct weir_servers *servers);
/* Counts with a rest between: what others move meanwhile. Nothing where no observer could count. A rest in
 * which much moved is followed by another one. */
void weir_servers_rest(const struct weir_medium *medium, struct weir_servers *servers);
/* Turns what was counted into how it grew since the begin. */
void weir_servers_end(const struct weir_medium *medium, struct weir_servers *servers);
/* The command that empties the caches of the servers (WEIR_DROP_SERVER_CACHES), where one is given. */
void weir_server_drop_caches(void);
/* Adds another node's; what one node does not know is unknown for all. */
void weir_servers_add(struct weir_servers *sum, const struct weir_servers *node);
