/* Preloaded in tests: calls on files whose name ends in FAULT_PATH fail as FAULT_CALL orders.
 * close, fsync, pwrite, pread: with EIO (close really closes first, as a late error does); short: every
 * second pwrite and pread moves half; interrupt: every second one is interrupted; flip: a pread returns one
 * wrong bit, with success. FAULT_RANK: only on that rank of Open MPI; FAULT_AFTER: only after so many calls
 * that would have failed.
 *
 * Without failing: slow rests 2 ms in each pwrite, rest 50 ms in each fsync; FAULT_STATS counts the pwrites
 * of all ranks in a file like those of a Lustre client; FAULT_LOG takes a line for each open, stat and pread
 * by name; hole lets lseek(SEEK_HOLE) report a hole at the offset that it is given; lose drops every pwrite
 * at an even multiple of its size; stale answers half the size of a file for the first FAULT_TIMES questions
 * (always without it); raced answers EEXIST where another client has just created the file; errno
 * leaves one behind in each MPI_File_read_at; chunks lets HDF5 say of its first collective transfer that it
 * was done chunk by chunk; clock delays each answer about the time that goes past the C library, 0.1 ms more
 * than the one before. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* The next function of the name, which this library replaces. */
#define REAL(name) __typeof__(name) *real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

static int is_fault(const char *name) {
    const char *call = getenv("FAULT_CALL");
    return call != NULL && strcmp(call, name) == 0;
}

static int on_this_rank(void) {
    const char *wanted = getenv("FAULT_RANK"), *rank = getenv("OMPI_COMM_WORLD_RANK");
    return wanted == NULL || (rank != NULL && strcmp(wanted, rank) == 0);
}

static int concerns(int descriptor, const char *fault) {
    static int spared;
    const char *path = getenv("FAULT_PATH"), *after = getenv("FAULT_AFTER");
    char link[64], name[4096];
    if (!is_fault(fault) || path == NULL || !on_this_rank()) {
        return 0;
    }
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, name, sizeof name - 1);
    size_t wanted = strlen(path);
    if (length < (ssize_t)wanted || memcmp(name + length - wanted, path, wanted) != 0) {
        return 0;
    }
    return after == NULL || spared++ >= atoi(after);
}

static int fail_with(int number) {
    errno = number;
    return -1;
}

int close(int descriptor) {
    REAL(close);
    int fails = concerns(descriptor, "close");
    int status = real(descriptor);
    return fails ? fail_with(EIO) : status;
}

#define LSEEK(name, offset_type)                                                                             \
    offset_type name(int descriptor, offset_type offset, int whence) {                                       \
        REAL(name);                                                                                          \
        if ((whence == SEEK_HOLE || whence == SEEK_DATA) && concerns(descriptor, "hole")) {                  \
            return whence == SEEK_HOLE ? offset : fail_with(ENXIO);                                          \
        }                                                                                                    \
        return real(descriptor, offset, whence);                                                             \
    }
LSEEK(lseek, off_t)
LSEEK(lseek64, off64_t)

long syscall(long number, ...) {
    static useconds_t delay_us;
    REAL(syscall);
    long arguments[6];
    va_list rest;
    va_start(rest, number);
    for (int each = 0; each < 6; each++) {
        arguments[each] = va_arg(rest, long);
    }
    va_end(rest);
    long answer =
        real(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
    if (number == SYS_clock_gettime && is_fault("clock")) {
        usleep(delay_us += 100);
    }
    return answer;
}

int fsync(int descriptor) {
    REAL(fsync);
    if (concerns(descriptor, "rest")) {
        usleep(50000);
    }
    return concerns(descriptor, "fsync") ? fail_with(EIO) : real(descriptor);
}

/* What is left of a request; negative where the call fails. */
static ssize_t allowed(int descriptor, const char *call, size_t bytes) {
    static unsigned calls;
    if (concerns(descriptor, call)) {
        return fail_with(EIO);
    }
    if (concerns(descriptor, "short") && ++calls % 2 == 1) {
        return (ssize_t)(bytes / 2 + 1);
    }
    if (concerns(descriptor, "interrupt") && ++calls % 2 == 1) {
        return fail_with(EINTR);
    }
    return (ssize_t)bytes;
}

static void count_write(void) {
    const char *stats = getenv("FAULT_STATS");
    int descriptor = stats != NULL ? open(stats, O_RDWR) : -1;
    unsigned count = 0;
    char line[80] = "";
    if (descriptor < 0) {
        return;
    }
    flock(descriptor, LOCK_EX);
    if (read(descriptor, line, sizeof line - 1) > 0) {
        sscanf(line, "write_bytes %u", &count);
    }
    int length = snprintf(line, sizeof line, "write_bytes %u samples [bytes] 1 1 1\n", count + 1);
    lseek(descriptor, 0, SEEK_SET);
    if (write(descriptor, line, (size_t)length) != length) {
        abort();
    }
    close(descriptor);
}

/* Short lines, appended: those of several ranks do not mix. */
static void note(const char *call, const char *path) {
    const char *log = getenv("FAULT_LOG"), *wanted = getenv("FAULT_PATH");
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    FILE *file = log != NULL && strstr(path, wanted) != NULL ? fopen(log, "a") : NULL;
    if (file != NULL) {
        fprintf(file, "%s %s %s\n", rank != NULL ? rank : "0", call, path);
        fclose(file);
    }
}

int open64(const char *path, int flags, ...) {
    REAL(open64);
    va_list rest;
    va_start(rest, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    note("open", path);
    if ((flags & O_CREAT) != 0 && is_fault("raced") && strstr(path, getenv("FAULT_PATH")) != NULL) {
        int descriptor = real(path, flags | O_EXCL, mode);
        if (descriptor >= 0) {
            close(descriptor);
            return fail_with(EEXIST);
        }
    }
    return real(path, flags, mode);
}

int fstat64(int descriptor, struct stat64 *facts) {
    static int questions;
    REAL(fstat64);
    int status = real(descriptor, facts);
    const char *times = getenv("FAULT_TIMES");
    if (concerns(descriptor, "stale") && (times == NULL || questions++ < atoi(times))) {
        facts->st_size /= 2;
    }
    return status;
}

int stat64(const char *path, struct stat64 *facts) {
    REAL(stat64);
    note("stat", path);
    return real(path, facts);
}

ssize_t pwrite64(int descriptor, const void *buffer, size_t bytes, off64_t offset) {
    REAL(pwrite64);
    ssize_t left = allowed(descriptor, "pwrite", bytes);
    if (concerns(descriptor, "slow")) {
        usleep(2000);
    }
    if (concerns(descriptor, "lose") && offset / (off64_t)bytes % 2 == 0) {
        return (ssize_t)bytes;
    }
    if (bytes > 64) { /* not the counting itself */
        count_write();
    }
    return left < 0 ? left : real(descriptor, buffer, (size_t)left, offset);
}

/* What libraries call that are compiled without large files by macro, such as Open MPI's own MPI-IO. */
ssize_t pwrite(int descriptor, const void *buffer, size_t bytes, off_t offset) {
    return pwrite64(descriptor, buffer, bytes, offset);
}

ssize_t pread64(int descriptor, void *buffer, size_t bytes, off64_t offset) {
    REAL(pread64);
    ssize_t left = allowed(descriptor, "pread", bytes);
    ssize_t moved = left < 0 ? left : real(descriptor, buffer, (size_t)left, offset);
    note("pread", getenv("FAULT_PATH") != NULL ? getenv("FAULT_PATH") : "");
    if (moved > 0 && concerns(descriptor, "flip")) {
        *(unsigned char *)buffer ^= 1;
    }
    return moved;
}

int MPI_File_read_at(void *file, long long offset, void *buffer, int count, void *type, void *status) {
    REAL(MPI_File_read_at);
    int code = real(file, offset, buffer, count, type, status);
    if (is_fault("errno")) {
        errno = ENOENT;
    }
    return code;
}

int H5Pget_mpio_actual_io_mode(long long list, int *mode) {
    static int calls;
    REAL(H5Pget_mpio_actual_io_mode);
    int status = real(list, mode);
    if (is_fault("chunks")) {
        *mode = calls++ == 0 ? 1 /* H5D_MPIO_CHUNK_INDEPENDENT */ : 4 /* H5D_MPIO_CONTIGUOUS_COLLECTIVE */;
    }
    return status;
}
