/* Connections of a mount that end, or that begin and end, between two looks: their bytes are counted. */
#include "observer.h"
#include "observers/inet_diag.h"

#include "check.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BYTES 100000

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
    end(lasting);
    close(listening);
    return finish();
}
