/* What the commands of imectl share. */
#pragma once

#include <stdio.h>

#include "client/file.h"
#include "drain/drainer.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

struct invocation {
    const char *command;
    struct config config;
    bool json;
    bool discard;
    bool detach;
    bool stop;
    double timeout_s;
    char **files;
    int file_count;
};

struct buffered {
    uint64_t inode;
    char *path; /* relative to the backing; NULL once no name is left */
    uint64_t size_bytes;
    uint64_t resident_bytes;
    uint64_t dirty_bytes;
    uint64_t drained_bytes; /* safe in the backing, resident or not */
    bool settled;
};

struct buffered_list {
    struct buffered *entries;
    size_t count;
    size_t room;
};

/* survey.c: every buffered file with its name, or only those named. 0 or errno; prints on stderr what it
 * cannot find. */
int survey(struct store *store, const struct invocation *invocation, struct buffered_list *list);
void survey_free(struct buffered_list *list);
void print_json_text(const char *text);

/* status.c, actions.c: exit codes */
int command_status(struct store *store, const struct invocation *invocation);
int command_drain(struct store *store, const struct invocation *invocation);
int command_wait(struct store *store, const struct invocation *invocation);
int command_evict(struct store *store, const struct invocation *invocation);
int command_stage_in(struct store *store, const struct invocation *invocation);
int command_destroy(struct store *store, const struct invocation *invocation);
int command_drainer(struct store *store, const struct invocation *invocation);
