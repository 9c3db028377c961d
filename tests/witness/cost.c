/* Nanoseconds of a 4 KiB pwrite and pread: cost FILE [threads] */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define BLOCK   4096
#define BLOCKS  256
#define BATCHES 300

static char buffer[BLOCK];

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

/* The lower decile of batches: another process on the core makes others longer, never shorter. */
static double cost_ns(int fd, int writes) {
    double times[BATCHES];
    for (int batch = 0; batch < BATCHES; batch++) {
        double began = now_ns();
        for (long i = 0; i < BLOCKS; i++) {
            ssize_t n = writes ? pwrite(fd, buffer, BLOCK, i * BLOCK) : pread(fd, buffer, BLOCK, i * BLOCK);
            if (n != BLOCK) {
                exit(1);
            }
        }
        times[batch] = (now_ns() - began) / BLOCKS;
    }
    qsort(times, BATCHES, sizeof times[0], ascending);
    return times[BATCHES / 10];
}

int main(int argc, char **argv) {
    int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT, 0600) : -1;
    pthread_t thread;
    if (fd < 0 || (argc > 2 && pthread_create(&thread, NULL, sleeper, NULL) != 0)) {
        return 1;
    }
    cost_ns(fd, 1); /* pages that are there from now on */
    double write_ns = cost_ns(fd, 1);
    printf("%.2f %.2f\n", write_ns, cost_ns(fd, 0));
    return 0;
}
