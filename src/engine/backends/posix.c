/* POSIX: one descriptor for each rank, pread and pwrite. */
#include "attempts.h"
#include "backend.h"
#include "descriptor.h"
#include "stored.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* All that an open file needs. */
static int posix_descriptor_of(const struct weir_file *file) {
    return *(const int *)file->state;
}

static int posix_open(struct weir_file *file, struct weir_problem *problem) {
    int descriptor = weir_descriptor_open(file->how, problem);
    *(int *)file->state = descriptor;
    return descriptor < 0 ? -1 : 0;
}

static ssize_t posix_write_attempt(struct weir_file *file, const struct weir_piece *piece, size_t done) {
    return pwrite(posix_descriptor_of(file), piece->buffer + done, piece->bytes - done,
                  (off_t)(piece->offset + done));
}

static ssize_t posix_read_attempt(struct weir_file *file, const struct weir_piece *piece, size_t done) {
    return pread(posix_descriptor_of(file), piece->buffer + done, piece->bytes - done,
                 (off_t)(piece->offset + done));
}

static int posix_transfer(struct weir_file *file, const struct weir_piece *piece,
                          struct weir_problem *problem) {
    return piece->access == WEIR_WRITE ? weir_move_all(file, piece, posix_write_attempt, "pwrite", problem)
                                       : weir_move_all(file, piece, posix_read_attempt, "pread", problem);
}

static int posix_sync(struct weir_file *file, struct weir_problem *problem) {
    return weir_descriptor_sync(posix_descriptor_of(file), file->how->path, problem);
}

/* Also where close is interrupted the descriptor is gone, but late errors of the writes may be lost with it.
 */
static int posix_close(struct weir_file *file, struct weir_problem *problem) {
    return weir_problem_of(problem, "close", file->how->path, close(posix_descriptor_of(file)));
}

static void posix_observe(struct weir_file *file, struct weir_observed *observed) {
    observed->open_flags = weir_descriptor_flags_of(posix_descriptor_of(file));
}

static int posix_stat(struct weir_name *name, struct weir_problem *problem) {
    struct stat facts;
    int status = stat(name->path, &facts);
    name->bytes = status == 0 ? (uint64_t)facts.st_size : 0;
    return weir_problem_of(problem, "stat", name->path, status);
}

/* Each is the bare call. */
#define POSIX_NAME(call, ...)                                                                                \
    static int posix_##call(struct weir_name *name, struct weir_problem *problem) {                          \
        return weir_problem_of(problem, #call, name->path, call(__VA_ARGS__));                               \
    }

POSIX_NAME(unlink, name->path)
POSIX_NAME(mknod, name->path, S_IFREG | 0664, 0)
POSIX_NAME(mkdir, name->path, 0775)
POSIX_NAME(rmdir, name->path)
POSIX_NAME(rename, name->path, name->to)

/* Flushes this file system alone: sync() waits for all of them and returns no errors. */
static int posix_flush(struct weir_name *name, struct weir_problem *problem) {
    int descriptor = open(name->path, O_RDONLY | O_CLOEXEC);
    int status = weir_problem_of(problem, "syncfs", name->path, descriptor < 0 ? -1 : syncfs(descriptor));
    if (descriptor >= 0) {
        close(descriptor);
    }
    return status;
}

static const struct weir_names posix_names = {
    .stat = posix_stat,
    .unlink = posix_unlink,
    .mknod = posix_mknod,
    .mkdir = posix_mkdir,
    .rmdir = posix_rmdir,
    .rename = posix_rename,
    .flush = posix_flush,
};

static struct weir_backend posix = {
    .name = "POSIX",
    .summary = "open, pwrite and pread, fsync, close",
    .traits = WEIR_DIRECT | WEIR_RANDOM | WEIR_FILE_PER_PROCESS | WEIR_STORES | WEIR_UPDATE,
    .state_bytes = sizeof(int),
    .open = posix_open,
    .transfer = posix_transfer,
    .close = posix_close,
    .remove = weir_remove_plain,
    .sync = posix_sync,
    .stored = weir_stored_plain,
    .observe = posix_observe,
    .refuse = weir_descriptor_refuse,
    .names = &posix_names,
};

WEIR_BACKEND(posix)
