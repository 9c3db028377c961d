/* POSIX AIO, which threads within the C library do. Bytes count as they were requested, when they were; the
 * time is that of aio_suspend, and it ends when a result is taken. */
#include <aio.h>
#include <stdint.h>

#include "transfer.h"

/* What the C library keeps in aio_lio_opcode of a synchronisation: two numbers after those of lio_listio. */
enum { OF_FDATASYNC = LIO_NOP + 1, OF_FSYNC };

#pragma GCC visibility push(default)

#define QUEUE(name, block, is_read)                                                                          \
    int name(struct block *request) {                                                                        \
        NEXT(name)                                                                                           \
        int result = next_##name(request);                                                                   \
        if (result == 0) {                                                                                   \
            count_queued(request->aio_fildes, is_read, request->aio_nbytes);                                 \
        }                                                                                                    \
        return result;                                                                                       \
    }
QUEUE(aio_read, aiocb, true)
QUEUE(aio_read64, aiocb64, true)
QUEUE(aio_write, aiocb, false)
QUEUE(aio_write64, aiocb64, false)

/* Before the call, as it may wait for all of them. */
#define LIST(name, block)                                                                                    \
    int name(int mode, struct block *const requests[], int count, struct sigevent *event) {                  \
        NEXT(name)                                                                                           \
        for (int i = 0; i < count; i++) {                                                                    \
            int operation = requests[i] != NULL ? requests[i]->aio_lio_opcode : LIO_NOP;                     \
            if (operation == LIO_READ || operation == LIO_WRITE) {                                           \
                count_queued(requests[i]->aio_fildes, operation == LIO_READ, requests[i]->aio_nbytes);       \
            }                                                                                                \
        }                                                                                                    \
        uint64_t began_ns = 0;                                                                               \
        struct account *account = mode == LIO_WAIT ? accounts_wait_begins(&began_ns) : NULL;                 \
        int result = next_##name(mode, requests, count, event);                                              \
        accounts_waited(account, began_ns);                                                                  \
        return result;                                                                                       \
    }
LIST(lio_listio, aiocb)
LIST(lio_listio64, aiocb64)

#define SUSPEND(name, block)                                                                                 \
    int name(const struct block *const requests[], int count, const struct timespec *limit) {                \
        NEXT(name)                                                                                           \
        uint64_t began_ns = 0;                                                                               \
        struct account *account = accounts_wait_begins(&began_ns);                                           \
        int result = next_##name(requests, count, limit);                                                    \
        accounts_waited(account, began_ns);                                                                  \
        return result;                                                                                       \
    }
SUSPEND(aio_suspend, aiocb)
SUSPEND(aio_suspend64, aiocb64)

#define SYNCHRONISE(name, block)                                                                             \
    int name(int operation, struct block *request) {                                                         \
        NEXT(name)                                                                                           \
        if (file_moved(request->aio_fildes) != NULL) {                                                       \
            spans_syncing();                                                                                 \
        }                                                                                                    \
        return next_##name(operation, request);                                                              \
    }
SYNCHRONISE(aio_fsync, aiocb)
SYNCHRONISE(aio_fsync64, aiocb64)

static void note_result(int operation, int fd, ssize_t result) {
    uint64_t began_ns = 0;
    struct account *account = accounts_wait_begins(&began_ns);
    accounts_waited(account, began_ns);
    if (operation == OF_FDATASYNC || operation == OF_FSYNC) {
        struct record *record = file_moved(fd);
        began_ns = CALL_BEGINS(record, CALL_SYNC);
        CALL_ENDED(record, CALL_SYNC, began_ns, fd, 0);
        count_sync(fd, operation == OF_FSYNC ? SYNC_FSYNC : SYNC_FDATASYNC, (int)result);
    }
}

#define RETURN(name, block)                                                                                  \
    ssize_t name(struct block *request) {                                                                    \
        NEXT(name)                                                                                           \
        ssize_t result = next_##name(request);                                                               \
        note_result(request->aio_lio_opcode, request->aio_fildes, result);                                   \
        return result;                                                                                       \
    }
RETURN(aio_return, aiocb)
RETURN(aio_return64, aiocb64)
