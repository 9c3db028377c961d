/* The calls that are counted. Each is passed on unchanged, and errno is the next one's. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "transfer.h"

#define CLOSES_AT_EXEC 4 /* CLOSE_RANGE_CLOEXEC: until then they stay open */

_Thread_local bool is_first_thread;

/* Weak: a library that needs a name which older C libraries lack would keep every program from starting. */
extern char __libc_single_threaded __attribute__((weak));
static const char may_have_threads;
const char *calls_single_threaded = &may_have_threads;

/* All else of the library is hidden: its names must not replace a program's. */
#pragma GCC visibility push(default)

__attribute__((visibility("hidden"))) void count_sync(int fd, enum sync_call call, int result) {
    struct record *record = file_of(fd);
    if (record != NULL) {
        count(result == 0 ? &record->syncs[call] : &record->syncs_failed[call], 1);
        if (record->account != NULL && result == 0 && call != SYNC_RANGE) {
            accounts_synced(record, fd, call == SYNC_FS);
        } else if (result == 0 && (call == SYNC_FSYNC || call == SYNC_FDATASYNC)) {
            names_synced(fd);
        }
    }
}

#define KIND_OF(flags) ((O_CREAT & (flags)) != 0 ? NAME_CREATE : NAME_OPEN)

static int note_open(int directory, const char *path, int flags, int fd) {
    int error = errno;
    file_opened(path, flags, fd);
    name_done(KIND_OF(flags), directory, path, fd);
    errno = error;
    return fd;
}

/* The turn of the operations before ends before the call. */
#define OPENED(directory, path, flags, call)                                                                 \
    (name_begins(KIND_OF(flags), directory, path), note_open(directory, path, flags, call))

#define MODE_OF(flags)                                                                                       \
    mode_t mode = 0;                                                                                         \
    if ((O_CREAT & (flags)) != 0 || (O_TMPFILE & (flags)) == O_TMPFILE) {                                    \
        va_list list;                                                                                        \
        va_start(list, flags);                                                                               \
        mode = va_arg(list, mode_t);                                                                         \
        va_end(list);                                                                                        \
    }

#define OPEN(name)                                                                                           \
    int name(const char *path, int flags, ...) {                                                             \
        NEXT(name)                                                                                           \
        MODE_OF(flags)                                                                                       \
        return OPENED(AT_FDCWD, path, flags, next_##name(path, flags, mode));                                \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                                         \
    int name(int directory, const char *path, int flags, ...) {                                              \
        NEXT(name)                                                                                           \
        MODE_OF(flags)                                                                                       \
        return OPENED(directory, path, flags, next_##name(directory, path, flags, mode));                    \
    }
OPENAT(openat)
OPENAT(openat64)

/* What programs built with _FORTIFY_SOURCE call instead. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int directory, const char *path, int flags);
int __openat64_2(int directory, const char *path, int flags);
ssize_t __read_chk(int fd, void *buffer, size_t size, size_t room);
ssize_t __pread_chk(int fd, void *buffer, size_t size, off_t offset, size_t room);
ssize_t __pread64_chk(int fd, void *buffer, size_t size, off64_t offset, size_t room);

#define OPEN_2(name)                                                                                         \
    int name(const char *path, int flags) {                                                                  \
        NEXT(name)                                                                                           \
        return OPENED(AT_FDCWD, path, flags, next_##name(path, flags));                                      \
    }
OPEN_2(__open_2)
OPEN_2(__open64_2)

#define OPENAT_2(name)                                                                                       \
    int name(int directory, const char *path, int flags) {                                                   \
        NEXT(name)                                                                                           \
        return OPENED(directory, path, flags, next_##name(directory, path, flags));                          \
    }
OPENAT_2(__openat_2)
OPENAT_2(__openat64_2)

#define CREAT(name)                                                                                          \
    int name(const char *path, mode_t mode) {                                                                \
        NEXT(name)                                                                                           \
        return OPENED(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, next_##name(path, mode));                \
    }
CREAT(creat)
CREAT(creat64)

int close(int fd) {
    NEXT(close)
    bool under_test = file_closed(fd); /* before: another thread may get the number at once */
    int result = next_close(fd);
    if (under_test) {
        int error = errno;
        spans_closed();
        errno = error;
    }
    return result;
}

/* A child of vfork has its own descriptors, but our table is the one of its parent. */
static void forget_between(unsigned first, unsigned last) {
    bool under_test = false, is_other = accounts_wanted && accounts_by_others();
    for (unsigned fd = first; !is_other && fd <= last && fd < ACCOUNTS_DESCRIPTORS; fd++) {
        under_test |= file_closed((int)fd);
    }
    if (under_test) {
        spans_closed();
    }
}

#ifdef SYS_close_range
int close_range(unsigned first, unsigned last, int flags) {
    if ((flags & CLOSES_AT_EXEC) == 0) {
        forget_between(first, last);
    }
    return (int)syscall(SYS_close_range, first, last, flags);
}
#endif

void closefrom(int first) {
    NEXT(closefrom)
    forget_between((unsigned)first, UINT_MAX);
    if (next_closefrom != NULL) {
        next_closefrom(first);
    }
}

int dup(int fd) {
    NEXT(dup)
    int copy = next_dup(fd);
    file_duplicated(fd, copy);
    return copy;
}

int dup2(int fd, int to) {
    NEXT(dup2)
    int copy = next_dup2(fd, to);
    file_duplicated(fd, copy);
    return copy;
}

int dup3(int fd, int to, int flags) {
    NEXT(dup3)
    int copy = next_dup3(fd, to, flags);
    file_duplicated(fd, copy);
    return copy;
}

#define KIND_count_read  CALL_READ
#define KIND_count_write CALL_WRITE
/* Whatever file it is of; a pipe that waits is of none. */
#define UNDER_WAY(record, amount)                                                                            \
    do {                                                                                                     \
        if ((record) != NULL) {                                                                              \
            count(&halts_calls, (uint64_t)(amount));                                                         \
        }                                                                                                    \
    } while (0)

/* In the functions with such parameters. */
#define WHOLE  ((struct buffer){buffer, size})
#define VECTOR (vector_count > 0 ? (struct buffer){vectors->iov_base, vectors->iov_len} : NO_BUFFER)

#define TRANSFER_THEN(name, parameters, arguments, buffer, count, place, then)                               \
    ssize_t name parameters {                                                                                \
        NEXT(name)                                                                                           \
        struct record *record = file_moved(fd);                                                              \
        uint64_t began_ns = CALL_BEGINS(record, KIND_##count);                                               \
        UNDER_WAY(record, 1);                                                                                \
        ssize_t bytes = next_##name arguments;                                                               \
        UNDER_WAY(record, -1);                                                                               \
        if (record != NULL && record->account == NULL && bytes > 0 &&                                        \
            !transfer_seen(record, fd, KIND_##count == CALL_WRITE, place, buffer, bytes)) {                  \
            record = NULL;                                                                                   \
        }                                                                                                    \
        count(record, buffer, bytes);                                                                        \
        CALL_ENDED(record, KIND_##count, began_ns, fd, bytes);                                               \
        then;                                                                                                \
        return bytes;                                                                                        \
    }
#define TRANSFER(name, parameters, arguments, buffer, count, place)                                          \
    TRANSFER_THEN(name, parameters, arguments, buffer, count, place, )
TRANSFER(read, (int fd, void *buffer, size_t size), (fd, buffer, size), WHOLE, count_read,
         position_taken(fd, bytes))
TRANSFER(write, (int fd, const void *buffer, size_t size), (fd, buffer, size), WHOLE, count_write,
         position_taken(fd, bytes))
TRANSFER(readv, (int fd, const struct iovec *vectors, int vector_count), (fd, vectors, vector_count), VECTOR,
         count_read, position_taken(fd, bytes))
TRANSFER(writev, (int fd, const struct iovec *vectors, int vector_count), (fd, vectors, vector_count), VECTOR,
         count_write, position_taken(fd, bytes))

#define AT_OFFSET(suffix, offset_type)                                                                       \
    TRANSFER(pread##suffix, (int fd, void *buffer, size_t size, offset_type offset),                         \
             (fd, buffer, size, offset), WHOLE, count_read, offset)                                          \
    TRANSFER(pwrite##suffix, (int fd, const void *buffer, size_t size, offset_type offset),                  \
             (fd, buffer, size, offset), WHOLE, count_write, offset)                                         \
    TRANSFER(preadv##suffix, (int fd, const struct iovec *vectors, int vector_count, offset_type offset),    \
             (fd, vectors, vector_count, offset), VECTOR, count_read, offset)                                \
    TRANSFER(pwritev##suffix, (int fd, const struct iovec *vectors, int vector_count, offset_type offset),   \
             (fd, vectors, vector_count, offset), VECTOR, count_write, offset)
AT_OFFSET(, off_t)
AT_OFFSET(64, off64_t)
TRANSFER(__read_chk, (int fd, void *buffer, size_t size, size_t room), (fd, buffer, size, room), WHOLE,
         count_read, position_taken(fd, bytes))
TRANSFER(__pread_chk, (int fd, void *buffer, size_t size, off_t offset, size_t room),
         (fd, buffer, size, offset, room), WHOLE, count_read, offset)
TRANSFER(__pread64_chk, (int fd, void *buffer, size_t size, off64_t offset, size_t room),
         (fd, buffer, size, offset, room), WHOLE, count_read, offset)
#define WITH_FLAGS(suffix, offset_type)                                                                      \
    TRANSFER(preadv##suffix,                                                                                 \
             (int fd, const struct iovec *vectors, int vector_count, offset_type offset, int flags),         \
             (fd, vectors, vector_count, offset, flags), VECTOR, count_read,                                 \
             offset >= 0 ? offset : position_taken(fd, bytes))                                               \
    TRANSFER_THEN(pwritev##suffix,                                                                           \
                  (int fd, const struct iovec *vectors, int vector_count, offset_type offset, int flags),    \
                  (fd, vectors, vector_count, offset, flags), VECTOR, count_write,                           \
                  offset >= 0 ? offset : position_taken(fd, bytes),                                          \
                  (flags & (RWF_DSYNC | RWF_SYNC)) != 0 ? accounts_through(record, fd, bytes) : (void)0)
WITH_FLAGS(2, off_t)
WITH_FLAGS(64v2, off64_t)

#define SEEK(name, offset_type)                                                                              \
    offset_type name(int fd, offset_type offset, int whence) {                                               \
        NEXT(name)                                                                                           \
        offset_type position = next_##name(fd, offset, whence);                                              \
        if (position >= 0 && file_of(fd) != NULL) {                                                          \
            position_set(fd, position);                                                                      \
        }                                                                                                    \
        return position;                                                                                     \
    }
SEEK(lseek, off_t)
SEEK(lseek64, off64_t)

#define SYNC(name, parameters, arguments, call)                                                              \
    int name parameters {                                                                                    \
        NEXT(name)                                                                                           \
        struct record *record = file_moved(fd);                                                              \
        if ((call) != SYNC_RANGE && record != NULL) {                                                        \
            spans_syncing();                                                                                 \
        }                                                                                                    \
        uint64_t began_ns = CALL_BEGINS(record, CALL_SYNC);                                                  \
        int result = next_##name arguments;                                                                  \
        CALL_ENDED(record, CALL_SYNC, began_ns, fd, 0);                                                      \
        count_sync(fd, call, result);                                                                        \
        return result;                                                                                       \
    }
SYNC(fsync, (int fd), (fd), SYNC_FSYNC)
SYNC(fdatasync, (int fd), (fd), SYNC_FDATASYNC)
SYNC(syncfs, (int fd), (fd), SYNC_FS)
SYNC(sync_file_range, (int fd, off64_t offset, off64_t bytes, unsigned flags), (fd, offset, bytes, flags),
     SYNC_RANGE)

#define TRUNCATE(name, offset_type)                                                                          \
    int name(int fd, offset_type size) {                                                                     \
        NEXT(name)                                                                                           \
        int result = next_##name(fd, size);                                                                  \
        struct record *record = file_of(fd);                                                                 \
        if (record != NULL) {                                                                                \
            count(result == 0 ? &record->truncations : &record->truncations_failed, 1);                      \
        }                                                                                                    \
        return result;                                                                                       \
    }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

/* The third argument is a number, a pointer or absent: any fits the register of a pointer. */
#define CONTROL(name)                                                                                        \
    int name(int fd, int command, ...) {                                                                     \
        NEXT(name)                                                                                           \
        va_list list;                                                                                        \
        va_start(list, command);                                                                             \
        void *argument = va_arg(list, void *);                                                               \
        va_end(list);                                                                                        \
        struct record *record = file_of(fd);                                                                 \
        bool was_direct = record != NULL && record->account != NULL && transfers_are_direct(fd);             \
        int result = next_##name(fd, command, argument);                                                     \
        if (record != NULL && command == F_SETFL) {                                                          \
            count(&record->flag_changes, result == 0);                                                       \
            if (record->account != NULL) {                                                                   \
                transfers_flagged(fd);                                                                       \
                file_flagged(record, fd, was_direct ? 0 : (int)(intptr_t)argument);                          \
            }                                                                                                \
        } else if (record != NULL && (command == F_DUPFD || command == F_DUPFD_CLOEXEC)) {                   \
            file_duplicated(fd, result);                                                                     \
        }                                                                                                    \
        return result;                                                                                       \
    }
CONTROL(fcntl)
CONTROL(fcntl64)

static bool is_child;

static void forget_all(void) {
    files_forget();
    spans_forget();
    names_begin();
    if (accounts_wanted) {
        accounts_forget();
    }
}

static void begin_child(void) {
    is_child = true;
    if (accounts_wanted) {
        image_in_child(); /* first: until then it has the memory of its parent */
    }
    mappings_in_child();
    listings_in_child();
    forget_all();
}

__attribute__((constructor)) static void begin(void) {
    is_first_thread = true;
    if (&__libc_single_threaded != NULL) {
        calls_single_threaded = &__libc_single_threaded;
    }
    image_reports();
    pthread_atfork(NULL, NULL, begin_child);
    descriptors_begin();
    accounts_begin();
    if (accounts_wanted) {
        descriptors_inherited();
    } else {
        spans_begin();
    }
    names_begin(); /* what came before was our own look at the directory */
}

/* A process that ends without its destructors, or becomes another program. */
__attribute__((visibility("hidden"))) void report_before_the_end(void) {
    if (accounts_wanted && !accounts_by_others()) {
        int error = errno;
        report_write(is_child);
        forget_all();
        errno = error;
    }
}

__attribute__((visibility("hidden"))) void report_was_not_the_end(void) {
    if (accounts_wanted && !accounts_by_others()) {
        int error = errno;
        image_in_child();
        errno = error;
    }
}

__attribute__((destructor)) static void end(void) {
    if (accounts_wanted && accounts_by_others()) {
        return;
    }
    names_end();
    report_write(is_child);
}
