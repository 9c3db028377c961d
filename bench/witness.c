/* The cost of libweir-witness for a transfer, within one process that has it preloaded: short blocks of calls
 * as a program makes them, in turns with blocks of calls past the witness. Behind both of them is
 * witness_behind.c, which tells how long the C library took, so that what the witness adds is not lost in how
 * the times of transfers scatter.
 *
 *   witness FILE TRANSFER_BYTES FILE_BYTES SECONDS [direct] [random] [sync] [threads]
 *
 * Prints a line for each pair of blocks: write or read; outside or whole; nanoseconds of a transfer past the
 * witness and through it: those that were not within the C library, or, of other pairs whose calls are not
 * timed one by one, all. At the end the processor time of all other threads in parts of a million of the time
 * that passed. With `count TRANSFERS read|write through|past` in place of SECONDS it makes so many and prints
 * nothing, for a counter of instructions. */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BLOCK_BYTES        (1l << 20)
#define BLOCK_BYTES_STORED (1l << 18) /* where each has to come to a disk */
#define BLOCK_BYTES_MOST   (1l << 24)
#define BLOCK_TRANSFERS    16 /* at least: not after each one the library looks at the descriptor */
#define PAIRS_MOST         4000
#define WARM_UP            64 /* transfers in memory, synchronisations on a disk */
#define PAGE               4096

struct calls {
    ssize_t (*write)(int, const void *, size_t, off_t);
    ssize_t (*read)(int, void *, size_t, off_t);
    int (*sync)(int);
};

static struct calls past, through;
static char *buffer;
static long transfer_bytes, transfers, block_transfers;
static int is_random, is_synchronised, is_stored;
static const double *inside_ns; /* of the last call: within the C library */
static int *is_timed;           /* whether that is told */

static double now_ns(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static void *sleeper(void *unused) {
    pause();
    return unused;
}

static void find_calls(struct calls *calls, void *library) {
    *(void **)&calls->write = dlsym(library, "pwrite");
    *(void **)&calls->read = dlsym(library, "pread");
    *(void **)&calls->sync = dlsym(library, "fsync");
}

static off_t offset_of(long number) {
    uint64_t mixed = (uint64_t)number * 6364136223846793005u + 1442695040888963407u;
    return (is_random ? (off_t)(mixed >> 33) : number) % transfers * transfer_bytes;
}

/* The number of the last one of a block is a synchronisation, where there are any. */
static void make_call(const struct calls *calls, int fd, int writes, long block, long i) {
    size_t size = (size_t)transfer_bytes;
    off_t offset = offset_of(block * block_transfers + i);
    int is_done = i == block_transfers ? calls->sync(fd) == 0
                  : writes             ? calls->write(fd, buffer, size, offset) == transfer_bytes
                                       : calls->read(fd, buffer, size, offset) == transfer_bytes;
    if (!is_done) {
        perror("transfer");
        exit(1);
    }
}

static double whole_ns(const struct calls *calls, int fd, int writes, long block) {
    long count = block_transfers + (writes && is_synchronised);
    double began_ns = now_ns(CLOCK_MONOTONIC);
    for (long i = 0; i < count; i++) {
        make_call(calls, fd, writes, block, i);
    }
    return (now_ns(CLOCK_MONOTONIC) - began_ns) / (double)block_transfers;
}

static double outside_ns(const struct calls *calls, int fd, int writes, long block) {
    long count = block_transfers + (writes && is_synchronised);
    double sum_ns = 0;
    for (long i = 0; i < count; i++) {
        double began_ns = now_ns(CLOCK_MONOTONIC);
        make_call(calls, fd, writes, block, i);
        sum_ns += now_ns(CLOCK_MONOTONIC) - began_ns - *inside_ns;
    }
    return sum_ns / (double)block_transfers;
}

/* Both blocks of a pair are at the same places, and each comes first in every second pair of its kind. */
static void time_pairs(int fd, int writes, double seconds) {
    double until_ns = now_ns(CLOCK_MONOTONIC) + 1e9 * seconds;
    for (long pair = 0; pair < 2 || (pair < PAIRS_MOST && now_ns(CLOCK_MONOTONIC) < until_ns); pair++) {
        double spent_ns[2];
        *is_timed = pair % 2;
        for (int turn = 0; turn < 2; turn++) {
            int which = (turn + (int)(pair / 2)) % 2;
            spent_ns[which] = (*is_timed ? outside_ns : whole_ns)(which ? &through : &past, fd, writes, pair);
        }
        printf("%s %s %.2f %.2f\n", writes ? "write" : "read", *is_timed ? "outside" : "whole", spent_ns[0],
               spent_ns[1]);
    }
}

/* The first transfers of a file are all looked at, and those in memory compared with it; after the first
 * synchronisations of a process pages are. */
static void warm_up(int fd) {
    for (long i = 0; i < (is_stored ? 0 : WARM_UP); i++) {
        make_call(&through, fd, 1, 0, i % block_transfers);
        make_call(&through, fd, 0, 0, i % block_transfers);
    }
    for (long i = 0; i < (is_synchronised ? WARM_UP : 0); i++) {
        through.sync(fd);
    }
}

static int has(int argc, char **argv, const char *word) {
    for (int i = 4; i < argc; i++) {
        if (strcmp(argv[i], word) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Pages, or blocks, that are there from now on; they may be already. */
static void fill(int fd) {
    if (lseek(fd, 0, SEEK_END) == transfers * transfer_bytes) {
        return;
    }
    for (long i = 0; i < transfers; i++) {
        if (past.write(fd, buffer, (size_t)transfer_bytes, i * transfer_bytes) != transfer_bytes) {
            perror("fill");
            exit(1);
        }
    }
    past.sync(fd);
}

static void begin(int argc, char **argv) {
    pthread_t thread;
    if (has(argc, argv, "threads") && pthread_create(&thread, NULL, sleeper, NULL) != 0) {
        exit(1);
    }
    find_calls(&through, RTLD_DEFAULT);
    inside_ns = dlsym(RTLD_DEFAULT, "witness_inside_ns");
    is_timed = dlsym(RTLD_DEFAULT, "witness_is_timed");
    void *behind =
        getenv("WITNESS_BEHIND") ? dlopen(getenv("WITNESS_BEHIND"), RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (behind != NULL) {
        find_calls(&past, behind);
    }
    if (inside_ns == NULL || is_timed == NULL || through.write == past.write || past.sync == NULL) {
        fputs("the witness and what is behind it are not preloaded\n", stderr);
        exit(2);
    }
    transfer_bytes = atol(argv[2]);
    transfers = atol(argv[3]) / transfer_bytes;
    is_random = has(argc, argv, "random");
    is_synchronised = has(argc, argv, "sync");
    is_stored = is_synchronised || has(argc, argv, "direct");
    block_transfers = (is_stored ? BLOCK_BYTES_STORED : BLOCK_BYTES) / transfer_bytes;
    long most = BLOCK_BYTES_MOST / transfer_bytes;
    long least = BLOCK_TRANSFERS < most ? BLOCK_TRANSFERS : most;
    block_transfers = block_transfers > least ? block_transfers : least;
    if (posix_memalign((void **)&buffer, PAGE, (size_t)transfer_bytes) != 0) {
        exit(1);
    }
    memset(buffer, 1, (size_t)transfer_bytes);
}

int main(int argc, char **argv) {
    if (argc < 5) {
        return 2;
    }
    begin(argc, argv);
    int fd = open(argv[1], O_RDWR | O_CREAT | (has(argc, argv, "direct") ? O_DIRECT : 0), 0600);
    if (fd < 0) {
        perror(argv[1]);
        return 1;
    }
    fill(fd);
    if (strcmp(argv[4], "count") == 0) {
        const struct calls *calls = has(argc, argv, "through") ? &through : &past;
        for (long i = 0; i < atol(argv[5]); i++) {
            make_call(calls, fd, has(argc, argv, "write"), i / block_transfers, i % block_transfers);
        }
        return 0;
    }
    warm_up(fd);
    double began_ns = now_ns(CLOCK_MONOTONIC);
    for (int writes = 1; writes >= is_synchronised; writes--) {
        time_pairs(fd, writes, atof(argv[4]));
    }
    double others_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID) - now_ns(CLOCK_THREAD_CPUTIME_ID);
    printf("others %.2f\n", 1e6 * others_ns / (now_ns(CLOCK_MONOTONIC) - began_ns));
    return 0;
}
