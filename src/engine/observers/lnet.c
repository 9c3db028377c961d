#include "lnet.h"

#include "closing.h"
#include "llite.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USUAL_PORT 988

/* A folder of the client's devices, and the file with the address that a device uses now. */
struct lnet_folder {
    const char *name, *file;
    const char *target; /* what follows the name of the file system; NULL: devices of no file system */
};

static const struct lnet_folder folders[] = {
    {"osc", "ost_conn_uuid", "-OST"},
    {"mdc", "mds_conn_uuid", "-MDT"},
    {"mgc", "mgs_conn_uuid", NULL},
};

static bool lnet_read_word(const char *path, char word[64]) {
    WEIR_FILE *file = fopen(path, "re");
    return file != NULL && fscanf(file, "%63s", word) == 1;
}

static uint16_t lnet_port(const char *name) {
    char path[600], word[64];
    const char *given = getenv("WEIR_LUSTRE_ROOT");
    bool is_given = given != NULL && given[0] != '\0';
    snprintf(path, sizeof path, "%.500s/%s", is_given ? weir_lustre_root(0) : "/sys/module/lnet/parameters",
             name);
    long port = lnet_read_word(path, word) ? strtol(word, NULL, 10) : 0;
    return port > 0 && port <= UINT16_MAX ? (uint16_t)port : USUAL_PORT;
}

/* 10.0.0.1@tcp1; the loopback of LNet (0@lo) and InfiniBand (10.0.0.1@o2ib) have no connections of TCP. */
static bool lnet_parse(const char *nid, unsigned char address[16]) {
    char host[64];
    const char *network = strchr(nid, '@');
    if (network == NULL || strncmp(network, "@tcp", 4) != 0) {
        return false;
    }
    snprintf(host, sizeof host, "%.*s", (int)(network - nid), nid);
    return weir_addresses_parse(host, address);
}

static bool lnet_is_target_of(const struct lnet_folder *folder, const char *device, const char *file_system) {
    size_t length = strlen(file_system);
    return folder->target != NULL && length > 0 && strncmp(device, file_system, length) == 0 &&
           strncmp(device + length, folder->target, strlen(folder->target)) == 0;
}

/* A target without a connection (<none>) moves nothing, until its address is another. */
static bool lnet_add_device(const char *nid, const char *device, bool is_target, struct weir_lnet *lnet,
                            char why[96]) {
    unsigned char address[16];
    struct weir_addresses *servers = is_target ? &lnet->targets : &lnet->others;
    if (nid[0] == '<') {
        return true;
    }
    if (!lnet_parse(nid, address)) {
        snprintf(why, 96, "%.30s is reached by %.30s, without TCP", device, nid);
        return !is_target;
    }
    if (!weir_addresses_add(servers, address)) {
        snprintf(why, 96, "the targets have more than %d addresses", WEIR_ADDRESSES_MOST);
        return false;
    }
    return true;
}

/* Wherever it is: a device has folders in several roots, and its address in one of them. */
static bool lnet_read_address(const struct lnet_folder *folder, const char *device, char nid[64]) {
    char path[1024];
    const char *root;
    for (int i = 0; (root = weir_lustre_root(i)) != NULL; i++) {
        snprintf(path, sizeof path, "%.500s/%s/%.200s/%s", root, folder->name, device, folder->file);
        if (lnet_read_word(path, nid)) {
            return true;
        }
    }
    return false;
}

static bool lnet_add_folder(const char *root, const struct lnet_folder *folder, const char *file_system,
                            struct weir_lnet *lnet, char why[96]) {
    char path[1024], nid[64];
    bool good = true;
    snprintf(path, sizeof path, "%.500s/%s", root, folder->name);
    WEIR_DIR *devices = opendir(path);
    for (struct dirent *entry; good && devices != NULL && (entry = readdir(devices)) != NULL;) {
        bool is_target = lnet_is_target_of(folder, entry->d_name, file_system);
        if (lnet_read_address(folder, entry->d_name, nid)) {
            good = lnet_add_device(nid, entry->d_name, is_target, lnet, why);
        } else if (is_target) {
            snprintf(why, 96, "the address of %.40s is not readable", entry->d_name);
            good = false;
        }
    }
    return good;
}

bool weir_lnet_find(const char *file_system, struct weir_lnet *lnet, char why[96]) {
    const char *root;
    memset(lnet, 0, sizeof *lnet);
    lnet->ports[0] = lnet_port("accept_port");
    lnet->ports[1] = lnet_port("accept_port_bulk");
    for (int which = 0; (root = weir_lustre_root(which)) != NULL; which++) {
        for (unsigned i = 0; i < sizeof folders / sizeof folders[0]; i++) {
            if (!lnet_add_folder(root, &folders[i], file_system, lnet, why)) {
                return false;
            }
        }
    }
    if (lnet->targets.count == 0) {
        snprintf(why, 96, "the addresses of the targets of %.40s are not visible", file_system);
    }
    return lnet->targets.count > 0;
}

static bool lnet_is_port(const struct weir_lnet *lnet, uint16_t port) {
    return port == lnet->ports[0] || port == lnet->ports[1];
}

/* A server may open one, too. Of a connection of this machine with itself both ends are seen: the one that
 * opened it counts. */
bool weir_lnet_is(const struct weir_lnet *lnet, const struct weir_connection *connection) {
    if (connection->listens) {
        return false;
    }
    bool is_with_itself = memcmp(connection->local, connection->remote, sizeof connection->local) == 0;
    return lnet_is_port(lnet, connection->remote_port) ||
           (lnet_is_port(lnet, connection->local_port) && !is_with_itself);
}
