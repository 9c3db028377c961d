/* The servers of a mount one by one: what the connections to each address and port moved, and how long they
 * waited for it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define WEIR_PEERS_MOST 64
#define WEIR_PEER_NAME  56
#define WEIR_MAPPED     12

/* Before the four bytes of an IPv4 address, where one of IPv6 is meant. */
extern const unsigned char weir_mapped_ipv4[WEIR_MAPPED];

struct weir_peer {
    unsigned char address[16]; /* IPv4 as ::ffff:a.b.c.d */
    uint16_t port;
    bool here; /* on a node of the clients, whose load makes it wait */
    uint64_t sent_bytes, received_bytes;
    uint64_t outstanding_us;  /* bytes for it were not sent or not acknowledged; sum of its connections */
    uint64_t closed_us;       /* of these: it took no more, its receive window was closed */
    uint64_t answer_us_bytes; /* received bytes, each times the time of an answer when it was counted */
};

struct weir_peers {
    int count;
    struct weir_peer list[WEIR_PEERS_MOST];
};

/* Finds a server, or adds it with counts of zero; NULL where the list is full. */
struct weir_peer *weir_peers_find(struct weir_peers *peers, const unsigned char address[16], uint16_t port);
void weir_peers_add(struct weir_peers *sum, const struct weir_peers *more);
void weir_peers_subtract(struct weir_peers *later, const struct weir_peers *earlier);
/* 10.0.0.1:6800, [fe80::1]:6800 */
void weir_peer_name(const struct weir_peer *peer, char name[WEIR_PEER_NAME]);
