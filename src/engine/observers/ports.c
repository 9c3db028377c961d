/* Network ports of the node, whoever used them: the weakest witness, for clients that show nothing else.
 * Links without hardware, as a container has them, are weaker still: what the kernel or a service outside
 * sends for a mount goes past them. They are an observer of their own. */
#include "closing.h"
#include "device.h"
#include "fuse_client.h"
#include "observer.h"
#include "words.h"

#include <dirent.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define UNIT_BYTES 4u /* port_xmit_data and port_rcv_data of InfiniBand count units of 4 bytes */

/* Kept on this machine, though no block device is below the mount. */
static bool ports_is_local(const char *file_system) {
    static const char *const local[] = {"tmpfs", "ramfs", "hugetlbfs", "overlay",  "zfs", "btrfs",
                                        "proc",  "sysfs", "devtmpfs",  "bcachefs", NULL};
    return weir_place_of(file_system, local) >= 0;
}

/* The name of a source may look as that of a server does (of mergerfs: directories, as a:b). */
static bool ports_fits(const struct weir_medium *medium) {
    bool fuse = strncmp(medium->file_system, "fuse", 4) == 0;
    bool named = medium->source[0] != '/' && strpbrk(medium->source, ":@#") != NULL;
    bool declared = getenv("WEIR_SERVER_ADDRESSES") != NULL;
    return medium->file_system[0] != '\0' && !medium->counted && !medium->dax &&
           !ports_is_local(medium->file_system) &&
           (!fuse || declared || (named && weir_fuse_has_peers(medium)));
}

static bool ports_add(const char *folder, const char *name, const char *file, uint64_t unit, uint64_t *sum) {
    char path[800];
    unsigned long long value;
    snprintf(path, sizeof path, "%.300s/%.200s/%.60s", folder, name, file);
    WEIR_FILE *counter = fopen(path, "re");
    bool good = counter != NULL && fscanf(counter, "%llu", &value) == 1;
    *sum += good ? value * unit : 0;
    return good;
}

/* /sys may show another network namespace than ours, where a link of hardware has the name of one of ours: it
 * is the same where it has the same address. */
static bool ports_is_hardware(const char *name) {
    char path[128], text[64], own[18];
    struct ifreq request;
    memset(&request, 0, sizeof request);
    snprintf(request.ifr_name, sizeof request.ifr_name, "%.15s", name);
    snprintf(path, sizeof path, "/sys/class/net/%.31s/device", name);
    if (access(path, F_OK) != 0) {
        return false;
    }
    int any_socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool good = any_socket >= 0 && ioctl(any_socket, SIOCGIFHWADDR, &request) == 0;
    if (any_socket >= 0) {
        close(any_socket);
    }
    const unsigned char *a = (const unsigned char *)request.ifr_hwaddr.sa_data;
    snprintf(own, sizeof own, "%02x:%02x:%02x:%02x:%02x:%02x", a[0], a[1], a[2], a[3], a[4], a[5]);
    snprintf(path, sizeof path, "/sys/class/net/%.31s/address", name);
    return good && weir_device_read_line(path, text, sizeof text) && strncmp(text, own, strlen(own)) == 0;
}

/* The links of this network namespace: those of hardware, of which bridges and tunnels are made, or the
 * others.
 */
static int ports_add_ethernet(bool hardware, uint64_t *sent, uint64_t *received) {
    char line[512], name[32];
    unsigned long long in, out;
    int found = 0;
    WEIR_FILE *links = fopen("/proc/net/dev", "re");
    while (links != NULL && fgets(line, sizeof line, links) != NULL) {
        if (sscanf(line, " %31[^:]: %llu %*u %*u %*u %*u %*u %*u %*u %llu", name, &in, &out) == 3 &&
            strcmp(name, "lo") != 0 && ports_is_hardware(name) == hardware) {
            *received += in;
            *sent += out;
            found++;
        }
    }
    return found;
}

static int ports_add_infiniband(uint64_t *sent, uint64_t *received) {
    static const char folder[] = "/sys/class/infiniband";
    char path[600];
    int found = 0;
    WEIR_DIR *adapters = opendir(folder);
    for (struct dirent *adapter; adapters != NULL && (adapter = readdir(adapters)) != NULL;) {
        snprintf(path, sizeof path, "%s/%.200s/ports", folder, adapter->d_name);
        WEIR_DIR *ports = adapter->d_name[0] == '.' ? NULL : opendir(path);
        for (struct dirent *port; ports != NULL && (port = readdir(ports)) != NULL;) {
            found += port->d_name[0] != '.' &&
                     ports_add(path, port->d_name, "counters/port_xmit_data", UNIT_BYTES, sent) &&
                     ports_add(path, port->d_name, "counters/port_rcv_data", UNIT_BYTES, received);
        }
    }
    return found;
}

static int ports_count(const struct weir_medium *medium, uint64_t counts[WEIR_SERVERS_COUNTS]) {
    uint64_t *sent = &counts[WEIR_SERVERS_SENT], *received = &counts[WEIR_SERVERS_RECEIVED];
    (void)medium;
    *sent = *received = 0;
    return ports_add_ethernet(true, sent, received) + ports_add_infiniband(sent, received);
}

static bool ports_begin(const struct weir_medium *medium, char what[96]) {
    uint64_t counts[WEIR_SERVERS_COUNTS];
    int found = ports_count(medium, counts);
    snprintf(what, 96, found > 0 ? "%d ports of the node, all traffic" : "no port has counters%.0d", found);
    return found > 0;
}

static struct weir_observer ports = {
    .name = "ports",
    .counted = WEIR_COUNTS_NODE,
    .fits = ports_fits,
    .begin = ports_begin,
    .count = ports_count,
};

WEIR_OBSERVER(ports)

static bool ports_links_fits(const struct weir_medium *medium) {
    uint64_t counts[WEIR_SERVERS_COUNTS];
    return ports_fits(medium) && ports_count(medium, counts) == 0;
}

static int ports_links_count(const struct weir_medium *medium, uint64_t counts[WEIR_SERVERS_COUNTS]) {
    (void)medium;
    counts[WEIR_SERVERS_SENT] = counts[WEIR_SERVERS_RECEIVED] = 0;
    return ports_add_ethernet(false, &counts[WEIR_SERVERS_SENT], &counts[WEIR_SERVERS_RECEIVED]);
}

static bool ports_links_begin(const struct weir_medium *medium, char what[96]) {
    uint64_t counts[WEIR_SERVERS_COUNTS];
    int found = ports_links_count(medium, counts);
    snprintf(what, 96, found > 0 ? "%d links without hardware, all traffic" : "no link has counters%.0d",
             found);
    return found > 0;
}

static struct weir_observer links = {
    .name = "links",
    .counted = WEIR_COUNTS_LINKS,
    .fits = ports_links_fits,
    .begin = ports_links_begin,
    .count = ports_links_count,
};

WEIR_OBSERVER(links)
