/* Moving all bytes of a piece by as many attempts as it takes. */
#pragma once

#include "backend.h"

#include <errno.h>
#include <sys/types.h>

/* One attempt to move what is left after `done` bytes: what it moved, or -1 with errno. */
typedef ssize_t weir_attempt(struct weir_file *file, const struct weir_piece *piece, size_t done);

/* Interruptions and short transfers are repeated; no progress at all is an error. Inlined, so that the
 * attempt is a direct call in each back end. */
static inline int weir_move_all(struct weir_file *file, const struct weir_piece *piece, weir_attempt *attempt,
                                const char *call, struct weir_problem *problem) {
    size_t done = 0;
    for (;;) {
        ssize_t moved = attempt(file, piece, done);
        if (moved > 0) {
            done += (size_t)moved;
            if (done >= piece->bytes) {
                return 0;
            }
            if (file->how->single_attempt) {
                return weir_problem_set(problem, call, file->how->path, 0, "a short transfer",
                                        "%zu of %zu bytes at offset %llu, and -x allows one attempt", done,
                                        piece->bytes, (unsigned long long)piece->offset);
            }
        } else if (moved == 0) {
            const char *why = piece->access == WEIR_READ ? "end of file" : "no progress";
            return weir_problem_set(problem, call, file->how->path, piece->access == WEIR_READ ? 0 : EIO, why,
                                    "%zu of %zu bytes at offset %llu", done, piece->bytes,
                                    (unsigned long long)piece->offset);
        } else if (errno != EINTR) {
            return weir_problem_set(problem, call, file->how->path, errno, NULL,
                                    "%zu of %zu bytes at offset %llu", done, piece->bytes,
                                    (unsigned long long)piece->offset);
        }
        file->retries++;
    }
}
