/* ceph-fuse: what its objecter sent to the OSDs and its messenger received, by its own admin socket. The
 * counters of its cache answer for nothing: they count reads that no OSD saw. */
#include "closing.h"
#include "fuse_client.h"
#include "observer.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define REPLY_MOST (256u << 10)
#define PATIENCE_S 2

static char socket_path[108];
static char reply[REPLY_MOST];

static bool cephfuse_fits(const struct weir_medium *medium) {
    return strcmp(medium->file_system, "fuse.ceph-fuse") == 0;
}

/* address: references protocol flags type state inode path */
static bool cephfuse_find_socket(pid_t client) {
    static unsigned long inodes[WEIR_FUSE_SOCKETS];
    char line[512], path[108];
    unsigned long inode;
    int count = weir_fuse_sockets(client, inodes);
    bool found = false;
    WEIR_FILE *sockets = fopen("/proc/net/unix", "re");
    while (sockets != NULL && !found && fgets(line, sizeof line, sockets) != NULL) {
        if (sscanf(line, "%*s %*s %*s %*s %*s %*s %lu %107s", &inode, path) != 2 || path[0] != '/') {
            continue;
        }
        for (int i = 0; i < count && !found; i++) {
            found = inodes[i] == inode;
        }
    }
    if (found) {
        memcpy(socket_path, path, sizeof path);
    }
    return found;
}

static bool cephfuse_receive(int connection, void *into, size_t bytes) {
    for (size_t done = 0; done < bytes;) {
        ssize_t part = recv(connection, (char *)into + done, bytes - done, 0);
        if (part <= 0) {
            return false;
        }
        done += (size_t)part;
    }
    return true;
}

/* The reply: its length in four bytes, then JSON. */
static bool cephfuse_ask(void) {
    static const char command[] = "{\"prefix\":\"perf dump\"}";
    const struct timeval patience = {PATIENCE_S, 0};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    uint32_t length = 0;
    memcpy(address.sun_path, socket_path, sizeof address.sun_path);
    int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection < 0) {
        return false;
    }
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    bool good = connect(connection, (struct sockaddr *)&address, sizeof address) == 0 &&
                send(connection, command, sizeof command, MSG_NOSIGNAL) == (ssize_t)sizeof command &&
                cephfuse_receive(connection, &length, sizeof length);
    length = ntohl(length);
    good = good && length < REPLY_MOST && cephfuse_receive(connection, reply, length);
    reply[good ? length : 0] = '\0';
    close(connection);
    return good;
}

/* Sum of all counters of a name; unknown where there is none. */
static uint64_t cephfuse_sum(const char *name) {
    char key[64];
    uint64_t sum = WEIR_SERVERS_UNKNOWN;
    snprintf(key, sizeof key, "\"%.40s\":", name);
    for (const char *at = strstr(reply, key); at != NULL; at = strstr(at + 1, key)) {
        sum = (sum == WEIR_SERVERS_UNKNOWN ? 0 : sum) + strtoull(at + strlen(key), NULL, 10);
    }
    return sum;
}

static int cephfuse_count(const struct weir_medium *medium, uint64_t counts[WEIR_SERVERS_COUNTS]) {
    (void)medium;
    if (!cephfuse_ask()) {
        return 0;
    }
    uint64_t operations = cephfuse_sum("op_send"), metadata = cephfuse_sum("mdops");
    counts[WEIR_SERVERS_SENT] = cephfuse_sum("op_send_bytes");
    counts[WEIR_SERVERS_RECEIVED] = cephfuse_sum("msgr_recv_bytes");
    if (operations != WEIR_SERVERS_UNKNOWN && metadata != WEIR_SERVERS_UNKNOWN) {
        counts[WEIR_SERVERS_REQUESTS] = operations + metadata;
    }
    return counts[WEIR_SERVERS_SENT] != WEIR_SERVERS_UNKNOWN;
}

static bool cephfuse_begin(const struct weir_medium *medium, char what[96]) {
    uint64_t counts[WEIR_SERVERS_COUNTS];
    pid_t client = weir_fuse_client(medium);
    if (client == 0 || !cephfuse_find_socket(client) || !cephfuse_count(medium, counts)) {
        snprintf(what, 96, "the admin socket of ceph-fuse answers its user and root alone");
        return false;
    }
    snprintf(what, 96, "ceph-fuse, process %ld", (long)client);
    return true;
}

static struct weir_observer cephfuse = {
    .name = "cephfuse",
    .counted = WEIR_COUNTS_TRAFFIC,
    .fits = cephfuse_fits,
    .begin = cephfuse_begin,
    .count = cephfuse_count,
};

WEIR_OBSERVER(cephfuse)
