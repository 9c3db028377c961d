/* Moving bytes between the caller's vectors and files, and between files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "space/space.h"

#define VECTORS 64

void cursor_skip(struct cursor *cursor, uint64_t bytes) {
    while (bytes > 0) {
        size_t left = cursor->iov->iov_len - cursor->skip;
        if (bytes < left) {
            cursor->skip += bytes;
            return;
        }
        bytes -= left;
        cursor->iov++;
        cursor->count--;
        cursor->skip = 0;
    }
}

void cursor_zero(struct cursor *cursor, uint64_t bytes) {
    while (bytes > 0) {
        size_t left = cursor->iov->iov_len - cursor->skip;
        size_t part = bytes < left ? bytes : left;
        if (part > 0) {
            memset((char *)cursor->iov->iov_base + cursor->skip, 0, part);
        }
        cursor_skip(cursor, part);
        if (part == 0) {
            cursor->iov++;
            cursor->count--;
        }
        bytes -= part;
    }
}

static int copy_window(const struct cursor *cursor, uint64_t bytes, struct iovec *out) {
    int used = 0;
    size_t skip = cursor->skip;
    for (int i = 0; i < cursor->count && used < VECTORS && bytes > 0; i++) {
        size_t left = cursor->iov[i].iov_len - skip;
        size_t part = bytes < left ? bytes : left;
        if (part > 0) {
            out[used++] = (struct iovec){(char *)cursor->iov[i].iov_base + skip, part};
        }
        skip = 0;
        bytes -= part;
    }
    return used;
}

/* A read ends early at the end of the file; *moved is its length. */
int move_all(int fd, struct cursor *cursor, uint64_t offset, uint64_t bytes, bool write, uint64_t *moved) {
    struct iovec vectors[VECTORS];
    while (*moved < bytes) {
        int count = copy_window(cursor, bytes - *moved, vectors);
        off_t at = (off_t)(offset + *moved);
        ssize_t n = write ? pwritev(fd, vectors, count, at) : preadv(fd, vectors, count, at);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return errno;
        }
        if (n == 0) {
            return write ? ENOSPC : 0;
        }
        cursor_skip(cursor, (uint64_t)n);
        *moved += (uint64_t)n;
    }
    return 0;
}

int copy_range(int from, uint64_t from_base, int to, uint64_t to_base, uint64_t at, uint64_t bytes) {
    const uint64_t step = UINT64_C(1) << 20;
    char *buffer = malloc(step);
    int error = buffer == NULL ? ENOMEM : 0;
    for (uint64_t done = 0; done < bytes && error == 0;) {
        uint64_t part = bytes - done < step ? bytes - done : step;
        struct iovec iov = {buffer, part};
        struct cursor cursor = {&iov, 1, 0};
        uint64_t got = 0;
        error = move_all(from, &cursor, from_base + at + done, part, false, &got);
        cursor_zero(&cursor, part - got);
        cursor = (struct cursor){&iov, 1, 0};
        uint64_t put = 0;
        if (error == 0) {
            error = move_all(to, &cursor, to_base + at + done, part, true, &put);
        }
        done += part;
    }
    free(buffer);
    return error;
}
