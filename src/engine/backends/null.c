/* NULL: stores nothing. It measures the engine itself, and it is the double of a storage in tests: delays,
 * faults and a trace of what was requested can be ordered by options. */
#include "attempts.h"
#include "backend.h"
#include "words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct null_settings {
    int64_t delay_us;
    int64_t step_delay_us;
    int64_t create_us, close_us, sync_us; /* IOR's names for delays of single steps */
    int only_rank_0;
    int64_t slow_us;
    int64_t enospc_at_bytes;
    int64_t eio_at;
    int64_t stuck_at;
    int64_t short_every;
    int64_t eintr_every;
    const char *slow_rank;
    const char *fault_rank;
    const char *fail;
    const char *trace;
};

struct null_state {
    const struct null_settings *settings;
    bool plain; /* no option touches a transfer: the quick way */
    bool slow;
    bool faulty;
    FILE *trace;
    uint64_t operations;
    uint64_t attempts;
    uint64_t moved_bytes;
};

#define AT(member) offsetof(struct null_settings, member)

static const struct weir_option null_options[] = {
    {0, "null.delay-us", NULL, WEIR_COUNT, AT(delay_us), "N", "every transfer takes N microseconds"},
    {0, "null.step-delay-us", NULL, WEIR_COUNT, AT(step_delay_us), "N",
     "open, sync, close and operations on names take N microseconds"},
    {0, "dummy.delay-xfer", NULL, WEIR_COUNT, AT(delay_us), "N", "the same, by IOR's name"},
    {0, "dummy.delay-create", NULL, WEIR_COUNT, AT(create_us), "N", "opening to write takes N microseconds"},
    {0, "dummy.delay-close", NULL, WEIR_COUNT, AT(close_us), "N", "closing takes N microseconds"},
    {0, "dummy.delay-sync", NULL, WEIR_COUNT, AT(sync_us), "N", "synchronising takes N microseconds"},
    {0, "dummy.delay-only-rank0", NULL, WEIR_FLAG, AT(only_rank_0), NULL,
     "only rank 0 has the delays of --dummy options"},
    {0, "null.slow-us", NULL, WEIR_COUNT, AT(slow_us), "N", "further N microseconds on the slow ranks"},
    {0, "null.slow-rank", NULL, WEIR_TEXT, AT(slow_rank), "R", "only rank R is slow [all]"},
    {0, "null.enospc-at", NULL, WEIR_SIZE, AT(enospc_at_bytes), "SIZE",
     "no space after SIZE bytes of a rank"},
    {0, "null.eio-at", NULL, WEIR_COUNT, AT(eio_at), "N", "the Nth transfer of a rank meets an I/O error"},
    {0, "null.stuck-at", NULL, WEIR_COUNT, AT(stuck_at), "N", "the Nth transfer of a rank moves nothing"},
    {0, "null.short-every", NULL, WEIR_COUNT, AT(short_every), "N",
     "every Nth attempt moves half of what is left"},
    {0, "null.eintr-every", NULL, WEIR_COUNT, AT(eintr_every), "N", "every Nth attempt is interrupted"},
    {0, "null.fail", NULL, WEIR_TEXT, AT(fail), "CALL",
     "open, sync, close, stat, unlink, mknod, mkdir, rmdir or rename meets an I/O error"},
    {0, "null.fault-rank", NULL, WEIR_TEXT, AT(fault_rank), "R", "only rank R meets the faults [all]"},
    {0, "null.trace", NULL, WEIR_TEXT, AT(trace), "FILE",
     "append each transfer to FILE.<rank>: access offset bytes"},
    WEIR_OPTION_END,
};

static void null_rest(int64_t us) {
    if (us > 0) {
        struct timespec time = {us / 1000000, (us % 1000000) * 1000};
        nanosleep(&time, NULL);
    }
}

static bool null_concerns(const char *chosen_rank, int rank) {
    return chosen_rank == NULL || atoi(chosen_rank) == rank;
}

/* What open, sync, close and operations on names have in common. */
static int null_ordered(const struct null_settings *settings, bool faulty, const char *path, const char *call,
                        struct weir_problem *problem) {
    null_rest(settings->step_delay_us);
    if (faulty && settings->fail != NULL && strcmp(settings->fail, call) == 0) {
        return weir_problem_set(problem, call, path, EIO, NULL, "as --null.fail ordered");
    }
    return 0;
}

static void null_dummy_rest(const struct null_settings *settings, int rank, int64_t us) {
    null_rest(settings->only_rank_0 && rank != 0 ? 0 : us);
}

static int null_open(struct weir_file *file, struct weir_problem *problem) {
    const struct weir_open *how = file->how;
    const struct null_settings *s = how->settings;
    struct null_state *state = file->state;
    state->settings = s;
    state->slow = null_concerns(s->slow_rank, how->rank);
    state->faulty = null_concerns(s->fault_rank, how->rank);
    state->plain = s->delay_us == 0 && s->slow_us == 0 && s->enospc_at_bytes == 0 && s->eio_at == 0 &&
                   s->stuck_at == 0 && s->short_every == 0 && s->eintr_every == 0 && s->trace == NULL &&
                   !how->collective;
    null_dummy_rest(s, how->rank, how->access == WEIR_WRITE ? s->create_us : 0);
    if (null_ordered(state->settings, state->faulty, how->path, "open", problem) != 0) {
        return -1;
    }
    if (s->trace != NULL) {
        char name[1024];
        snprintf(name, sizeof name, "%s.%d", s->trace, how->rank);
        state->trace = fopen(name, "a");
        if (state->trace == NULL) {
            return weir_problem_set(problem, "fopen", name, errno, NULL, "for --null.trace");
        }
    }
    return 0;
}

static bool null_every(int64_t period, uint64_t count) {
    return period > 0 && count % (uint64_t)period == 0;
}

static ssize_t null_attempt(struct weir_file *file, const struct weir_piece *piece, size_t done) {
    struct null_state *state = file->state;
    const struct null_settings *s = state->settings;
    size_t left = piece->bytes - done;
    state->attempts++;
    if (!state->faulty) {
        return (ssize_t)left;
    }
    if (null_every(s->eintr_every, state->attempts)) {
        errno = EINTR;
        return -1;
    }
    if (s->eio_at > 0 && state->operations >= (uint64_t)s->eio_at) {
        errno = EIO;
        return -1;
    }
    if (s->stuck_at > 0 && state->operations >= (uint64_t)s->stuck_at) {
        return 0;
    }
    if (null_every(s->short_every, state->attempts) && left > 1) {
        left /= 2;
    }
    if (s->enospc_at_bytes > 0 && piece->access == WEIR_WRITE) {
        uint64_t room = (uint64_t)s->enospc_at_bytes - state->moved_bytes;
        if (room == 0) {
            errno = ENOSPC;
            return -1;
        }
        left = left < room ? left : (size_t)room;
    }
    state->moved_bytes += left;
    return (ssize_t)left;
}

static int null_transfer(struct weir_file *file, const struct weir_piece *piece,
                         struct weir_problem *problem) {
    struct null_state *state = file->state;
    if (state->plain) {
        return 0;
    }
    bool write = piece->access == WEIR_WRITE;
    state->operations++;
    if (file->how->collective) {
        MPI_Barrier(file->how->comm); /* waits for the other ranks, as a collective transfer may */
    }
    null_dummy_rest(state->settings, file->how->rank, state->settings->delay_us);
    null_rest(state->slow ? state->settings->slow_us : 0);
    if (state->trace != NULL) {
        fprintf(state->trace, "%s %llu %zu\n", write ? "write" : "read", (unsigned long long)piece->offset,
                piece->bytes);
    }
    return weir_move_all(file, piece, null_attempt, write ? "write" : "read", problem);
}

static int null_sync(struct weir_file *file, struct weir_problem *problem) {
    const struct null_state *state = file->state;
    null_dummy_rest(state->settings, file->how->rank, state->settings->sync_us);
    return null_ordered(state->settings, state->faulty, file->how->path, "sync", problem);
}

static int null_close(struct weir_file *file, struct weir_problem *problem) {
    struct null_state *state = file->state;
    null_dummy_rest(state->settings, file->how->rank, state->settings->close_us);
    int status = null_ordered(state->settings, state->faulty, file->how->path, "close", problem);
    if (state->trace != NULL) {
        fclose(state->trace);
    }
    return status;
}

static const char *null_refuse(const struct weir_open *how) {
    static const char *const calls[] = {"open",  "sync",  "close", "stat",   "unlink",
                                        "mknod", "mkdir", "rmdir", "rename", NULL};
    const char *fail = ((const struct null_settings *)how->settings)->fail;
    return fail == NULL || weir_place_of(fail, calls) >= 0
               ? NULL
               : "--null.fail takes open, sync, close, stat, unlink, mknod, mkdir, rmdir or rename";
}

static int null_remove(const char *path, const void *settings, struct weir_problem *problem) {
    (void)path;
    (void)settings;
    (void)problem;
    return 0;
}

static int null_on_name(const struct weir_name *name, const char *call, struct weir_problem *problem) {
    const struct null_settings *settings = name->settings;
    null_rest(null_concerns(settings->slow_rank, name->rank) ? settings->slow_us : 0);
    return null_ordered(settings, null_concerns(settings->fault_rank, name->rank), name->path, call, problem);
}

#define NULL_NAME(operation, call)                                                                           \
    static int null_##operation(struct weir_name *name, struct weir_problem *problem) {                      \
        return null_on_name(name, call, problem);                                                            \
    }

NULL_NAME(stat, "stat")
NULL_NAME(unlink, "unlink")
NULL_NAME(mknod, "mknod")
NULL_NAME(mkdir, "mkdir")
NULL_NAME(rmdir, "rmdir")
NULL_NAME(rename, "rename")
NULL_NAME(flush, "sync")

static const struct weir_names null_names = {
    .stat = null_stat,
    .unlink = null_unlink,
    .mknod = null_mknod,
    .mkdir = null_mkdir,
    .rmdir = null_rmdir,
    .rename = null_rename,
    .flush = null_flush,
};

static struct weir_backend null = {
    .name = "NULL",
    .alias = "DUMMY",
    .summary = "nothing at all: the cost of the engine, and a storage with faults for tests",
    .traits = WEIR_COLLECTIVE | WEIR_RANDOM | WEIR_FILE_PER_PROCESS | WEIR_UPDATE,
    .options = null_options,
    .settings_bytes = sizeof(struct null_settings),
    .state_bytes = sizeof(struct null_state),
    .open = null_open,
    .transfer = null_transfer,
    .close = null_close,
    .remove = null_remove,
    .sync = null_sync,
    .refuse = null_refuse,
    .names = &null_names,
};

WEIR_BACKEND(null)
