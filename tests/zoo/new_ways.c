/* Moves 48 MiB of a file by what Linux has since a few years, and prints what dd prints: `new-ways HOW FILE`.
 * HOW has some of:
 *
 *   read, write   with a synchronisation at the end of a write
 *   into          writes over what the file has
 *   uncached      RWF_DONTCACHE (Linux 6.14): the pages leave the cache when the transfer ended
 *   ring          by a queue of io_uring, which is mapped by system calls, as liburing does
 *   own           the queue is in the program's own memory (Linux 6.5), so that it needs no mapping
 *   hidden        likewise, and the queue has no descriptor either
 *   thread        a thread of the kernel takes the requests, so that there are no system calls
 *   pages         a page of each 64 KiB is written, and the result has these bytes alone
 *   most          likewise, and the result has all bytes
 *   maps          a page of the file is mapped, for nothing
 *   idle          nothing is moved, and the result has all bytes */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define BLOCK     (1u << 20)
#define BLOCKS    48u
#define PAGE      4096u
#define APART     65536u
#define REQUESTS  8u
#define UNCACHED  0x80       /* RWF_DONTCACHE */
#define OWN_RINGS (1u << 14) /* IORING_SETUP_NO_MMAP */
#define NO_FD     (1u << 15) /* IORING_SETUP_REGISTERED_FD_ONLY */
#define BY_NUMBER (1u << 4)  /* IORING_ENTER_REGISTERED_RING */
#define USER_ADDR 4          /* of the offsets of a ring, in units of 8 bytes */

static struct io_uring_params params;
static struct io_uring_sqe *requests;
static char *rings, *block;
static int ring;

static int has(const char *how, const char *word) {
    return strstr(how, word) != NULL;
}

static void check(int is_good, const char *what) {
    if (!is_good) {
        perror(what);
        exit(1);
    }
}

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void *mapped(size_t bytes, int flags, int fd, long offset) {
    void *at = (void *)syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, offset);
    check(at != MAP_FAILED, "mmap");
    return at;
}

static void begin(const char *how) {
    int is_own = has(how, "own") || has(how, "hidden");
    if (is_own) {
        uint64_t addresses[2];
        rings = mapped(2 * PAGE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        requests = (struct io_uring_sqe *)(rings + PAGE);
        addresses[0] = (uint64_t)(uintptr_t)rings;
        addresses[1] = (uint64_t)(uintptr_t)requests;
        memcpy((uint64_t *)&params.cq_off + USER_ADDR, &addresses[0], sizeof addresses[0]);
        memcpy((uint64_t *)&params.sq_off + USER_ADDR, &addresses[1], sizeof addresses[1]);
        params.flags = OWN_RINGS | (has(how, "hidden") ? NO_FD : 0);
    }
    params.flags |= has(how, "thread") ? IORING_SETUP_SQPOLL : 0;
    params.sq_thread_idle = 2000;
    ring = (int)syscall(SYS_io_uring_setup, REQUESTS, &params);
    check(ring >= 0, "io_uring_setup");
    if (!is_own) {
        size_t bytes = params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe);
        rings = mapped(bytes, MAP_SHARED, ring, IORING_OFF_SQ_RING);
        requests = mapped(REQUESTS * sizeof *requests, MAP_SHARED, ring, IORING_OFF_SQES);
    }
}

static _Atomic unsigned *word(unsigned offset) {
    return (_Atomic unsigned *)(rings + offset);
}

/* One request at a time. */
static int done(int operation, int fd, unsigned bytes, uint64_t offset, int flags) {
    unsigned tail = *word(params.sq_off.tail), at = tail & *word(params.sq_off.ring_mask);
    struct io_uring_sqe request = {.opcode = (unsigned char)operation, .fd = fd, .off = offset};
    request.addr = bytes > 0 ? (uint64_t)(uintptr_t)block : 0;
    request.len = bytes;
    request.rw_flags = flags;
    requests[at] = request;
    *word(params.sq_off.array + 4 * at) = at;
    *word(params.sq_off.tail) = tail + 1;
    unsigned how = (params.flags & NO_FD) != 0 ? BY_NUMBER : 0;
    if ((params.flags & IORING_SETUP_SQPOLL) == 0) {
        check(syscall(SYS_io_uring_enter, ring, 1, 1, how | IORING_ENTER_GETEVENTS, NULL, 0) == 1, "enter");
    } else if ((*word(params.sq_off.flags) & IORING_SQ_NEED_WAKEUP) != 0) {
        syscall(SYS_io_uring_enter, ring, 1, 0, how | IORING_ENTER_SQ_WAKEUP, NULL, 0);
    }
    unsigned head = *word(params.cq_off.head);
    while (*word(params.cq_off.tail) == head) {
        usleep(50);
    }
    unsigned from = head & *word(params.cq_off.ring_mask);
    int result = ((struct io_uring_cqe *)(rings + params.cq_off.cqes))[from].res;
    *word(params.cq_off.head) = head + 1;
    check(result >= 0, "request");
    return result;
}

static long moved(const char *how, int fd, off_t at) {
    int is_write = has(how, "write"), flags = has(how, "uncached") ? UNCACHED : 0;
    struct iovec whole = {block, BLOCK};
    if (has(how, "idle")) {
        usleep(5000);
        return BLOCK;
    }
    if (has(how, "pages") || has(how, "most")) {
        for (unsigned part = 0; part < BLOCK; part += APART) {
            check(pwrite(fd, block + part, PAGE, at + part) == PAGE, "pwrite");
        }
        return has(how, "most") ? BLOCK : BLOCK / APART * PAGE;
    }
    if (has(how, "ring")) {
        return done(is_write ? IORING_OP_WRITE : IORING_OP_READ, fd, BLOCK, (uint64_t)at, flags);
    }
    long bytes = is_write ? pwritev2(fd, &whole, 1, at, flags) : preadv2(fd, &whole, 1, at, flags);
    check(bytes >= 0, "transfer");
    return bytes;
}

int main(int count, char **arguments) {
    if (count < 3) {
        return 2;
    }
    const char *how = arguments[1];
    int is_write = has(how, "write"), random = open("/dev/urandom", O_RDONLY), begins = has(how, "into");
    block = mapped(BLOCK, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(read(random, block, BLOCK) == BLOCK, "urandom");
    if (has(how, "ring")) {
        begin(how);
    }
    int fd = open(arguments[2], is_write ? O_RDWR | O_CREAT | (begins ? 0 : O_TRUNC) : O_RDONLY, 0600);
    check(fd >= 0, arguments[2]);
    check(!has(how, "maps") || mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0) != MAP_FAILED, "mmap");
    double began_s = now_s();
    long long bytes = 0;
    for (unsigned i = 0; i < BLOCKS; i++) {
        bytes += moved(how, fd, (off_t)i * BLOCK);
    }
    if (is_write && !has(how, "most")) {
        check((has(how, "ring") ? done(IORING_OP_FSYNC, fd, 0, 0, 0) : fsync(fd)) == 0, "fsync");
    }
    double lasted_s = now_s() - began_s;
    fprintf(stderr, "%lld+0 records in\n%lld+0 records out\n", bytes / BLOCK, bytes / BLOCK);
    fprintf(stderr, "%lld bytes copied, %.6f s, %.1f MB/s\n", bytes, lasted_s,
            (double)bytes / lasted_s / 1e6);
    return 0;
}
