/* Connections of a mount that end, or that begin and end, between two looks: their bytes are counted. Of two
 * servers the one that takes nothing, or that answers late, is told from the other one. */
#include "observer.h"
#include "observers/inet_diag.h"

#include "check.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BYTES     100000
#define CLOSED_MS 300
#define ANSWER_MS 20
#define ANSWERS   10

static char buffer[BYTES];

static int listen_at(struct sockaddr_in *address) {
    socklen_t length = sizeof *address;
    int server = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(bind(server, (struct sockaddr *)address, length) == 0 && listen(server, 4) == 0);
    CHECK(getsockname(server, (struct sockaddr *)address, &length) == 0);
    return server;
}

struct pair {
    int client, server;
};

static struct pair connected(int listening, const struct sockaddr_in *address) {
    struct pair pair = {socket(AF_INET, SOCK_STREAM, 0), -1};
    CHECK(connect(pair.client, (const struct sockaddr *)address, sizeof *address) == 0);
    pair.server = accept(listening, NULL, NULL);
    return pair;
}

/* The server sends BYTES, the client a hundredth of them. */
static void exchange(struct pair pair) {
    CHECK(send(pair.server, buffer, BYTES, 0) == BYTES);
    CHECK(recv(pair.client, buffer, BYTES, MSG_WAITALL) == BYTES);
    CHECK(send(pair.client, buffer, BYTES / 100, 0) == BYTES / 100);
    CHECK(recv(pair.server, buffer, BYTES / 100, MSG_WAITALL) == BYTES / 100);
}

static void end(struct pair pair) {
    close(pair.client);
    close(pair.server);
}

/* The kernel tells of an end when it has time for it. */
static bool count_until(const struct weir_observer *observer, const struct weir_medium *medium,
                        uint64_t received, uint64_t counts[WEIR_SERVERS_COUNTS]) {
    const struct timespec rest = {0, 10000000};
    for (int i = 0; i < 2000; i++) {
        if (!observer->count(medium, counts) || counts[WEIR_SERVERS_RECEIVED] >= received) {
            break;
        }
        nanosleep(&rest, NULL);
    }
    return counts[WEIR_SERVERS_RECEIVED] >= received;
}

static const struct weir_observer *find(const char *name) {
    const struct weir_observer *one = weir_observers();
    while (one != NULL && strcmp(one->name, name) != 0) {
        one = one->next;
    }
    return one;
}

static uint64_t timeouts_of(const char *text) {
    FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    uint64_t timeouts = weir_tcp_timeouts(file);
    fclose(file);
    return timeouts;
}

static void check_timeouts(void) {
    CHECK(timeouts_of("IpExt: A B\nIpExt: 1 2\nTcpExt: SyncookiesSent TCPTimeouts TCPLoss\n"
                      "TcpExt: 3 41 5\n") == 41);
    CHECK(timeouts_of("TcpExt: SyncookiesSent TCPLoss\nTcpExt: 3 5\n") == UINT64_MAX);
    CHECK(timeouts_of("TcpExt: SyncookiesSent TCPTimeouts\nTcpExt: 3\n") == UINT64_MAX);
    CHECK(timeouts_of("TcpExt: TCPTimeouts") == UINT64_MAX);
    CHECK(weir_tcp_timeouts(NULL) == UINT64_MAX);
}

static void rest_ms(long ms) {
    const struct timespec rest = {0, ms * 1000000};
    nanosleep(&rest, NULL);
}

static const struct weir_peer *of_port(const struct weir_peers *peers, in_port_t port) {
    for (int i = 0; i < peers->count; i++) {
        if (peers->list[i].port == ntohs(port)) {
            return &peers->list[i];
        }
    }
    return NULL;
}

/* It reads nothing until the client can send no more. */
static uint64_t send_to_a_closed_window(struct pair pair) {
    uint64_t sent = 0;
    for (ssize_t part; (part = send(pair.client, buffer, BYTES, MSG_DONTWAIT)) > 0;) {
        sent += (uint64_t)part;
    }
    rest_ms(CLOSED_MS);
    for (uint64_t got = 0; got < sent;) {
        got += (uint64_t)recv(pair.server, buffer, BYTES, 0);
    }
    return sent;
}

static void answer_late(struct pair pair) {
    for (int i = 0; i < ANSWERS; i++) {
        CHECK(send(pair.client, buffer, 1, 0) == 1 && recv(pair.server, buffer, 1, 0) == 1);
        rest_ms(ANSWER_MS);
        CHECK(send(pair.server, buffer, BYTES, 0) == BYTES);
        CHECK(recv(pair.client, buffer, BYTES, MSG_WAITALL) == BYTES);
    }
}

/* The kernel's worker, which sends the last counts of a connection, then runs when this process waits: they
 * come after the next look. Without the leave for it that is left to chance. */
static void delay_last_counts(void) {
    const struct sched_param first = {.sched_priority = 1};
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    sched_setscheduler(0, SCHED_FIFO, &first);
}

/* Both servers have one address. */
static void check_peers(const struct weir_observer *connections, const struct weir_medium *medium,
                        struct sockaddr_in address) {
    struct sockaddr_in other = address;
    uint64_t counts[WEIR_SERVERS_COUNTS];
    struct weir_peers peers;
    char what[96], name[WEIR_PEER_NAME], expected[WEIR_PEER_NAME];
    address.sin_port = other.sin_port = 0;
    int listening[] = {listen_at(&address), listen_at(&other)};
    struct pair slow = connected(listening[0], &address), quick = connected(listening[1], &other);
    CHECK(connections->begin(medium, what));
    uint64_t sent = send_to_a_closed_window(slow);
    answer_late(slow);
    exchange(quick);
    CHECK(connections->count(medium, counts));
    connections->peers(&peers);
    const struct weir_peer *late = of_port(&peers, address.sin_port);
    const struct weir_peer *prompt = of_port(&peers, other.sin_port);
    CHECK(peers.count == 2 && late != NULL && prompt != NULL);
    if (late == NULL || prompt == NULL) {
        return;
    }
    CHECK(late->sent_bytes == sent + ANSWERS && late->received_bytes == ANSWERS * BYTES);
    CHECK(prompt->sent_bytes == BYTES / 100 && prompt->received_bytes == BYTES);
    CHECK(late->closed_us >= CLOSED_MS / 2 * 1000 && late->outstanding_us >= late->closed_us);
    CHECK(prompt->closed_us == 0);
    CHECK(late->here && prompt->here);
    CHECK(late->answer_us_bytes / late->received_bytes >= ANSWER_MS / 2 * 1000);
    inet_ntop(AF_INET, &address.sin_addr, what, sizeof what);
    snprintf(expected, sizeof expected, "%.15s:%u", what, ntohs(address.sin_port));
    weir_peer_name(late, name);
    CHECK(strcmp(name, expected) == 0);
    end(slow);
    end(quick);
    close(listening[0]);
    close(listening[1]);
}

int main(void) {
    check_timeouts();
    struct weir_medium medium = {.file_system = "nfs", .point = "/mnt/none"};
    struct sockaddr_in address = {.sin_family = AF_INET};
    uint64_t before[WEIR_SERVERS_COUNTS], after[WEIR_SERVERS_COUNTS];
    char what[96], text[INET_ADDRSTRLEN];
    const struct weir_observer *connections = find("connections");
    /* An address of this process alone: others may use the loopback meanwhile. */
    address.sin_addr.s_addr = htonl(0x7f000001u | ((uint32_t)getpid() & 0x3fffffu) << 1);
    inet_ntop(AF_INET, &address.sin_addr, text, sizeof text);
    snprintf(medium.source, sizeof medium.source, "%s:/export", text);
    setenv("WEIR_SERVER_ADDRESSES", "", 1);

    int listening = listen_at(&address);
    struct pair lasting = connected(listening, &address), ending = connected(listening, &address);
    CHECK(connections != NULL && connections->fits(&medium));
    CHECK(connections->begin(&medium, what));
    CHECK(connections->count(&medium, before));
    exchange(lasting);
    exchange(ending);
    end(ending);
    CHECK(connections->count(&medium, after));
    CHECK(after[WEIR_SERVERS_RECEIVED] - before[WEIR_SERVERS_RECEIVED] >= 2 * BYTES);
    CHECK(after[WEIR_SERVERS_RECEIVED] - before[WEIR_SERVERS_RECEIVED] < 2 * BYTES + 100);
    CHECK(after[WEIR_SERVERS_SENT] - before[WEIR_SERVERS_SENT] >= 2 * BYTES / 100);
    CHECK(after[WEIR_SERVERS_ENDED] == before[WEIR_SERVERS_ENDED]);

    memcpy(before, after, sizeof before);
    struct pair passing = connected(listening, &address);
    exchange(passing);
    end(passing);
    CHECK(count_until(connections, &medium, before[WEIR_SERVERS_RECEIVED] + BYTES, after));
    CHECK(after[WEIR_SERVERS_RECEIVED] - before[WEIR_SERVERS_RECEIVED] < BYTES + 100);
    CHECK(after[WEIR_SERVERS_ENDED] == before[WEIR_SERVERS_ENDED]);

    CHECK(connections->begin(&medium, what) && connections->count(&medium, after));
    CHECK(after[WEIR_SERVERS_RECEIVED] == 0);
    delay_last_counts();
    end(lasting);
    close(listening);
    check_peers(connections, &medium, address);
    return finish();
}
