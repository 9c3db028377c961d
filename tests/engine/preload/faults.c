/* Preloaded in tests: calls on files whose name ends in FAULT_PATH fail as FAULT_CALL says.
 * close, fsync, pwrite, pread: with EIO (close really closes first, as a late error does); short: every
 * second pwrite and pread moves half; interrupt: every second one is interrupted; flip: a pread returns one
 * wrong bit, with success. FAULT_RANK: only on that rank of Open MPI; FAULT_AFTER: only after so many calls
 * that would have failed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int on_this_rank(void) {
    const char *wanted = getenv("FAULT_RANK"), *rank = getenv("OMPI_COMM_WORLD_RANK");
    return wanted == NULL || (rank != NULL && strcmp(wanted, rank) == 0);
}

static int concerns(int descriptor, const char *fault) {
    static int spared;
    const char *call = getenv("FAULT_CALL"), *path = getenv("FAULT_PATH"), *after = getenv("FAULT_AFTER");
    char link[64], name[4096];
    if (call == NULL || path == NULL || strcmp(call, fault) != 0 || !on_this_rank()) {
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
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "close");
    int fails = concerns(descriptor, "close");
    int status = real(descriptor);
    return fails ? fail_with(EIO) : status;
}

int fsync(int descriptor) {
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
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

ssize_t pwrite64(int descriptor, const void *buffer, size_t bytes, off64_t offset) {
    ssize_t (*real)(int, const void *, size_t, off64_t) =
        (ssize_t(*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64");
    ssize_t left = allowed(descriptor, "pwrite", bytes);
    return left < 0 ? left : real(descriptor, buffer, (size_t)left, offset);
}

ssize_t pread64(int descriptor, void *buffer, size_t bytes, off64_t offset) {
    ssize_t (*real)(int, void *, size_t, off64_t) =
        (ssize_t(*)(int, void *, size_t, off64_t))dlsym(RTLD_NEXT, "pread64");
    ssize_t left = allowed(descriptor, "pread", bytes);
    ssize_t moved = left < 0 ? left : real(descriptor, buffer, (size_t)left, offset);
    if (moved > 0 && concerns(descriptor, "flip")) {
        *(unsigned char *)buffer ^= 1;
    }
    return moved;
}
