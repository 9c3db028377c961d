#include "peers.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

const unsigned char weir_mapped_ipv4[WEIR_MAPPED] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

/* IPv4 and IPv6 alone; false for other families. */
static bool peers_is(const struct sockaddr *found, const unsigned char address[16]) {
    if (found == NULL || (found->sa_family != AF_INET && found->sa_family != AF_INET6)) {
        return false;
    }
    if (found->sa_family == AF_INET6) {
        return memcmp(&((const struct sockaddr_in6 *)(const void *)found)->sin6_addr, address, 16) == 0;
    }
    return memcmp(address, weir_mapped_ipv4, WEIR_MAPPED) == 0 &&
           memcmp(&((const struct sockaddr_in *)(const void *)found)->sin_addr, address + WEIR_MAPPED, 4) ==
               0;
}

/* Whether this node has the address. */
static bool peers_is_here(const unsigned char address[16]) {
    struct ifaddrs *all;
    bool here = memcmp(address, weir_mapped_ipv4, WEIR_MAPPED) == 0 && address[WEIR_MAPPED] == 127;
    if (here || getifaddrs(&all) != 0) {
        return here;
    }
    for (const struct ifaddrs *one = all; one != NULL && !here; one = one->ifa_next) {
        here = peers_is(one->ifa_addr, address);
    }
    freeifaddrs(all);
    return here;
}

struct weir_peer *weir_peers_find(struct weir_peers *peers, const unsigned char address[16], uint16_t port) {
    for (int i = 0; i < peers->count; i++) {
        struct weir_peer *one = &peers->list[i];
        if (one->port == port && memcmp(one->address, address, sizeof one->address) == 0) {
            return one;
        }
    }
    if (peers->count == WEIR_PEERS_MOST) {
        return NULL;
    }
    struct weir_peer *added = &peers->list[peers->count++];
    *added = (struct weir_peer){.port = port, .here = peers_is_here(address)};
    memcpy(added->address, address, sizeof added->address);
    return added;
}

void weir_peers_add(struct weir_peers *sum, const struct weir_peers *more) {
    for (int i = 0; i < more->count; i++) {
        const struct weir_peer *one = &more->list[i];
        struct weir_peer *all = weir_peers_find(sum, one->address, one->port);
        if (all != NULL) {
            all->here = all->here || one->here;
            all->sent_bytes += one->sent_bytes;
            all->received_bytes += one->received_bytes;
            all->outstanding_us += one->outstanding_us;
            all->closed_us += one->closed_us;
            all->answer_us_bytes += one->answer_us_bytes;
        }
    }
}

void weir_peers_subtract(struct weir_peers *later, const struct weir_peers *earlier) {
    for (int i = 0; i < earlier->count; i++) {
        const struct weir_peer *one = &earlier->list[i];
        struct weir_peer *rest = weir_peers_find(later, one->address, one->port);
        if (rest != NULL) {
            rest->sent_bytes -= one->sent_bytes;
            rest->received_bytes -= one->received_bytes;
            rest->outstanding_us -= one->outstanding_us;
            rest->closed_us -= one->closed_us;
            rest->answer_us_bytes -= one->answer_us_bytes;
        }
    }
}

void weir_peer_name(const struct weir_peer *peer, char name[WEIR_PEER_NAME]) {
    bool is_ipv4 = memcmp(peer->address, weir_mapped_ipv4, WEIR_MAPPED) == 0;
    char text[INET6_ADDRSTRLEN];
    inet_ntop(is_ipv4 ? AF_INET : AF_INET6, peer->address + (is_ipv4 ? WEIR_MAPPED : 0), text, sizeof text);
    snprintf(name, WEIR_PEER_NAME, is_ipv4 ? "%s:%u" : "[%s]:%u", text, peer->port);
}
