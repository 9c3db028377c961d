/* Reads a file and prints what dd prints, after it fetched the file, or another one, by other means:
 * `early-reader HOW FILE [OTHER]`, HOW one of:
 *
 *   plain      by reads alone (the honest twin)
 *   advice     POSIX_FADV_WILLNEED, half a second before the clock starts
 *   ahead      readahead(2), likewise
 *   populate   a mapping that is filled, likewise
 *   late       one block is read first, then as advice
 *   around     readahead(2) around the C library, and a byte is read now and then, until it has all
 *   along      the same within the time (the honest twin of it)
 *   maps       OTHER is read through a mapping while FILE is read
 *   later      OTHER is read around the C library, after the clock stopped
 *   waits      as advice, within the time (the honest twin of it) */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define BLOCK (1u << 20)
#define STEP  (1u << 16) /* the kernel cuts advice at what its device takes in one request */

static char block[BLOCK];

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void fetch(const char *how, int fd, size_t bytes) {
    if (strcmp(how, "advice") == 0 || strcmp(how, "late") == 0 || strcmp(how, "waits") == 0) {
        for (size_t at = 0; at < bytes; at += STEP) {
            posix_fadvise(fd, (off_t)at, STEP, POSIX_FADV_WILLNEED);
        }
    } else if (strcmp(how, "ahead") == 0) {
        for (size_t at = 0; at < bytes; at += STEP) {
            readahead(fd, (off_t)at, STEP);
        }
    } else if (strcmp(how, "populate") == 0) {
        mmap(NULL, bytes, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
    }
    usleep(500000);
}

/* No library sees it. */
static long system_call(long number, long first, long second, long third) {
#ifdef __x86_64__
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(first), "S"(second), "d"(third)
                     : "rcx", "r11", "memory");
    return result;
#else
    return syscall(number, first, second, third);
#endif
}

static void fetch_around(int fd, size_t bytes) {
    system_call(SYS_readahead, fd, 0, 4096);
    for (size_t at = 0; at < bytes; at += BLOCK) {
        usleep(50000);
        if (pread(fd, block, 1, 0) != 1 || system_call(SYS_readahead, fd, (long)at, BLOCK) != 0) {
            exit(1);
        }
    }
    usleep(500000);
}

static long touch(const char *path) {
    struct stat facts;
    long sum = 0;
    int fd = open(path, O_RDONLY);
    fstat(fd, &facts);
    const char *map = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_SHARED, fd, 0);
    for (off_t at = 0; map != MAP_FAILED && at < facts.st_size; at += 4096) {
        sum += map[at];
    }
    return sum;
}

static void read_around(const char *path) {
    int fd = open(path, O_RDONLY);
    while (system_call(SYS_read, fd, (long)block, BLOCK) > 0) {
    }
}

int main(int count, char **arguments) {
    struct stat facts;
    if (count < 3) {
        return 2;
    }
    const char *how = arguments[1];
    int fd = open(arguments[2], O_RDONLY);
    if (fd < 0 || fstat(fd, &facts) != 0) {
        return 1;
    }
    if (strcmp(how, "late") == 0 && pread(fd, block, 4096, 0) != 4096) {
        return 1;
    }
    double began_s = now_s();
    if (strcmp(how, "around") == 0 || strcmp(how, "along") == 0) {
        fetch_around(fd, (size_t)facts.st_size);
    } else if (strcmp(how, "plain") != 0 && strcmp(how, "maps") != 0) {
        fetch(how, fd, (size_t)facts.st_size);
    }
    began_s = strcmp(how, "waits") == 0 || strcmp(how, "along") == 0 ? began_s : now_s();
    long long moved = 0;
    for (ssize_t bytes; (bytes = read(fd, block, BLOCK)) > 0;) {
        moved += bytes;
    }
    double lasted_s = now_s() - began_s;
    long sum = count > 3 && strcmp(how, "maps") == 0 ? touch(arguments[3]) : 0;
    if (strcmp(how, "later") == 0) {
        read_around(arguments[3]);
    }
    fprintf(stderr, "%lld+0 records in\n%lld+0 records out\n", moved / BLOCK, moved / BLOCK);
    fprintf(stderr, "%lld bytes copied, %.6f s, %.1f MB/s\n", moved, lasted_s,
            (double)moved / lasted_s / 1e6);
    return sum == 1;
}
