/* The process that drains in the background. One runs per store; any client starts it when there is something
 * to do. */
#pragma once

#include "layout/store.h"

void drainer_wake(struct store *store); /* something became dirty */
/* Starts it if none runs although the settings have drain = auto; looks again after pause_ns at the earliest.
 */
void drainer_check(struct store *store, int64_t pause_ns);
bool drainer_is_running(const struct store *store, int *pid);
int drainer_process(const struct store *store); /* its id; 0: none runs, or it has only begun */
void drainer_revive(struct store *store);       /* if the last one was killed */
int drainer_start(struct store *store);         /* 0 or errno; returns when it runs */
/* Ends the drainer: 0, or ETIMEDOUT. It finishes its piece, or ends at once where no data counts. */
int drainer_stop(struct store *store, bool at_once);
int drainer_run(struct store *store); /* the process itself: until idle or a signal to end */
int drain_everything(struct store *store, uint64_t *moved_bytes); /* here and now; 0 or the first error */
bool everything_settled(struct store *store);
/* spawn.c: `imectl drainer` for the settings in config_file, in a session of its own and with no file of ours
 * open. */
int spawn_drainer(const char *config_file);
int sync_backings(struct store *store); /* what was drained, to the backing's disks */
