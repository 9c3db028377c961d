/* Streams of the C library: their opens and closes. What is moved through them passes no call that can be
 * seen; the kernel counts it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "accounts.h"

#pragma GCC visibility push(default)

static enum name_kind kind_of(const char *mode) {
    return strchr(mode, 'r') != NULL ? NAME_OPEN : NAME_CREATE;
}

static FILE *note_stream(const char *path, const char *mode, FILE *stream) {
    int error = errno;
    if (accounts_wanted) {
        int fd = stream != NULL ? fileno(stream) : -1;
        file_opened(path, kind_of(mode) == NAME_OPEN ? O_RDONLY : O_CREAT, fd);
        name_done(kind_of(mode), AT_FDCWD, path, fd);
        struct record *record = stream != NULL ? file_of(fd) : NULL;
        if (record != NULL) {
            count(&record->stdio_opens, 1);
            if (kind_of(mode) == NAME_CREATE || strchr(mode, '+') != NULL) {
                atomic_store(&accounts_writes_streams, true);
            }
        }
    }
    errno = error;
    return stream;
}

#define STREAM(name)                                                                                         \
    FILE *name(const char *restrict path, const char *restrict mode) {                                       \
        NEXT(name)                                                                                           \
        if (accounts_wanted) {                                                                               \
            name_begins(kind_of(mode), AT_FDCWD, path);                                                      \
        }                                                                                                    \
        return note_stream(path, mode, next_##name(path, mode));                                             \
    }
STREAM(fopen)
STREAM(fopen64)

/* The C library declares that a stream is never NULL, so a compiler removes a check for it. */
#define STREAM_CLOSE(name)                                                                                   \
    int name(FILE *stream) {                                                                                 \
        NEXT(name)                                                                                           \
        if (accounts_wanted) {                                                                               \
            file_closed(fileno(stream));                                                                     \
        }                                                                                                    \
        return next_##name(stream);                                                                          \
    }
STREAM_CLOSE(fclose)

#define SYNC_ALL(name)                                                                                       \
    void name(void) {                                                                                        \
        NEXT(name)                                                                                           \
        next_##name();                                                                                       \
        accounts_sync_all();                                                                                 \
    }
SYNC_ALL(sync)
