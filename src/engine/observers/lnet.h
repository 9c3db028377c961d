/* Where a Lustre client reaches the targets of a file system by TCP: everybody may read the addresses. */
#ifndef WEIR_LNET_H
#define WEIR_LNET_H

#include "inet_diag.h"

#include <stdbool.h>
#include <stdint.h>

#define WEIR_LNET_MOST 1024

struct weir_lnet_servers {
    int count;
    unsigned char addresses[WEIR_LNET_MOST][16]; /* sorted, each once */
};

struct weir_lnet {
    struct weir_lnet_servers targets; /* storage and metadata targets of the file system */
    struct weir_lnet_servers others;  /* management servers, and targets of other file systems of this node */
    uint16_t ports[2];                /* at which LNet of every node listens: for control, for bulk */
};

/* False, and why, where one target is not reached by TCP or does not tell its address: the connections to the
 * rest are not the whole. */
bool weir_lnet_find(const char *file_system, struct weir_lnet *lnet, char why[96]);
/* Whether the connection is one of LNet, whoever opened it. */
bool weir_lnet_is(const struct weir_lnet *lnet, const struct weir_connection *connection);
bool weir_lnet_has(const struct weir_lnet_servers *servers, const unsigned char address[16]);
bool weir_lnet_is_same(const struct weir_lnet *a, const struct weir_lnet *b);

#endif
