/* Where a Lustre client reaches the targets of a file system by TCP: everybody may read the addresses. */
#pragma once

#include "addresses.h"
#include "inet_diag.h"

#include <stdbool.h>
#include <stdint.h>

struct weir_lnet {
    struct weir_addresses targets; /* storage and metadata targets of the file system */
    struct weir_addresses others;  /* management servers, and targets of other file systems of this node */
    uint16_t ports[2];             /* at which LNet of every node listens: for control, for bulk */
};

/* False, and why, where one target is not reached by TCP or does not tell its address: the connections to the
 * rest are not the whole. */
bool weir_lnet_find(const char *file_system, struct weir_lnet *lnet, char why[96]);
/* Whether the connection is one of LNet, whoever opened it. */
bool weir_lnet_is(const struct weir_lnet *lnet, const struct weir_connection *connection);
