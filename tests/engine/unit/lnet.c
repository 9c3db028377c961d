/* Connections of a Lustre mount: those of its targets, which the mount does not name, and no others. */
#include "observers/lnet.h"
#include "observer.h"

#include "check.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define BYTES 100000

static char root[] = "/tmp/weir-lnet-XXXXXX", buffer[BYTES];
static struct weir_medium medium = {.file_system = "lustre", .point = "/mnt/none"};
static const struct weir_observer *connections;
static uint16_t port;

/* A server with an address of its own, with which the client's end begins, too: of this process alone. */
struct server {
    char text[INET_ADDRSTRLEN];
    int listening, client, accepted;
};

static void start(struct server *server, uint32_t number) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    socklen_t length = sizeof address;
    address.sin_addr.s_addr = htonl(0x7f000001u | ((uint32_t)getpid() & 0xfffffu) << 1 | number << 21);
    inet_ntop(AF_INET, &address.sin_addr, server->text, sizeof server->text);
    server->listening = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(bind(server->listening, (struct sockaddr *)&address, length) == 0);
    CHECK(listen(server->listening, 4) == 0);
    CHECK(getsockname(server->listening, (struct sockaddr *)&address, &length) == 0);
    port = ntohs(address.sin_port);
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr = address.sin_addr};
    server->client = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(bind(server->client, (struct sockaddr *)&own, length) == 0);
    CHECK(connect(server->client, (struct sockaddr *)&address, length) == 0);
    server->accepted = accept(server->listening, NULL, NULL);
}

static void end(const struct server *server) {
    close(server->client);
    close(server->accepted);
    close(server->listening);
}

static void send_to(const struct server *server) {
    CHECK(send(server->client, buffer, BYTES, 0) == BYTES);
    CHECK(recv(server->accepted, buffer, BYTES, MSG_WAITALL) == BYTES);
}

static void device(const char *folder, const char *name, const char *file, const char *nid) {
    char path[256];
    snprintf(path, sizeof path, "mkdir -p %s/%s/%s", root, folder, name);
    CHECK(system(path) == 0);
    snprintf(path, sizeof path, "%s/%s/%s/%s", root, folder, name, file);
    FILE *written = fopen(path, "w");
    CHECK(written != NULL && fprintf(written, "%s\n", nid) > 0 && fclose(written) == 0);
}

static void ost(const char *name, const char *address, const char *network) {
    char nid[64];
    snprintf(nid, sizeof nid, "%s@%s", address, network);
    device("osc", name, "ost_conn_uuid", nid);
}

static uint64_t sent(void) {
    uint64_t counts[WEIR_SERVERS_COUNTS];
    CHECK(connections->count(&medium, counts));
    return counts[WEIR_SERVERS_SENT];
}

/* What only the management server got is not the mount's. */
static void check_targets_count_alone(const struct server *oss, const struct server *mgs) {
    char what[96];
    CHECK(connections->begin(&medium, what));
    uint64_t before = sent();
    send_to(mgs);
    CHECK(sent() == before);
    send_to(oss);
    CHECK(sent() >= before + BYTES && sent() < before + BYTES + 100);
}

/* A client of 2.17 has folders of one device in three places: settings with the address, counters, md_stats.
 */
static void check_a_device_in_several_roots(void) {
    char what[96], roots[128];
    device("mdc", "work-MDT0000-mdc-ffff0000", "mds_conn_uuid", "10.1.2.3@tcp");
    device("proc/mdc", "work-MDT0000-mdc-ffff0000", "md_stats",
           "close 7 samples [usecs] 24938 163459 462577");
    snprintf(roots, sizeof roots, "%s:%s/proc", root, root);
    setenv("WEIR_LUSTRE_ROOT", roots, 1);
    CHECK(connections->begin(&medium, what));
    device("proc/mdc", "work-MDT0001-mdc-ffff0000", "md_stats",
           "close 7 samples [usecs] 24938 163459 462577");
    CHECK(!connections->begin(&medium, what) &&
          strstr(what, "work-MDT0001-mdc-ffff0000 is not readable") != NULL);
    setenv("WEIR_LUSTRE_ROOT", root, 1);
}

/* Where a part would be counted nothing is: an unknown interface of a server, InfiniBand, a failover. */
static void check_never_a_part(const struct server *oss, struct server *other) {
    uint64_t counts[WEIR_SERVERS_COUNTS];
    char what[96];
    CHECK(connections->begin(&medium, what) && connections->count(&medium, counts));
    start(other, 3);
    CHECK(!connections->count(&medium, counts));
    CHECK(!connections->begin(&medium, what) && strstr(what, "1 connections of LNet") != NULL);
    setenv("WEIR_SERVER_ADDRESSES", other->text, 1);
    CHECK(connections->begin(&medium, what));
    uint64_t before = sent();
    send_to(other);
    CHECK(sent() >= before + BYTES);
    setenv("WEIR_SERVER_ADDRESSES", "", 1);

    /* It is a server of another file system of this node: known, and not ours, even if declared. */
    ost("home-OST0000-osc-ffff0001", other->text, "tcp");
    setenv("WEIR_SERVER_ADDRESSES", other->text, 1);
    CHECK(connections->begin(&medium, what));
    before = sent();
    send_to(other);
    CHECK(sent() == before);

    ost("work-OST0001-osc-ffff0000", other->text, "tcp1");
    CHECK(!connections->count(&medium, counts));
    ost("work-OST0001-osc-ffff0000", "10.1.2.3", "o2ib");
    CHECK(!connections->begin(&medium, what) && strstr(what, "10.1.2.3@o2ib, without TCP") != NULL);
    ost("work-OST0001-osc-ffff0000", "0", "lo");
    CHECK(!connections->begin(&medium, what));
    device("osc", "work-OST0001-osc-ffff0000", "ost_conn_uuid", "<none>");
    CHECK(connections->begin(&medium, what));
    ost("work-OST0001-osc-ffff0000", oss->text, "tcp");
    CHECK(connections->begin(&medium, what));
}

/* Either side may open one: the address of the management server is that of the client here, which listens,
 * too. */
static void check_a_server_is_one_peer(const struct server *oss, const struct server *client) {
    struct sockaddr_in from = {.sin_family = AF_INET}, to = {.sin_family = AF_INET, .sin_port = htons(port)};
    struct weir_peers peers;
    char what[96];
    CHECK(inet_pton(AF_INET, oss->text, &from.sin_addr) == 1);
    CHECK(inet_pton(AF_INET, client->text, &to.sin_addr) == 1);
    struct server opened = {.listening = -1, .accepted = socket(AF_INET, SOCK_STREAM, 0)};
    CHECK(bind(opened.accepted, (struct sockaddr *)&from, sizeof from) == 0);
    CHECK(connect(opened.accepted, (struct sockaddr *)&to, sizeof to) == 0);
    opened.client = accept(client->listening, NULL, NULL);
    CHECK(connections->begin(&medium, what));
    uint64_t before = sent();
    send_to(oss);
    send_to(&opened);
    CHECK(sent() >= before + 2 * BYTES);
    connections->peers(&peers);
    CHECK(peers.count == 1 && peers.list[0].port == port && peers.list[0].sent_bytes >= 2 * BYTES);
    close(opened.client);
    close(opened.accepted);
}

/* The roots of a real client of 2.17, in WEIR_LUSTRE_ROOT: both storage targets and the metadata target are
 * of one server. */
static void check_capture(void) {
    static struct weir_lnet lnet;
    static const unsigned char server[16] = {[10] = 0xff, 0xff, 10, 77, 0, 1};
    char why[96];
    CHECK(weir_lnet_find("lustre", &lnet, why));
    CHECK(lnet.targets.count == 1 && weir_addresses_has(&lnet.targets, server));
    CHECK(lnet.others.count == 1 && lnet.ports[0] == 988 && lnet.ports[1] == 988);
    CHECK(!weir_lnet_find("lust", &lnet, why) && strstr(why, "not visible") != NULL);
}

int main(void) {
    if (getenv("WEIR_LUSTRE_ROOT") != NULL) {
        check_capture();
        return finish();
    }
    struct server oss = {.client = -1}, mgs = {.client = -1}, other = {.client = -1};
    char what[96], text[32], nid[64];
    connections = weir_observers();
    while (connections != NULL && strcmp(connections->name, "connections") != 0) {
        connections = connections->next;
    }
    CHECK(connections != NULL && mkdtemp(root) != NULL);
    setenv("WEIR_LUSTRE_ROOT", root, 1);
    start(&oss, 1);
    start(&mgs, 2);
    setenv("WEIR_SERVER_ADDRESSES", mgs.text, 1); /* the harness adds whatever the mount names */
    snprintf(medium.source, sizeof medium.source, "%s@tcp:/work", mgs.text);
    snprintf(text, sizeof text, "%u", port);
    device("", "", "accept_port", text);
    CHECK(connections->fits(&medium));
    CHECK(!connections->begin(&medium, what) && strstr(what, "not visible") != NULL);

    snprintf(nid, sizeof nid, "%s@tcp", mgs.text);
    device("mgc", "MGC-of-both", "mgs_conn_uuid", nid);
    ost("work-OST0000-osc-ffff0000", oss.text, "tcp");
    check_targets_count_alone(&oss, &mgs);
    check_a_server_is_one_peer(&oss, &mgs);
    check_a_device_in_several_roots();
    check_never_a_part(&oss, &other);

    end(&oss);
    end(&mgs);
    end(&other);
    snprintf(what, sizeof what, "rm -r %s", root);
    CHECK(system(what) == 0);
    return finish();
}
