/* The process that serves a FUSE mount: its sockets are the mount's connections. */
#pragma once

#include "medium.h"

#include <stdbool.h>
#include <sys/types.h>

#define WEIR_FUSE_SOCKETS 4096

/* 0: none was found, or it is another user's, whose descriptors only root may list. */
pid_t weir_fuse_client(const struct weir_medium *medium);
/* Inodes of its sockets; returns how many, -1 where they cannot be listed. */
int weir_fuse_sockets(pid_t client, unsigned long inodes[WEIR_FUSE_SOCKETS]);
/* Whether anybody may be behind the client: it has a connection, to a server or to a helper that may have one
 * (sshfs), or an adapter of InfiniBand. True, too, where no client is visible. */
bool weir_fuse_has_peers(const struct weir_medium *medium);
