/* MMAP: the file mapped into memory, one memcpy for each transfer. What the storage cannot give or take comes
 * as SIGBUS in the midst of a memcpy, as on a full file system: here it is an error like any other. */
#include "backend.h"
#include "descriptor.h"
#include "stored.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct mmap_settings {
    int dont_need;
    int pattern;
};

struct mmap_state {
    int descriptor;
    unsigned char *memory;
    size_t bytes;
};

static sigjmp_buf *volatile landing; /* of the transfer that is under way, NULL: none */
static struct sigaction before;

/* A SIGBUS that is not a transfer's is left to whom it came to before: the access is repeated and fails
 * again. */
static void mmap_land(int signal_number) {
    if (landing != NULL) {
        siglongjmp(*landing, 1);
    }
    sigaction(signal_number, &before, NULL);
}

/* The signal belongs to the process, not to a file. Where a handler is not left by its end, its signal must
 * not stay blocked. */
static void mmap_begin(void) {
    struct sigaction ours = {.sa_handler = mmap_land, .sa_flags = SA_NODEFER}, found;
    sigemptyset(&ours.sa_mask);
    if (sigaction(SIGBUS, &ours, &found) == 0 && found.sa_handler != mmap_land) {
        before = found;
    }
}

static int mmap_give_up(struct mmap_state *state, struct weir_problem *problem, const char *call,
                        const char *path, int errnum) {
    if (state->memory != NULL) {
        munmap(state->memory, state->bytes);
    }
    close(state->descriptor);
    return weir_problem_set(problem, call, path, errnum, NULL, "%s", "");
}

static int mmap_map(struct mmap_state *state, const struct weir_open *how, struct weir_problem *problem) {
    const struct mmap_settings *settings = how->settings;
    bool writes = how->access == WEIR_WRITE;
    struct stat facts;
    /* Only what lies in the file can be written. All ranks of a shared file may do this at the same time. */
    if (writes && (fstat(state->descriptor, &facts) != 0 ||
                   ((uint64_t)facts.st_size < how->geometry.file_bytes &&
                    ftruncate(state->descriptor, (off_t)how->geometry.file_bytes) != 0))) {
        return mmap_give_up(state, problem, "ftruncate", how->path, errno);
    }
    void *memory = mmap(NULL, state->bytes, writes ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED,
                        state->descriptor, 0);
    if (memory == MAP_FAILED) {
        return mmap_give_up(state, problem, "mmap", how->path, errno);
    }
    state->memory = memory;
    int error = 0;
    if (settings->pattern) {
        error = posix_madvise(memory, state->bytes,
                              how->geometry.random ? POSIX_MADV_RANDOM : POSIX_MADV_SEQUENTIAL);
    }
    if (error == 0 && settings->dont_need) {
        error = posix_madvise(memory, state->bytes, POSIX_MADV_DONTNEED);
    }
    return error == 0 ? 0 : mmap_give_up(state, problem, "posix_madvise", how->path, error);
}

static int mmap_open(struct weir_file *file, struct weir_problem *problem) {
    const struct weir_open *how = file->how;
    struct mmap_state *state = file->state;
    state->bytes = (size_t)how->geometry.file_bytes;
    state->descriptor = weir_descriptor_open(how, problem);
    return state->descriptor < 0 ? -1 : mmap_map(state, how, problem);
}

/* The signal has no reason. */
static int mmap_bus_problem(const struct weir_file *file, const struct weir_piece *piece,
                            struct weir_problem *problem) {
    const char *path = file->how->path;
    struct stat facts;
    bool writes = piece->access == WEIR_WRITE;
    bool ends = fstat(((struct mmap_state *)file->state)->descriptor, &facts) == 0 &&
                (uint64_t)facts.st_size < piece->offset + piece->bytes;
    int cause = writes ? weir_cause_plain(path, WEIR_WRITE) : 0;
    return weir_problem_set(problem, "memcpy", path,
                            ends         ? 0
                            : cause != 0 ? cause
                                         : EIO,
                            ends ? "end of file" : NULL,
                            "SIGBUS in the mapped file: %zu bytes at offset %llu cannot be %s", piece->bytes,
                            (unsigned long long)piece->offset, writes ? "written" : "read");
}

static int mmap_transfer(struct weir_file *file, const struct weir_piece *piece,
                         struct weir_problem *problem) {
    unsigned char *there = ((const struct mmap_state *)file->state)->memory + piece->offset;
    sigjmp_buf back;
    if (sigsetjmp(back, 0) != 0) {
        landing = NULL;
        return mmap_bus_problem(file, piece, problem);
    }
    landing = &back;
    atomic_signal_fence(memory_order_seq_cst);
    if (piece->access == WEIR_WRITE) {
        memcpy(there, piece->buffer, piece->bytes);
    } else {
        memcpy(piece->buffer, there, piece->bytes);
    }
    atomic_signal_fence(memory_order_seq_cst);
    landing = NULL;
    return 0;
}

static int mmap_sync(struct weir_file *file, struct weir_problem *problem) {
    const struct mmap_state *state = file->state;
    return weir_problem_of(problem, "msync", file->how->path, msync(state->memory, state->bytes, MS_SYNC));
}

static int mmap_close(struct weir_file *file, struct weir_problem *problem) {
    struct mmap_state *state = file->state;
    const char *path = file->how->path;
    int unmapped = weir_problem_of(problem, "munmap", path, munmap(state->memory, state->bytes));
    int closed = weir_problem_of(problem, "close", path, close(state->descriptor));
    return unmapped != 0 ? unmapped : closed;
}

static void mmap_observe(struct weir_file *file, struct weir_observed *observed) {
    observed->open_flags = weir_descriptor_flags_of(((const struct mmap_state *)file->state)->descriptor);
}

#define AT(member) offsetof(struct mmap_settings, member)

static const struct weir_option options[] = {
    {0, "mmap.madv_dont_need", NULL, WEIR_FLAG, AT(dont_need), NULL,
     "posix_madvise after the map: pages that are there are not needed"},
    {0, "mmap.madv_pattern", NULL, WEIR_FLAG, AT(pattern), NULL,
     "posix_madvise after the map: sequential, or random with -z"},
    WEIR_OPTION_END,
};

static struct weir_backend mmap_backend = {
    .name = "MMAP",
    .summary = "mmap, memcpy, msync, munmap",
    .traits = WEIR_RANDOM | WEIR_FILE_PER_PROCESS | WEIR_STORES | WEIR_UPDATE | WEIR_MAPS,
    .options = options,
    .settings_bytes = sizeof(struct mmap_settings),
    .state_bytes = sizeof(struct mmap_state),
    .begin = mmap_begin,
    .open = mmap_open,
    .transfer = mmap_transfer,
    .close = mmap_close,
    .remove = weir_remove_plain,
    .sync = mmap_sync,
    .observe = mmap_observe,
    .stored = weir_stored_plain,
};

WEIR_BACKEND(mmap_backend)
