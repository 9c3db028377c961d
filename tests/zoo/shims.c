/* Fake storages with known faults, preloaded by the zoo: WEIR_ZOO names the animal. They act on files whose
 * name has WEIR_ZOO_PATH in it.
 *
 * no-op-fsync, no-op-fadvise: the call returns success and does nothing. lost-writes: every seventh write.
 * sparse: a write only makes the file longer. zeros: a read gives zeros and asks nobody. stripped-direct,
 * lying-direct: O_DIRECT is taken away at the open; the liar still shows it. slow-rank: rank 1 takes 20 ms
 * longer for each transfer. stopped: rank 1 is stopped for 1 s at its tenth write and its tenth read.
 * half-zeros, all-zeros: every second read, or each, reads /dev/zero instead.
 * half-fadvise, most-fadvise: 52 or 88 % of the pages are dropped. wrong-hole: SEEK_HOLE reports a hole at
 * the offset that it is given. idle-names: mkdir and rmdir of mdtest's directories do nothing.
 * remembered-stat: a stat of mdtest's files is answered from memory. pass-through: all calls are passed on,
 * as a profiler does. clock, clock-rank: CLOCK_MONOTONIC and gettimeofday run 1.5 times too fast, on all
 * ranks or on rank 1. Only for captures of tests/golden/audit: short-writes, a pwrite takes half; stale-size,
 * rank 1 sees empty files; clock-step, a close sets the clock back by half of the time since the open;
 * kept-below, a rank's first 32 preads take 10 ms longer, as if a server kept what they read. */
#define _GNU_SOURCE
#define PRELOADS_OPENS
#include "preloaded.h"
#include <signal.h>
#include <time.h>

static int rank_one(void) {
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    return rank != NULL && strcmp(rank, "1") == 0;
}

int fsync(int descriptor) {
    REAL("fsync", fsync);
    return is("no-op-fsync") && concerns(descriptor) ? 0 : real(descriptor);
}

int fdatasync(int descriptor) {
    REAL("fdatasync", fdatasync);
    return is("no-op-fsync") && concerns(descriptor) ? 0 : real(descriptor);
}

static int advise(const char *name, int descriptor, off_t offset, off_t length, int advice) {
    REAL(name, posix_fadvise);
    struct stat facts;
    int percent = is("half-fadvise") ? 52 : is("most-fadvise") ? 88 : 0;
    if (percent > 0 && concerns(descriptor) && fstat(descriptor, &facts) == 0) {
        length = facts.st_size / 100 * percent;
    }
    return is("no-op-fadvise") && concerns(descriptor) ? 0 : real(descriptor, offset, length, advice);
}

static off_t seek(const char *name, int descriptor, off_t offset, int whence) {
    REAL(name, lseek);
    if ((whence != SEEK_HOLE && whence != SEEK_DATA) || !is("wrong-hole") || !concerns(descriptor)) {
        return real(descriptor, offset, whence);
    }
    errno = ENXIO;
    return whence == SEEK_HOLE ? offset : -1;
}

off_t lseek(int descriptor, off_t offset, int whence) {
    return seek("lseek", descriptor, offset, whence);
}

off_t lseek64(int descriptor, off_t offset, int whence) {
    return seek("lseek64", descriptor, offset, whence);
}

/* A child lets it go on. */
static void stand_still(int reads) {
    static int calls[2];
    if (!rank_one() || ++calls[reads] != 10) {
        return;
    }
    const pid_t own = getpid();
    if (fork() == 0) {
        const struct timespec rest = {1, 0};
        nanosleep(&rest, NULL);
        kill(own, SIGCONT);
        _exit(0);
    }
    raise(SIGSTOP);
}

static void dawdle(int descriptor, int reads) {
    if (is("stopped") && concerns(descriptor)) {
        stand_still(reads);
    }
    if (is("slow-rank") && rank_one() && concerns(descriptor)) {
        const struct timespec rest = {0, 20000000};
        nanosleep(&rest, NULL);
    }
}

static void fetch_slowly(int descriptor) {
    static int calls;
    if (is("kept-below") && concerns(descriptor) && calls++ < 32) {
        const struct timespec rest = {0, 10000000};
        nanosleep(&rest, NULL);
    }
}

static int loses_this(int descriptor) {
    static int calls;
    return is("lost-writes") && concerns(descriptor) && ++calls % 7 == 0;
}

static int stretches(int descriptor, off_t end) {
    return is("sparse") && concerns(descriptor) && lengthen(descriptor, end);
}

static ssize_t put(const char *name, int descriptor, const void *from, size_t bytes, off_t offset) {
    REAL(name, pwrite);
    dawdle(descriptor, 0);
    if (loses_this(descriptor) || stretches(descriptor, offset + (off_t)bytes)) {
        return (ssize_t)bytes;
    }
    if (is("short-writes") && concerns(descriptor) && bytes > 4096) {
        bytes /= 2;
    }
    return real(descriptor, from, bytes, offset);
}

/* The same where the descriptor keeps the offset, as IOR has it. */
ssize_t write(int descriptor, const void *from, size_t bytes) {
    REAL("write", write);
    dawdle(descriptor, 0);
    off_t offset = is("lost-writes") || is("sparse") ? lseek(descriptor, 0, SEEK_CUR) : -1;
    if (offset >= 0 && (loses_this(descriptor) || stretches(descriptor, offset + (off_t)bytes))) {
        lseek(descriptor, (off_t)bytes, SEEK_CUR);
        return (ssize_t)bytes;
    }
    return real(descriptor, from, bytes);
}

/* As many bytes from elsewhere, as the kernel counts them. */
static int reads_elsewhere(int descriptor, void *into, size_t bytes) {
    static int calls, zero = -1;
    if (!(is("all-zeros") || is("half-zeros")) || !concerns(descriptor) ||
        (is("half-zeros") && ++calls % 2 == 0)) {
        return 0;
    }
    zero = zero < 0 ? (int)syscall(SYS_openat, AT_FDCWD, "/dev/zero", O_RDONLY, 0) : zero;
    return syscall(SYS_read, zero, into, bytes) == (long)bytes;
}

ssize_t read(int descriptor, void *into, size_t bytes) {
    REAL("read", read);
    dawdle(descriptor, 1);
    if (reads_elsewhere(descriptor, into, bytes)) {
        lseek(descriptor, (off_t)bytes, SEEK_CUR);
        return (ssize_t)bytes;
    }
    if (is("zeros") && concerns(descriptor)) {
        memset(into, 0, bytes);
        lseek(descriptor, (off_t)bytes, SEEK_CUR);
        return (ssize_t)bytes;
    }
    return real(descriptor, into, bytes);
}

static ssize_t get(const char *name, int descriptor, void *into, size_t bytes, off_t offset) {
    REAL(name, pread);
    dawdle(descriptor, 1);
    fetch_slowly(descriptor);
    if (reads_elsewhere(descriptor, into, bytes)) {
        return (ssize_t)bytes;
    }
    if (is("zeros") && concerns(descriptor)) {
        memset(into, 0, bytes);
        return (ssize_t)bytes;
    }
    return real(descriptor, into, bytes, offset);
}

/* Set by a close; the clocks below are behind by so much from then on. */
static long long step_ns, opened_ns;

static long long real_ns(void) {
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static int opened(const char *name, const char *path, int flags, mode_t mode) {
    REAL(name, open);
    int stripped = (is("stripped-direct") || is("lying-direct")) && concerns_path(path);
    if (is("clock-step") && concerns_path(path)) {
        opened_ns = real_ns();
    }
    return real(path, stripped ? flags & ~O_DIRECT : flags, mode);
}

static int control(const char *name, int descriptor, int command, void *argument) {
    REAL(name, fcntl);
    int answer = real(descriptor, command, argument);
    return command == F_GETFL && answer >= 0 && is("lying-direct") && concerns(descriptor) ? answer | O_DIRECT
                                                                                           : answer;
}

int fcntl(int descriptor, int command, ...) {
    va_list more;
    va_start(more, command);
    void *argument = va_arg(more, void *);
    va_end(more);
    return control("fcntl", descriptor, command, argument);
}

int fcntl64(int descriptor, int command, ...) {
    va_list more;
    va_start(more, command);
    void *argument = va_arg(more, void *);
    va_end(more);
    return control("fcntl64", descriptor, command, argument);
}

static int is_item(const char *path, const char *part) {
    return concerns_path(path) && strstr(path, part) != NULL;
}

/* As a client with old attributes does. */
static int look(const char *name, const char *path, struct stat *facts) {
    REAL(name, stat);
    if (is("remembered-stat") && is_item(path, "/file.mdtest")) {
        memset(facts, 0, sizeof *facts);
        facts->st_mode = S_IFREG | 0600;
        return 0;
    }
    int answer = real(path, facts);
    if (answer == 0 && is("stale-size") && rank_one() && concerns_path(path)) {
        facts->st_size = 0;
    }
    return answer;
}

int stat(const char *restrict path, struct stat *restrict facts) {
    return look("stat", path, facts);
}

_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "both are one where off_t has 64 bits");

int stat64(const char *restrict path, struct stat64 *restrict facts) {
    return look("stat64", path, (struct stat *)facts);
}

int mkdir(const char *path, mode_t mode) {
    REAL("mkdir", mkdir);
    return is("idle-names") && is_item(path, "/dir.mdtest") ? 0 : real(path, mode);
}

int rmdir(const char *path) {
    REAL("rmdir", rmdir);
    return is("idle-names") && is_item(path, "/dir.mdtest") ? 0 : real(path);
}

int close(int descriptor) {
    REAL("close", close);
    if (is("clock-step") && concerns(descriptor) && opened_ns != 0) {
        step_ns = (real_ns() - opened_ns) / 2;
        opened_ns = 0;
    }
    return real(descriptor);
}

static int runs_fast(void) {
    return is("clock") || (is("clock-rank") && rank_one());
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    static __typeof__(clock_gettime) *real;
    if (real == NULL) {
        real = NEXT("clock_gettime", clock_gettime);
    }
    int answer = real(clock, now);
    if (clock == CLOCK_MONOTONIC && (runs_fast() || step_ns != 0)) {
        long long ns = now->tv_sec * 1000000000LL + now->tv_nsec;
        ns = step_ns != 0 ? ns - step_ns : ns / 2 * 3;
        now->tv_sec = ns / 1000000000LL;
        now->tv_nsec = ns % 1000000000LL;
    }
    return answer;
}

/* From the first call on: so the date stays what it is. */
int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    static __typeof__(gettimeofday) *real;
    static long long first_us;
    if (real == NULL) {
        real = NEXT("gettimeofday", gettimeofday);
    }
    int answer = real(now, zone);
    if (step_ns != 0) {
        long long us = now->tv_sec * 1000000LL + now->tv_usec - step_ns / 1000;
        now->tv_sec = us / 1000000LL;
        now->tv_usec = us % 1000000LL;
    }
    if (runs_fast()) {
        long long us = now->tv_sec * 1000000LL + now->tv_usec;
        first_us = first_us == 0 ? us : first_us;
        us += (us - first_us) / 2;
        now->tv_sec = us / 1000000LL;
        now->tv_usec = us % 1000000LL;
    }
    return answer;
}
