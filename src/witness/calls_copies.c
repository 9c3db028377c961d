/* Calls that move bytes from one descriptor to another within the kernel, and those that queue transfers. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/aio_abi.h>
#include <stdint.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

#include "transfer.h"

#pragma GCC visibility push(default)

/* One read and one write at once: the time is that of the write. Of files under test the bytes do not count:
 * what is read comes into no memory of the program, and what is written may be a clone of blocks. */
static void count_copy(int from, int to, uint64_t began_ns, ssize_t bytes) {
    struct record *source = file_of(from), *target = file_of(to);
    if (source == NULL || source->account != NULL) {
        count_read(source, NO_BUFFER, bytes);
    }
    if (target == NULL || target->account != NULL) {
        count_write(target, NO_BUFFER, bytes);
    }
    if (source != NULL) {
        CALL_ENDED(source, CALL_READ, began_ns, from, bytes);
    }
    if (target != NULL) {
        CALL_ENDED(target, CALL_WRITE, began_ns, to, bytes);
    }
}

#define COPY(name, parameters, arguments, then)                                                              \
    ssize_t name parameters {                                                                                \
        NEXT(name)                                                                                           \
        uint64_t began_ns = CALL_BEGINS(file_moved(from), CALL_READ);                                        \
        uint64_t target_ns = CALL_BEGINS(file_moved(to), CALL_WRITE);                                        \
        began_ns = target_ns != 0 ? target_ns : began_ns;                                                    \
        ssize_t bytes = next_##name arguments;                                                               \
        count_copy(from, to, began_ns, bytes);                                                               \
        then;                                                                                                \
        return bytes;                                                                                        \
    }
COPY(sendfile, (int to, int from, off_t *offset, size_t size), (to, from, offset, size), )
COPY(sendfile64, (int to, int from, off64_t *offset, size_t size), (to, from, offset, size), )
COPY(copy_file_range, (int from, off64_t *at, int to, off64_t *to_at, size_t size, unsigned flags),
     (from, at, to, to_at, size, flags), )
COPY(splice, (int from, off64_t *at, int to, off64_t *to_at, size_t size, unsigned flags),
     (from, at, to, to_at, size, flags),
     add(file_of(from) != NULL ? &image.uncounted_read_bytes : &image.uncounted_written_bytes,
         bytes > 0 ? bytes : 0))

__attribute__((visibility("hidden"))) void count_queued(int fd, bool is_read, uint64_t bytes) {
    struct record *record = file_moved(fd);
    enum call_kind kind = is_read ? CALL_READ : CALL_WRITE;
    uint64_t began_ns = CALL_BEGINS(record, kind);
    if (is_read) {
        count_read(record, NO_BUFFER, (ssize_t)bytes);
    } else {
        count_write(record, NO_BUFFER, (ssize_t)bytes);
    }
    CALL_ENDED(record, kind, began_ns, fd, (ssize_t)bytes);
    add(is_read ? &image.uncounted_read_bytes : &image.uncounted_written_bytes, bytes);
    if (began_ns != 0) {
        accounts_queued(record, kind);
    }
}

struct request {
    int fd;
    bool is_read;
    uint64_t bytes; /* 0: it moves nothing */
};

static struct request request_of(const struct iocb *block) {
    unsigned operation = block->aio_lio_opcode;
    bool is_read = operation == IOCB_CMD_PREAD || operation == IOCB_CMD_PREADV;
    struct request request = {(int)block->aio_fildes, is_read, 0};
    if (operation == IOCB_CMD_PREADV || operation == IOCB_CMD_PWRITEV) {
        const struct iovec *vectors = (const struct iovec *)(uintptr_t)block->aio_buf;
        for (uint64_t i = 0; i < block->aio_nbytes && i < IOV_MAX; i++) {
            request.bytes += vectors[i].iov_len;
        }
    } else if (is_read || operation == IOCB_CMD_PWRITE) {
        request.bytes = block->aio_nbytes;
    }
    return request;
}

#define KNOWN_BEFORE 256 /* requests of a call: later another thread may have freed what is over */

/* libaio's bytes count as they were requested, and when; the time is that of io_getevents, which waits for
 * them. The last of these ends the phase. */
int io_submit(aio_context_t context, long count, struct iocb **requests);
int io_submit(aio_context_t context, long count, struct iocb **requests) {
    NEXT(io_submit)
    if (next_io_submit == NULL) {
        errno = ENOSYS;
        return -ENOSYS;
    }
    struct request known[KNOWN_BEFORE];
    for (long i = 0; i < count && i < KNOWN_BEFORE; i++) {
        known[i] = request_of(requests[i]);
    }
    int taken = next_io_submit(context, count, requests);
    for (int i = 0; i < taken; i++) {
        struct request request = i < KNOWN_BEFORE ? known[i] : request_of(requests[i]);
        if (request.bytes > 0) {
            count_queued(request.fd, request.is_read, request.bytes);
        }
    }
    return taken;
}

int io_getevents(aio_context_t context, long least, long most, struct io_event *events,
                 struct timespec *limit);
int io_getevents(aio_context_t context, long least, long most, struct io_event *events,
                 struct timespec *limit) {
    NEXT(io_getevents)
    if (next_io_getevents == NULL) {
        return -ENOSYS;
    }
    uint64_t began_ns = 0;
    struct account *account = accounts_wait_begins(&began_ns);
    int result = next_io_getevents(context, least, most, events, limit);
    accounts_waited(account, began_ns);
    return result;
}
