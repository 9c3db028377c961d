/* What is done to the file before it is measured, untimed. */
#include "io_model.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define CHUNK_BYTES  ((size_t)1 << 20)
#define WAIT_SECONDS 30

static int iom_move_whole(struct iom_run *run, struct weir_file *file, unsigned char *chunk) {
    uint64_t file_bytes = (uint64_t)run->requested.file_bytes;
    struct weir_piece piece = {file->how->access, chunk, CHUNK_BYTES, 0};
    for (; piece.offset < file_bytes; piece.offset += piece.bytes) {
        if (file_bytes - piece.offset < piece.bytes) {
            piece.bytes = (size_t)(file_bytes - piece.offset);
        }
        if (piece.access == WEIR_WRITE) {
            iom_bytes(run, piece.offset, chunk, piece.bytes);
        }
        if (run->base.backend->transfer(file, &piece, &run->base.problem) != 0) {
            return -1;
        }
    }
    bool sync = piece.access == WEIR_WRITE && run->base.backend->sync != NULL;
    return sync ? run->base.backend->sync(file, &run->base.problem) : 0;
}

int iom_file_walk(struct iom_run *run, enum weir_access access) {
    struct weir_problem *problem = &run->base.problem;
    struct weir_open how = weir_run_open(&run->base, run->path, access, MPI_COMM_SELF);
    how.geometry.xfer_bytes = CHUNK_BYTES;
    how.geometry.file_bytes = (uint64_t)run->requested.file_bytes;
    struct weir_file file = {.backend = run->base.backend, .how = &how};
    unsigned char *chunk = malloc(CHUNK_BYTES);
    if (chunk == NULL) {
        return weir_problem_set(problem, "malloc", run->path, ENOMEM, NULL, "a buffer for the whole file");
    }
    int status = weir_file_open(&file, problem);
    if (status == 0) {
        status = iom_move_whole(run, &file, chunk);
        status = weir_file_close(&file, problem) != 0 ? -1 : status;
    }
    free(chunk);
    return status;
}

static int iom_look(const struct iom_run *run, struct weir_stored *stored, struct weir_problem *problem) {
    struct weir_problem why = {0};
    uint64_t wanted = (uint64_t)run->requested.file_bytes;
    if (run->base.backend->stored(run->path, run->base.settings, stored, &why) != 0) {
        return weir_problem_set(problem, why.call, run->path, why.errnum, why.error,
                                "there is no file to read; --prefill writes it first");
    }
    if (stored->bytes < wanted) {
        return weir_problem_set(problem, "stat", run->path, 0, "the file is too short",
                                "%llu of the %llu bytes to read within; --prefill writes it first",
                                (unsigned long long)stored->bytes, (unsigned long long)wanted);
    }
    if (stored->first_hole_bytes < wanted) {
        return weir_problem_set(problem, "lseek(SEEK_HOLE)", run->path, 0, "the file has holes",
                                "the first at byte %llu, and reading a hole reads no storage; --prefill "
                                "writes the whole file first",
                                (unsigned long long)stored->first_hole_bytes);
    }
    return 0;
}

int iom_file_must_be_whole(struct iom_run *run) {
    struct weir_stored stored = {0};
    if (run->base.backend->stored == NULL || run->cache == IOM_DISCARDED) {
        return 0;
    }
    for (int i = 0; run->requested.wait && i < WAIT_SECONDS; i++) {
        struct weir_problem ignored = {0};
        if (iom_look(run, &stored, &ignored) == 0) {
            return 0;
        }
        sleep(1);
    }
    return iom_look(run, &stored, &run->base.problem);
}
