/* URING: many transfers of a rank at a time, by io_uring, or by Linux AIO where the kernel forbids io_uring.
 * The files are those of POSIX. */
#include "backend.h"
#include "descriptor.h"
#include "stored.h"

#include <errno.h>
#include <libaio.h>
#include <liburing.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEPTH_MAX      4096
#define CALL_BYTES_MAX ((size_t)1 << 30)

struct uring_settings {
    int64_t depth;       /* 0: UNLESS_GIVEN */
    int64_t granularity; /* 0: not given */
    const char *interface;
};
#define UNLESS_GIVEN 32

struct uring_operation {
    struct weir_piece piece;
    size_t done;
    struct iocb block;
};

struct uring_state {
    int descriptor;
    bool aio;        /* else io_uring */
    bool deferred;   /* the kernel processes completions only when called for them */
    bool registered; /* the kernel knows the buffers */
    bool known_file; /* and the file */
    struct io_uring ring;
    io_context_t context;
    unsigned depth, granularity, in_flight, waiting; /* waiting: not submitted yet */
    struct uring_operation *operations;              /* one for each slot */
    struct iocb **blocks;                            /* those that wait */
    struct io_event *events;
};

static unsigned uring_depth(const struct weir_open *how) {
    const struct uring_settings *settings = how->settings;
    return settings->depth > 0 ? (unsigned)settings->depth : UNLESS_GIVEN;
}

static bool uring_wants(const struct weir_open *how, const char *interface) {
    const struct uring_settings *settings = how->settings;
    return settings->interface == NULL || strcmp(settings->interface, interface) == 0;
}

/* 0, or the errno of what the kernel answered last. */
static int uring_queue_init(struct uring_state *state, const struct weir_open *how) {
    int cause = EINVAL;
    if (uring_wants(how, "io_uring")) {
        /* Completions are processed when the rank looks for them instead of by interrupting it; kernels
         * before 6.1 do not have this. */
        cause = -io_uring_queue_init(state->depth, &state->ring,
                                     IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN);
        state->deferred = cause == 0;
        if (cause == EINVAL) {
            cause = -io_uring_queue_init(state->depth, &state->ring, 0);
        }
        if (cause == 0) {
            state->known_file = io_uring_register_files(&state->ring, &state->descriptor, 1) == 0;
            return 0;
        }
    }
    if (uring_wants(how, "libaio")) {
        state->aio = true;
        cause = -io_setup((int)state->depth, &state->context);
    }
    return cause;
}

static void uring_free(struct uring_state *state) {
    free(state->operations);
    free(state->blocks);
    free(state->events);
}

static int uring_open(struct weir_file *file, struct weir_problem *problem) {
    const struct weir_open *how = file->how;
    struct uring_state *state = file->state;
    const struct uring_settings *settings = how->settings;
    state->depth = uring_depth(how);
    /* Each at once unless requested otherwise: a device that gets the whole queue in one piece idles
     * meanwhile. */
    state->granularity = settings->granularity > 0 ? (unsigned)settings->granularity : 1;
    state->operations = calloc(state->depth, sizeof *state->operations);
    state->blocks = calloc(state->depth, sizeof *state->blocks);
    state->events = calloc(state->depth, sizeof *state->events);
    bool memory = state->operations != NULL && state->blocks != NULL && state->events != NULL;
    state->descriptor = memory ? weir_descriptor_open(how, problem) : -1;
    int cause = !memory ? ENOMEM : state->descriptor < 0 ? 0 : uring_queue_init(state, how);
    if (cause != 0) {
        weir_problem_set(problem, state->aio ? "io_setup" : "io_uring_queue_init", how->path, cause, NULL,
                         "a queue of %u transfers", state->depth);
    }
    if (cause != 0 || state->descriptor < 0) {
        if (state->descriptor >= 0) {
            close(state->descriptor);
        }
        uring_free(state);
        return -1;
    }
    return 0;
}

/* Without the right to lock so much memory the buffers are looked up at each transfer. */
static void uring_begin(struct weir_file *file, unsigned char *buffers, size_t bytes) {
    struct uring_state *state = file->state;
    struct iovec all = {buffers, bytes};
    if (!state->aio && bytes <= CALL_BYTES_MAX) {
        state->registered = io_uring_register_buffers(&state->ring, &all, 1) == 0;
    }
}

static void uring_ring_start(struct uring_state *state, unsigned slot, unsigned char *buffer, unsigned bytes,
                             uint64_t offset) {
    /* There is always one free: as many as the depth, and no slot is used twice. */
    struct io_uring_sqe *entry = io_uring_get_sqe(&state->ring);
    int descriptor = state->known_file ? 0 : state->descriptor;
    bool write = state->operations[slot].piece.access == WEIR_WRITE;
    if (write && state->registered) {
        io_uring_prep_write_fixed(entry, descriptor, buffer, bytes, offset, 0);
    } else if (write) {
        io_uring_prep_write(entry, descriptor, buffer, bytes, offset);
    } else if (state->registered) {
        io_uring_prep_read_fixed(entry, descriptor, buffer, bytes, offset, 0);
    } else {
        io_uring_prep_read(entry, descriptor, buffer, bytes, offset);
    }
    entry->flags |= state->known_file ? IOSQE_FIXED_FILE : 0;
    entry->user_data = slot;
}

/* What is left of the slot's piece. */
static void uring_start(struct uring_state *state, unsigned slot) {
    struct uring_operation *operation = &state->operations[slot];
    const struct weir_piece *piece = &operation->piece;
    size_t left = piece->bytes - operation->done;
    size_t bytes = left < CALL_BYTES_MAX ? left : CALL_BYTES_MAX;
    unsigned char *buffer = piece->buffer + operation->done;
    uint64_t offset = piece->offset + operation->done;
    if (!state->aio) {
        uring_ring_start(state, slot, buffer, (unsigned)bytes, offset);
    } else {
        (piece->access == WEIR_WRITE ? io_prep_pwrite : io_prep_pread)(&operation->block, state->descriptor,
                                                                       buffer, bytes, (long long)offset);
        operation->block.data = (void *)(uintptr_t)slot;
        state->blocks[state->waiting] = &operation->block;
    }
    state->waiting++;
}

/* Hands what waits to the kernel, and waits there for `least` ends where io_uring can do both at once. With
 * `collect` completions are fetched from the kernel even if nothing is waited for. */
static int uring_hand_over(struct uring_state *state, unsigned least, bool collect) {
    if (!state->aio) {
        bool look = least == 0 && state->deferred && collect;
        int code = look ? io_uring_submit_and_get_events(&state->ring)
                        : io_uring_submit_and_wait(&state->ring, least);
        state->waiting = code >= 0 ? 0 : state->waiting;
        return code >= 0 || code == -EINTR || code == -EAGAIN || code == -EBUSY ? 0 : code;
    }
    for (unsigned sent = 0; state->waiting > 0;) {
        int code = io_submit(state->context, (long)state->waiting, state->blocks + sent);
        if (code < 0 && code != -EAGAIN && code != -EINTR) {
            return code;
        }
        sent += code > 0 ? (unsigned)code : 0;
        state->waiting -= code > 0 ? (unsigned)code : 0;
    }
    return 0;
}

static int uring_submit(struct weir_file *file, unsigned slot, const struct weir_piece *piece,
                        struct weir_problem *problem) {
    struct uring_state *state = file->state;
    state->operations[slot] = (struct uring_operation){.piece = *piece};
    uring_start(state, slot);
    state->in_flight++;
    int code = state->waiting >= state->granularity ? uring_hand_over(state, 0, false) : 0;
    return code == 0 ? 0
                     : weir_problem_set(problem, state->aio ? "io_submit" : "io_uring_enter", file->how->path,
                                        -code, NULL, "%s", "");
}

/* True where the slot's piece is over, whole or not; interruptions and short transfers are continued. */
static bool uring_finish(struct weir_file *file, unsigned slot, long moved, struct weir_problem *problem) {
    struct uring_state *state = file->state;
    struct uring_operation *operation = &state->operations[slot];
    const struct weir_piece *piece = &operation->piece;
    operation->done += moved > 0 ? (size_t)moved : 0;
    if (moved > 0 && operation->done >= piece->bytes) {
        state->in_flight--;
        return true;
    }
    bool on = moved > 0 && !file->how->single_attempt;
    if (on || moved == -EINTR || moved == -EAGAIN) {
        file->retries++;
        uring_start(state, slot);
        return false;
    }
    const char *call = piece->access == WEIR_WRITE ? "asynchronous write" : "asynchronous read";
    const char *end = moved > 0                    ? "a short transfer, and -x allows one attempt"
                      : piece->access == WEIR_READ ? "end of file"
                                                   : "no progress";
    state->in_flight--;
    weir_problem_set(problem, call, file->how->path, moved < 0 ? (int)-moved : 0, moved >= 0 ? end : NULL,
                     "%zu of %zu bytes at offset %llu", operation->done, piece->bytes,
                     (unsigned long long)piece->offset);
    return true;
}

static int uring_ring_ends(struct weir_file *file, unsigned *slots, struct weir_problem *problem) {
    struct uring_state *state = file->state;
    struct io_uring_cqe *entry;
    unsigned head, seen = 0;
    int ended = 0;
    io_uring_for_each_cqe(&state->ring, head, entry) {
        unsigned slot = (unsigned)entry->user_data;
        seen++;
        if (uring_finish(file, slot, entry->res, problem)) {
            slots[ended++] = slot;
        }
    }
    io_uring_cq_advance(&state->ring, seen);
    return ended;
}

static int uring_aio_ends(struct weir_file *file, unsigned *slots, bool wait, struct weir_problem *problem) {
    struct uring_state *state = file->state;
    int count = io_getevents(state->context, wait, (long)state->depth, state->events, NULL);
    int ended = 0;
    for (int i = 0; i < count; i++) {
        unsigned slot = (unsigned)(uintptr_t)state->events[i].data;
        if (uring_finish(file, slot, (long)state->events[i].res, problem)) {
            slots[ended++] = slot;
        }
    }
    return count >= 0 || count == -EINTR ? ended : count;
}

static int uring_reap(struct weir_file *file, unsigned *slots, bool wait, struct weir_problem *problem) {
    struct uring_state *state = file->state;
    int ended = 0;
    bool again = state->in_flight > 0;
    while (again) {
        ended = uring_hand_over(state, wait, true);
        if (ended == 0) {
            ended = state->aio ? uring_aio_ends(file, slots, wait, problem)
                               : uring_ring_ends(file, slots, problem);
        }
        again = wait && ended == 0 && state->in_flight > 0;
    }
    if (ended < 0) {
        return weir_problem_set(problem, state->aio ? "io_getevents" : "io_uring_enter", file->how->path,
                                -ended, NULL, "%s", "");
    }
    return ended;
}

/* For those who move one piece at a time. */
static int uring_transfer(struct weir_file *file, const struct weir_piece *piece,
                          struct weir_problem *problem) {
    unsigned slots[1];
    int ended = uring_submit(file, 0, piece, problem);
    ended = ended == 0 ? uring_reap(file, slots, true, problem) : ended;
    const struct uring_state *state = file->state;
    return ended < 0 || state->operations[0].done < piece->bytes ? -1 : 0;
}

static int uring_sync(struct weir_file *file, struct weir_problem *problem) {
    return weir_descriptor_sync(((const struct uring_state *)file->state)->descriptor, file->how->path,
                                problem);
}

/* The end of a queue waits for, or cancels, what is in flight. */
static int uring_close(struct weir_file *file, struct weir_problem *problem) {
    struct uring_state *state = file->state;
    if (state->aio) {
        io_destroy(state->context);
    } else {
        /* The kernel frees a ring some time after its end, and would hold the file and the buffers until
         * then: a deleted file keeps its memory. */
        if (state->known_file) {
            io_uring_unregister_files(&state->ring);
        }
        if (state->registered) {
            io_uring_unregister_buffers(&state->ring);
        }
        io_uring_queue_exit(&state->ring);
    }
    uring_free(state);
    return weir_problem_of(problem, "close", file->how->path, close(state->descriptor));
}

static void uring_observe(struct weir_file *file, struct weir_observed *observed) {
    const struct uring_state *state = file->state;
    observed->open_flags = weir_descriptor_flags_of(state->descriptor);
    observed->queue = (struct weir_queue_observed){.interface = state->aio ? "libaio" : "io_uring",
                                                   .depth = state->depth,
                                                   .registered = state->registered};
}

static const char *uring_refuse(const struct weir_open *how) {
    const struct uring_settings *settings = how->settings;
    if (settings->depth < 0 || settings->depth > DEPTH_MAX) {
        return "--uring.depth is between 1 and 4096";
    }
    if (settings->granularity < 0 || settings->granularity > (int64_t)uring_depth(how)) {
        return "--aio.granularity is between 1 and the depth of the queue";
    }
    if (!uring_wants(how, "io_uring") && !uring_wants(how, "libaio")) {
        return "--uring.interface is io_uring or libaio";
    }
    return weir_descriptor_refuse(how);
}

#define AT(member) offsetof(struct uring_settings, member)

static const struct weir_option options[] = {
    {0, "uring.depth", NULL, WEIR_COUNT, AT(depth), "N", "transfers of a rank at a time [32]"},
    {0, "aio.max-pending", NULL, WEIR_COUNT, AT(depth), "N", "the same, as IOR 4 calls it for its AIO"},
    {0, "aio.granularity", NULL, WEIR_COUNT, AT(granularity), "N",
     "transfers that are submitted together [1]"},
    {0, "uring.interface", NULL, WEIR_TEXT, AT(interface), "NAME",
     "io_uring or libaio [io_uring, libaio where the kernel forbids it]"},
    WEIR_OPTION_END,
};

static const struct weir_queue queue = {
    .depth = uring_depth,
    .begin = uring_begin,
    .submit = uring_submit,
    .reap = uring_reap,
};

static struct weir_backend uring = {
    .name = "URING",
    .alias = "AIO",
    .summary = "many transfers of a rank at a time, by io_uring or Linux AIO",
    .traits = WEIR_DIRECT | WEIR_RANDOM | WEIR_FILE_PER_PROCESS | WEIR_STORES | WEIR_UPDATE,
    .options = options,
    .settings_bytes = sizeof(struct uring_settings),
    .state_bytes = sizeof(struct uring_state),
    .open = uring_open,
    .transfer = uring_transfer,
    .close = uring_close,
    .remove = weir_remove_plain,
    .sync = uring_sync,
    .observe = uring_observe,
    .stored = weir_stored_plain,
    .refuse = uring_refuse,
    .queue = &queue,
};

WEIR_BACKEND(uring)
