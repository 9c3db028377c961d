/* TCP connections of the mount: those of its FUSE process, else those to the targets of Lustre, else those to
 * the servers that the mount names. */
#include "addresses.h"
#include "closing.h"
#include "fuse_client.h"
#include "inet_diag.h"
#include "llite.h"
#include "lnet.h"
#include "observer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LISTENING_MOST   512
#define CONNECTIONS_MOST 8192
#define MESSAGE_MS       1000 /* the most that the message about an end may take on a busy machine */

struct known_connection {
    struct weir_connection last;   /* as it was seen last; zeros before that */
    uint64_t unanswered_before_ms; /* when it was seen first */
    uint64_t sent_again_before;    /* likewise */
    bool here;                     /* this time */
};

static struct {
    struct weir_addresses servers;
    bool is_lustre; /* its mount names management servers alone; bytes go to the targets */
    char name[64];  /* of the Lustre file system */
    struct weir_lnet lnet;
    int strangers; /* connections of LNet to addresses that no server has */
    pid_t client;
    unsigned long inodes[WEIR_FUSE_SOCKETS];
    int inode_count;
    uint16_t listening[LISTENING_MOST];
    int listening_count;
    struct known_connection known[CONNECTIONS_MOST];
    int known_count;
    bool counting;            /* what appears now is new */
    int here;                 /* connections this time */
    int awaited;              /* that are gone, and their last counts have not come */
    int endings;              /* socket that gets the last counts of those that end; -1: none */
    bool follows;             /* the kernel was requested to send them */
    uint64_t timeouts_before; /* of all connections of the node */
    uint64_t totals[WEIR_SERVERS_COUNTS];
    struct weir_peers peers;
} state = {.endings = -1};

static bool connections_is_fuse(const struct weir_medium *medium) {
    return strncmp(medium->file_system, "fuse", 4) == 0 && strcmp(medium->file_system, "fuseblk") != 0;
}

/* host:/export, 10.0.0.1@tcp:/name, mfs#host, or an address among the options. */
static bool connections_fits(const struct weir_medium *medium) {
    bool named = medium->source[0] != '/' && strpbrk(medium->source, ":@#") != NULL;
    return !medium->counted && !medium->dax && (connections_is_fuse(medium) || named);
}

static void connections_add_server(const char *text) {
    unsigned char address[16];
    if (weir_addresses_parse(text, address)) {
        weir_addresses_add(&state.servers, address);
    }
}

/* Every word of it that is an address; a word of IPv4 ends at a colon, too: 10.0.0.1:6789. */
static void connections_find_servers(const char *text) {
    char word[64];
    for (const char *at = text; *at != '\0';) {
        size_t length = strspn(at, "0123456789abcdefABCDEF.:");
        size_t dotted = strspn(at, "0123456789.");
        size_t end = memchr(at, '.', dotted) != NULL ? dotted : length;
        if (end > 1 && end < sizeof word) {
            snprintf(word, sizeof word, "%.*s", (int)end, at);
            connections_add_server(word);
        }
        at += end > 0 ? end : 1;
    }
}

static bool connections_listens_at(uint16_t port) {
    for (int i = 0; i < state.listening_count; i++) {
        if (state.listening[i] == port) {
            return true;
        }
    }
    return false;
}

static bool connections_is_of_client(unsigned long inode) {
    for (int i = 0; i < state.inode_count; i++) {
        if (state.inodes[i] == inode) {
            return true;
        }
    }
    return false;
}

/* To a target, or to a further address of the servers that the target of weir declares. */
static bool connections_is_to_target(const struct weir_connection *one) {
    bool is_declared = weir_addresses_has(&state.servers, one->remote) &&
                       !weir_addresses_has(&state.lnet.others, one->remote);
    return weir_lnet_is(&state.lnet, one) &&
           (is_declared || weir_addresses_has(&state.lnet.targets, one->remote));
}

static void connections_note_listening(const struct weir_connection *one) {
    if (one->listens && state.listening_count < LISTENING_MOST) {
        state.listening[state.listening_count++] = one->local_port;
    }
}

/* Where servers are on the same machine both ends are seen: a server's has the port that it listens at. */
static bool connections_is_ours(const struct weir_connection *one) {
    if (one->listens) {
        return false;
    }
    if (state.is_lustre) {
        return connections_is_to_target(one);
    }
    if (state.client != 0) {
        return connections_is_of_client(one->inode);
    }
    return weir_addresses_has(&state.servers, one->remote) && !connections_listens_at(one->local_port);
}

/* One of LNet, to no known server: to a further interface of one, or to a router. */
static bool connections_is_strange(const struct weir_connection *one) {
    return state.is_lustre && weir_lnet_is(&state.lnet, one) &&
           !weir_addresses_has(&state.lnet.others, one->remote);
}

enum connections_likeness { CONNECTIONS_OTHER, CONNECTIONS_SAME_SERVER, CONNECTIONS_SAME_PORT };

/* How near its other end is to those of the connections that are known. */
static enum connections_likeness connections_likeness(const struct weir_connection *one) {
    enum connections_likeness best = CONNECTIONS_OTHER;
    for (int i = 0; i < state.known_count && best != CONNECTIONS_SAME_PORT; i++) {
        const struct weir_connection *known = &state.known[i].last;
        if (memcmp(known->remote, one->remote, sizeof known->remote) == 0) {
            best = known->remote_port == one->remote_port ? CONNECTIONS_SAME_PORT : CONNECTIONS_SAME_SERVER;
        }
    }
    return best;
}

static struct known_connection *connections_known(uint64_t cookie) {
    for (int i = 0; i < state.known_count; i++) {
        if (state.known[i].last.cookie == cookie) {
            return &state.known[i];
        }
    }
    return NULL;
}

/* A server of LNet is one, whichever side opened the connection: what a server opened has any port there. */
static void connections_add_peer(const struct weir_connection *one, const struct weir_connection *last) {
    uint16_t port = state.is_lustre ? state.lnet.ports[0] : one->remote_port;
    struct weir_peer *peer = weir_peers_find(&state.peers, one->remote, port);
    uint64_t received_bytes = one->received_bytes - last->received_bytes;
    if (peer != NULL) {
        peer->sent_bytes += one->acked_bytes - last->acked_bytes;
        peer->received_bytes += received_bytes;
        peer->outstanding_us += one->outstanding_us - last->outstanding_us;
        peer->closed_us += one->closed_us - last->closed_us;
        peer->answer_us_bytes += received_bytes * one->answer_us;
    }
}

static void connections_add(const struct weir_connection *one, const struct known_connection *known) {
    const struct weir_connection *last = &known->last;
    connections_add_peer(one, last);
    state.totals[WEIR_SERVERS_SENT] += one->acked_bytes - last->acked_bytes;
    state.totals[WEIR_SERVERS_RECEIVED] += one->received_bytes - last->received_bytes;
    state.totals[WEIR_SERVERS_REQUESTS] += (uint32_t)(one->segments - last->segments);
    uint64_t again = one->sent_again - known->sent_again_before;
    if (again > state.totals[WEIR_SERVERS_TIMEOUTS]) {
        state.totals[WEIR_SERVERS_TIMEOUTS] = again;
    }
    uint64_t *longest_ms = &state.totals[WEIR_SERVERS_UNANSWERED_MS];
    uint64_t own_ms = one->unanswered_ms - known->unanswered_before_ms;
    if (!one->times_silence) {
        *longest_ms = WEIR_SERVERS_UNKNOWN;
    } else if (*longest_ms != WEIR_SERVERS_UNKNOWN && own_ms > *longest_ms) {
        *longest_ms = own_ms;
    }
}

/* One that was its once stays its: what the client closed has no inode, and still sends. */
static void connections_count_one(const struct weir_connection *one) {
    struct known_connection *known = connections_known(one->cookie);
    if (known == NULL) {
        if (state.known_count == CONNECTIONS_MOST || !connections_is_ours(one)) {
            state.strangers += connections_is_strange(one);
            return;
        }
        known = &state.known[state.known_count++];
        *known = (struct known_connection){0};
        known->unanswered_before_ms = state.counting ? 0 : one->unanswered_ms;
        known->sent_again_before = state.counting ? 0 : one->sent_again;
    }
    connections_add(one, known);
    known->last = *one;
    known->here = true;
    state.here++;
}

static void connections_count_ended(const struct weir_connection *one) {
    static const struct known_connection new;
    struct known_connection *known = connections_known(one->cookie);
    if (known != NULL) {
        connections_add(one, known);
        state.here -= known->here;
        state.awaited -= !known->here;
        *known = state.known[--state.known_count];
    } else if (state.client == 0 ? connections_is_ours(one)
                                 : connections_likeness(one) == CONNECTIONS_SAME_PORT) {
        connections_add(one, &new); /* it began and ended since the last look, and has no inode any more */
    } else if (state.client != 0 && connections_likeness(one) == CONNECTIONS_SAME_SERVER) {
        state.totals[WEIR_SERVERS_ENDED]++;
    }
}

/* Whatever ended and has sent its last counts leaves the list. */
static void connections_hear_of_ended(void) {
    int waited_ms = 0, step_ms = 0;
    state.awaited = state.known_count - state.here;
    do {
        if (state.endings >= 0 && !weir_inet_diag_ended(state.endings, step_ms, connections_count_ended)) {
            state.totals[WEIR_SERVERS_ENDED]++;
        }
        waited_ms += step_ms;
        step_ms = 10;
    } while (state.endings >= 0 && state.awaited > 0 && waited_ms < MESSAGE_MS);
}

/* What a connection moved between the last look and its end is lost where no message told it. */
static void connections_forget_ended(void) {
    int kept = 0;
    for (int i = 0; i < state.known_count; i++) {
        if (state.known[i].here) {
            state.known[kept] = state.known[i];
            state.known[kept++].here = false;
        }
    }
    state.totals[WEIR_SERVERS_ENDED] += (uint64_t)(state.known_count - kept);
    state.known_count = kept;
}

static bool connections_look(void) {
    state.here = state.strangers = 0;
    if (state.client != 0) {
        state.inode_count = weir_fuse_sockets(state.client, state.inodes);
        if (state.inode_count < 0) {
            return false;
        }
    }
    if (!weir_inet_diag(connections_count_one)) {
        return false;
    }
    connections_hear_of_ended();
    connections_forget_ended();
    return true;
}

/* The harness resolves names and adds what the target declares. */
static void connections_find_all_servers(const struct weir_medium *medium) {
    const char *given = getenv("WEIR_SERVER_ADDRESSES");
    state.servers.count = 0;
    if (!state.is_lustre) {
        connections_find_servers(medium->source);
        connections_find_servers(medium->options);
    }
    connections_find_servers(given != NULL ? given : "");
}

/* Whether the mount has connections that can be told from others; false, and why not. */
static bool connections_find_ends(const struct weir_medium *medium, char what[96]) {
    state.is_lustre = strcmp(medium->file_system, "lustre") == 0;
    state.client = connections_is_fuse(medium) ? weir_fuse_client(medium) : 0;
    connections_find_all_servers(medium);
    if (state.is_lustre) {
        weir_lustre_name(medium->source, state.name);
        return weir_lnet_find(state.name, &state.lnet, what);
    }
    if (state.client == 0 && state.servers.count == 0) {
        snprintf(what, 96, "the mount names no address of a server, and its client is not visible");
        return false;
    }
    return true;
}

static uint64_t connections_timeouts(void) {
    WEIR_FILE *file = fopen("/proc/self/net/netstat", "r");
    return weir_tcp_timeouts(file);
}

/* A connection sends again for other reasons too, and others of the node have timeouts: at most the fewer. */
static void connections_limit_timeouts(uint64_t *again) {
    uint64_t now = connections_timeouts();
    if (now == WEIR_SERVERS_UNKNOWN || state.timeouts_before == WEIR_SERVERS_UNKNOWN) {
        *again = WEIR_SERVERS_UNKNOWN;
    } else if (*again > now - state.timeouts_before) {
        *again = now - state.timeouts_before;
    }
}

static bool connections_begin(const struct weir_medium *medium, char what[96]) {
    if (weir_observers_may_listen && !state.follows) {
        state.follows = true;
        state.endings = weir_inet_diag_endings();
    }
    if (state.known_count > 0) { /* what ended before this belongs to the interval before */
        connections_look();
    }
    state.known_count = state.listening_count = 0;
    state.counting = false;
    if (!connections_find_ends(medium, what)) {
        return false;
    }
    if (!weir_inet_diag(connections_note_listening) || !connections_look()) {
        snprintf(what, 96, "the kernel does not list TCP connections here");
        return false;
    }
    if (state.strangers > 0) {
        snprintf(what, 96, "%d connections of LNet are to addresses that no target has", state.strangers);
        return false;
    }
    if (state.here == 0) {
        snprintf(what, 96, "no TCP connection to the servers is visible in this network namespace");
        return false;
    }
    memset(state.totals, 0, sizeof state.totals);
    state.peers.count = 0;
    state.timeouts_before = connections_timeouts();
    state.counting = true;
    state.totals[WEIR_SERVERS_WRITES] = state.totals[WEIR_SERVERS_COMMITS] = WEIR_SERVERS_UNKNOWN;
    if (state.client != 0) {
        snprintf(what, 96, "%d TCP connections of process %ld", state.here, (long)state.client);
    } else {
        snprintf(what, 96, "%d TCP connections to the addresses of the servers", state.here);
    }
    return true;
}

/* A target of Lustre that failed over, or an interface that was found, is reached elsewhere since. */
static bool connections_lead_elsewhere(void) {
    static struct weir_lnet now;
    char why[96];
    return state.is_lustre && (state.strangers > 0 || !weir_lnet_find(state.name, &now, why) ||
                               memcmp(&now, &state.lnet, sizeof now) != 0);
}

static int connections_count(const struct weir_medium *medium, uint64_t counts[WEIR_SERVERS_COUNTS]) {
    (void)medium;
    if (!connections_look() || connections_lead_elsewhere()) {
        return 0;
    }
    memcpy(counts, state.totals, sizeof state.totals);
    connections_limit_timeouts(&counts[WEIR_SERVERS_TIMEOUTS]);
    return 1;
}

static void connections_peers(struct weir_peers *peers) {
    *peers = state.peers;
}

static struct weir_observer connections = {
    .name = "connections",
    .counted = WEIR_COUNTS_TRAFFIC,
    .fits = connections_fits,
    .begin = connections_begin,
    .count = connections_count,
    .peers = connections_peers,
};

WEIR_OBSERVER(connections)
