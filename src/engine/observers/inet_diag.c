#include "inet_diag.h"

#include "peers.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define TIME_WAIT 6 /* of the kernel's states: without counters, and there may be thousands */
#define LISTENS   10
#define REPLY     (32u << 10)
/* tcpi_total_rto_time of Linux 6.7: behind the window (4 bytes), the rehashes (4) and two counts (2 each). */
#define SILENCE_AT (offsetof(struct tcp_info, tcpi_snd_wnd) + 4 + 4 + 4 + 2 + 2)
#define QUEUED     (4 << 20) /* bytes of messages that wait to be read, as far as the kernel allows */

struct diag_request {
    struct nlmsghdr header;
    struct inet_diag_req_v2 body;
};

static bool diag_ask(int netlink, unsigned char family) {
    struct diag_request request = {
        .header = {.nlmsg_len = sizeof request,
                   .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                   .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
        .body = {.sdiag_family = family,
                 .sdiag_protocol = IPPROTO_TCP,
                 .idiag_ext = 1u << (INET_DIAG_INFO - 1),
                 .idiag_states = ~(1u << TIME_WAIT)},
    };
    return send(netlink, &request, sizeof request, 0) == (ssize_t)sizeof request;
}

static void diag_address(unsigned char family, const uint32_t *words, unsigned char address[16]) {
    if (family == AF_INET) {
        memcpy(address, weir_mapped_ipv4, WEIR_MAPPED);
        memcpy(address + WEIR_MAPPED, words, 4);
    } else {
        memcpy(address, words, 16);
    }
}

/* Older kernels know fewer fields: what is not there counts nothing. */
static uint64_t diag_field(const struct rtattr *info, size_t offset, size_t bytes) {
    uint64_t wide = 0;
    uint32_t narrow = 0;
    if ((size_t)RTA_PAYLOAD(info) < offset + bytes) {
        return 0;
    }
    const char *field = (const char *)RTA_DATA(info) + offset;
    memcpy(bytes == sizeof wide ? (void *)&wide : (void *)&narrow, field, bytes);
    return bytes == sizeof wide ? wide : narrow;
}

static void diag_read(const struct nlmsghdr *header, struct weir_connection *connection) {
    const struct inet_diag_msg *message = NLMSG_DATA(header);
    int rest = (int)(header->nlmsg_len - NLMSG_LENGTH(sizeof *message));
    memset(connection, 0, sizeof *connection);
    connection->cookie = (uint64_t)message->id.idiag_cookie[1] << 32 | message->id.idiag_cookie[0];
    diag_address(message->idiag_family, message->id.idiag_src, connection->local);
    diag_address(message->idiag_family, message->id.idiag_dst, connection->remote);
    connection->local_port = ntohs(message->id.idiag_sport);
    connection->remote_port = ntohs(message->id.idiag_dport);
    connection->inode = message->idiag_inode;
    connection->user = message->idiag_uid;
    connection->listens = message->idiag_state == LISTENS;
    for (const struct rtattr *part = (const struct rtattr *)(message + 1); RTA_OK(part, rest);
         part = RTA_NEXT(part, rest)) {
        if (part->rta_type == INET_DIAG_INFO) {
            connection->acked_bytes = diag_field(part, offsetof(struct tcp_info, tcpi_bytes_acked), 8);
            connection->received_bytes = diag_field(part, offsetof(struct tcp_info, tcpi_bytes_received), 8);
            connection->segments = diag_field(part, offsetof(struct tcp_info, tcpi_data_segs_out), 4);
            connection->unanswered_ms = diag_field(part, SILENCE_AT, 4);
            connection->sent_again = diag_field(part, offsetof(struct tcp_info, tcpi_total_retrans), 4);
            connection->outstanding_us = diag_field(part, offsetof(struct tcp_info, tcpi_busy_time), 8);
            connection->closed_us = diag_field(part, offsetof(struct tcp_info, tcpi_rwnd_limited), 8);
            connection->answer_us = diag_field(part, offsetof(struct tcp_info, tcpi_rcv_rtt), 4);
            connection->times_silence = (size_t)RTA_PAYLOAD(part) >= SILENCE_AT + 4;
        }
    }
}

static bool diag_receive(int netlink, weir_connection_look *look) {
    static _Alignas(struct nlmsghdr) char reply[REPLY];
    struct weir_connection connection;
    for (;;) {
        ssize_t bytes = recv(netlink, reply, sizeof reply, 0);
        if (bytes < 0 && errno == EINTR) {
            continue;
        }
        if (bytes <= 0) {
            return false;
        }
        unsigned rest = (unsigned)bytes;
        for (struct nlmsghdr *header = (struct nlmsghdr *)reply; NLMSG_OK(header, rest);
             header = NLMSG_NEXT(header, rest)) {
            if (header->nlmsg_type == NLMSG_DONE || header->nlmsg_type == NLMSG_ERROR) {
                return header->nlmsg_type == NLMSG_DONE;
            }
            diag_read(header, &connection);
            look(&connection);
        }
    }
}

bool weir_inet_diag(weir_connection_look *look) {
    int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (netlink < 0) {
        return false;
    }
    bool good = diag_ask(netlink, AF_INET) && diag_receive(netlink, look);
    if (good && diag_ask(netlink, AF_INET6)) {
        diag_receive(netlink, look); /* a kernel without IPv6 has none */
    }
    close(netlink);
    return good;
}

/* Two lines begin with TcpExt: one has the names, the next one the numbers. */
uint64_t weir_tcp_timeouts(FILE *file) {
    static char names[1 << 13], numbers[1 << 13];
    const char *group = "TcpExt:";
    while (file != NULL && fgets(names, sizeof names, file) != NULL) {
        if (strncmp(names, group, strlen(group)) != 0 || fgets(numbers, sizeof numbers, file) == NULL) {
            continue;
        }
        char *rest_of_names, *rest_of_numbers;
        const char *name = strtok_r(names, " \n", &rest_of_names);
        const char *number = strtok_r(numbers, " \n", &rest_of_numbers);
        while (name != NULL && number != NULL && strcmp(name, "TCPTimeouts") != 0) {
            name = strtok_r(NULL, " \n", &rest_of_names);
            number = strtok_r(NULL, " \n", &rest_of_numbers);
        }
        return name != NULL && number != NULL ? strtoull(number, NULL, 10) : UINT64_MAX;
    }
    return UINT64_MAX;
}

int weir_inet_diag_endings(void) {
    static const int groups[] = {SKNLGRP_INET_TCP_DESTROY, SKNLGRP_INET6_TCP_DESTROY};
    struct sockaddr_nl own = {.nl_family = AF_NETLINK};
    int size = QUEUED, netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    bool good = netlink >= 0 && bind(netlink, (struct sockaddr *)&own, sizeof own) == 0;
    for (int i = 0; good && i < 2; i++) {
        good = setsockopt(netlink, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &groups[i], sizeof groups[i]) == 0;
    }
    if (!good && netlink >= 0) {
        close(netlink);
    }
    if (good) {
        setsockopt(netlink, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    }
    return good ? netlink : -1;
}

bool weir_inet_diag_ended(int endings, int wait_ms, weir_connection_look *look) {
    static _Alignas(struct nlmsghdr) char message[REPLY];
    struct pollfd ready = {.fd = endings, .events = POLLIN};
    struct weir_connection connection;
    bool all = true;
    while (poll(&ready, 1, wait_ms) > 0) {
        ssize_t bytes = recv(endings, message, sizeof message, MSG_DONTWAIT);
        const struct nlmsghdr *header = (const struct nlmsghdr *)message;
        if (bytes < 0) {
            all = false; /* ENOBUFS: more ended than wait for a reader */
            if (errno != ENOBUFS && errno != EINTR && errno != EAGAIN) {
                break;
            }
        } else if (NLMSG_OK(header, (unsigned)bytes)) {
            diag_read(header, &connection);
            look(&connection);
        }
        wait_ms = 0;
    }
    return all;
}
