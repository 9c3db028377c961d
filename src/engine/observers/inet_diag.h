/* TCP connections of the own network namespace, with the bytes that each moved; no privilege is needed. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct weir_connection {
    uint64_t cookie;
    unsigned char local[16], remote[16]; /* IPv4 as ::ffff:a.b.c.d */
    uint16_t local_port, remote_port;
    unsigned long inode;
    uint32_t user;
    bool listens;
    uint64_t acked_bytes, received_bytes, segments; /* segments with data that were sent */
    uint64_t unanswered_ms; /* sum of the times in which the other end acknowledged nothing; 0 before 6.7 */
    bool times_silence;     /* the kernel counts them */
    uint64_t sent_again;    /* segments */
    /* Time with bytes that were not sent or not acknowledged, and of this with a closed receive window at the
     * other end: Linux 4.10. What a program there needs to answer: from the last that was sent to the data
     * that came next, smoothed. */
    uint64_t outstanding_us, closed_us, answer_us;
};

typedef void weir_connection_look(const struct weir_connection *connection);

/* Calls look for every connection; false where the kernel does not tell. */
bool weir_inet_diag(weir_connection_look *look);

/* How often any connection of the network namespace sent again because no answer had come for 0.2 s or more
 * (TCPTimeouts), of a file like /proc/net/netstat; UINT64_MAX where it is not there. */
uint64_t weir_tcp_timeouts(FILE *file);

/* The kernel sends the last counts of each connection that ends, to a socket that stays open; -1 where it
 * does not. Nothing runs here until the messages are read. */
int weir_inet_diag_endings(void);
/* Calls look for each that has ended since the last call, once those came that are on their way for at most
 * wait_ms; false where some were lost. */
bool weir_inet_diag_ended(int endings, int wait_ms, weir_connection_look *look);
