/* Nanoseconds of a pwrite and of a pread: cost FILE TRANSFER_BYTES FILE_BYTES [threads] [direct] [random] */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BATCHES     200
#define BATCH_BYTES (1l << 20) /* or one transfer: so short that some are without another process */
#define PAGE        4096

static char *buffer;
static long transfer_bytes, transfers;
static int is_random;

static double now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

static void *sleeper(void *unused) {
    pause();
    return unused;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The same offsets in each run: a pair differs by the witness alone. */
static off_t offset_of(long number) {
    static uint64_t state = 1;
    if (!is_random) {
        return number % transfers * transfer_bytes;
    }
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (off_t)(state >> 33) % transfers * transfer_bytes;
}

/* The lower decile of batches: another process on the core makes others longer, never shorter. */
static double cost_ns(int fd, int writes, long calls) {
    double times[BATCHES];
    long number = 0;
    for (int batch = 0; batch < BATCHES; batch++) {
        double began = now_ns();
        for (long i = 0; i < calls; i++) {
            off_t offset = offset_of(number++);
            ssize_t n = writes ? pwrite(fd, buffer, (size_t)transfer_bytes, offset)
                               : pread(fd, buffer, (size_t)transfer_bytes, offset);
            if (n != transfer_bytes) {
                exit(1);
            }
        }
        times[batch] = (now_ns() - began) / (double)calls;
    }
    qsort(times, BATCHES, sizeof times[0], ascending);
    return times[BATCHES / 10];
}

static int has(int argc, char **argv, const char *word) {
    for (int i = 4; i < argc; i++) {
        if (strcmp(argv[i], word) == 0) {
            return 1;
        }
    }
    return 0;
}

static void fill(int fd) {
    for (long i = 0; i < transfers; i++) {
        if (pwrite(fd, buffer, (size_t)transfer_bytes, i * transfer_bytes) != transfer_bytes) {
            exit(1);
        }
    }
}

int main(int argc, char **argv) {
    pthread_t thread;
    int is_direct = has(argc, argv, "direct");
    int fd = argc > 3 ? open(argv[1], O_RDWR | O_CREAT | (is_direct ? O_DIRECT : 0), 0600) : -1;
    if (fd < 0 || (has(argc, argv, "threads") && pthread_create(&thread, NULL, sleeper, NULL) != 0)) {
        return 1;
    }
    transfer_bytes = atol(argv[2]);
    transfers = atol(argv[3]) / transfer_bytes;
    is_random = has(argc, argv, "random");
    if (posix_memalign((void **)&buffer, PAGE, (size_t)transfer_bytes) != 0) {
        return 1;
    }
    memset(buffer, 1, (size_t)transfer_bytes);
    fill(fd); /* pages, or blocks, that are there from now on */
    long calls = BATCH_BYTES / transfer_bytes / (is_direct ? 16 : 1);
    double write_ns = cost_ns(fd, 1, calls > 1 ? calls : 1);
    printf("%.2f %.2f\n", write_ns, cost_ns(fd, 0, calls > 1 ? calls : 1));
    return 0;
}
