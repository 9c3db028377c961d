/* Fake storages that do something else than they were told: WEIR_ZOO names the animal, as in shims.c.
 *
 * withdrawn: a synchronisation first takes the bytes away again (ftruncate), so that there
 * is nothing left to store. folded: every write lands on the first MiB of the file, which is made as long as
 * it should be. folded-reads: every read takes the first MiB. reserved: blocks are reserved, nothing is
 * written. late-fsync: a thread synchronises later. elsewhere: the file is opened in /dev/shm. linked:
 * mdtest's files are names of its first one. binned: what mdtest removes is renamed. one-file:
 * all operations of mdtest are at its first file. partial-clock: gettimeofday runs at 85 %, but not for
 * the witness. fetched-again, fetched-by-child: what is dropped from the page cache is read again at once, by
 * the process itself or a child. */
#define _GNU_SOURCE
#define PRELOADS_OPENS
#include "preloaded.h"
#include <pthread.h>
#include <sys/wait.h>

#define FOLD (1 << 20)

static void *synchronise_later(void *descriptor) {
    sleep(2);
    fdatasync((int)(intptr_t)descriptor);
    return NULL;
}

int fsync(int descriptor) {
    REAL("fsync", fsync);
    struct stat facts;
    pthread_t thread;
    if (!concerns(descriptor) || fstat(descriptor, &facts) != 0) {
        return real(descriptor);
    }
    if (is("withdrawn") && (ftruncate(descriptor, 0) != 0 || ftruncate(descriptor, facts.st_size) != 0)) {
        return -1;
    }
    if (is("late-fsync")) {
        return pthread_create(&thread, NULL, synchronise_later, (void *)(intptr_t)dup(descriptor));
    }
    return real(descriptor);
}

static ssize_t put(const char *name, int descriptor, const void *from, size_t bytes, off_t offset) {
    REAL(name, pwrite);
    if (is("reserved") && concerns(descriptor)) {
        return fallocate(descriptor, 0, offset, (off_t)bytes) == 0 ? (ssize_t)bytes : -1;
    }
    if (is("folded") && concerns(descriptor) && lengthen(descriptor, offset + (off_t)bytes)) {
        offset %= FOLD;
    }
    return real(descriptor, from, bytes, offset);
}

ssize_t write(int descriptor, const void *from, size_t bytes) {
    REAL("write", write);
    if ((is("folded") || is("reserved")) && concerns(descriptor)) {
        off_t offset = lseek(descriptor, (off_t)bytes, SEEK_CUR) - (off_t)bytes;
        return put("pwrite64", descriptor, from, bytes, offset);
    }
    return real(descriptor, from, bytes);
}

static ssize_t get(const char *name, int descriptor, void *into, size_t bytes, off_t offset) {
    REAL(name, pread);
    return real(descriptor, into, bytes, is("folded-reads") && concerns(descriptor) ? offset % FOLD : offset);
}

ssize_t read(int descriptor, void *into, size_t bytes) {
    REAL("read", read);
    if (is("folded-reads") && concerns(descriptor)) {
        off_t offset = lseek(descriptor, (off_t)bytes, SEEK_CUR) - (off_t)bytes;
        return get("pread64", descriptor, into, bytes, offset);
    }
    return real(descriptor, into, bytes);
}

/* The first file of mdtest has bytes and an inode; the others are its names. */
static int made_as_a_link(const char *path) {
    static char first[PATH_BYTES];
    if (!is("linked") || !concerns_path(path) || strstr(path, "/file.mdtest") == NULL) {
        return 0;
    }
    if (first[0] == '\0') {
        snprintf(first, sizeof first, "%s", path);
        return 0;
    }
    return link(first, path) == 0;
}

static const char *led(const char *path) {
    static char first[PATH_BYTES];
    if (!is("one-file") || !concerns_path(path) || strstr(path, "/file.mdtest") == NULL) {
        return path;
    }
    if (first[0] == '\0') {
        snprintf(first, sizeof first, "%s", path);
    }
    return first;
}

int stat(const char *restrict path, struct stat *restrict facts) {
    REAL("stat", stat);
    return real(led(path), facts);
}

static int opened(const char *name, const char *path, int flags, mode_t mode) {
    REAL(name, open);
    char other[PATH_BYTES];
    if (is("elsewhere") && concerns_path(path) && strstr(path, "/data") != NULL) {
        snprintf(other, sizeof other, "/dev/shm/%s%s", getenv("WEIR_ZOO_PATH"), strrchr(path, '/'));
        return real(other, flags & ~O_DIRECT, mode);
    }
    if ((flags & O_CREAT) != 0 && made_as_a_link(path)) {
        flags &= ~O_CREAT;
    }
    return real(led(path), is("one-file") ? flags & ~O_EXCL : flags, mode);
}

int unlink(const char *path) {
    REAL("unlink", unlink);
    static unsigned count;
    char other[PATH_BYTES];
    if (is("one-file") && concerns_path(path)) {
        return real(led(path)) != 0 && errno != ENOENT ? -1 : 0;
    }
    if (!is("binned") || !concerns_path(path) || strstr(path, "/file.mdtest") == NULL) {
        return real(path);
    }
    const char *root = strstr(path, getenv("WEIR_ZOO_PATH"));
    snprintf(other, sizeof other, "%.*s%s/bin-%d-%u", (int)(root - path), path, getenv("WEIR_ZOO_PATH"),
             (int)getpid(), count++);
    return rename(path, other);
}

/* The library that watches gets the true time: it compares clocks. */
int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    REAL("gettimeofday", gettimeofday);
    static long long first_us;
    Dl_info caller;
    int answer = real(now, zone);
    if (!is("partial-clock") || dladdr(__builtin_return_address(0), &caller) == 0 ||
        strstr(caller.dli_fname, "witness") != NULL) {
        return answer;
    }
    long long us = now->tv_sec * 1000000LL + now->tv_usec;
    first_us = first_us == 0 ? us : first_us;
    us = first_us + (us - first_us) * 85 / 100;
    now->tv_sec = us / 1000000LL;
    now->tv_usec = us % 1000000LL;
    return answer;
}

static void fetch(int descriptor) {
    static char block[FOLD];
    off_t at = 0;
    for (long bytes; (bytes = syscall(SYS_pread64, descriptor, block, sizeof block, at)) > 0;) {
        at += bytes;
    }
}

static int advise(const char *name, int descriptor, off_t offset, off_t length, int advice) {
    REAL(name, posix_fadvise);
    int answer = real(descriptor, offset, length, advice);
    if (answer != 0 || advice != POSIX_FADV_DONTNEED || !concerns(descriptor)) {
        return answer;
    }
    if (is("fetched-again")) {
        fetch(descriptor);
    } else if (is("fetched-by-child")) {
        pid_t child = fork();
        if (child == 0) {
            fetch(descriptor);
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
    return answer;
}
