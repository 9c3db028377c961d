/* What one operation costs through an interface, and how many bytes pass it: processes write and read one
 * shared file.
 *
 *   cost --interface native|system --path FILE --xfer BYTES --file BYTES [--ranks N] [--random] [--repeat N]
 * [--keep]
 *
 * Each rank owns every N-th transfer of the file. Prints one JSON line per repetition and access. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "interfaces.h"
#include "options.h"

struct settings {
    bool mounted;
    bool random;
    bool keep;
    const char *path;
    size_t xfer_bytes;
    size_t file_bytes;
    unsigned ranks;
    unsigned repeat;
};

struct shared {
    pthread_barrier_t barrier;
    double began_s[64];
    double ended_s[64];
};

static struct settings settings = {.xfer_bytes = 16384, .file_bytes = 64 << 20, .ranks = 1, .repeat = 3};
static struct shared *shared;

static double now_s(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static size_t *order_of(unsigned rank, size_t *count) {
    size_t all = settings.file_bytes / settings.xfer_bytes;
    size_t *order = malloc((all / settings.ranks + 1) * sizeof *order);
    unsigned seed = 17 + rank;
    *count = 0;
    for (size_t i = rank; i < all; i += settings.ranks) {
        order[(*count)++] = i;
    }
    for (size_t i = *count; settings.random && i > 1; i--) {
        size_t j = (size_t)rand_r(&seed) % i;
        size_t kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
    return order;
}

static void move(unsigned rank, bool write) {
    size_t count;
    size_t *order = order_of(rank, &count);
    char *buffer = aligned_alloc(4096, (settings.xfer_bytes + 4095) / 4096 * 4096);
    int fd = io_open(settings.mounted, settings.path, write ? O_RDWR | O_CREAT : O_RDONLY, 0644);
    if (fd < 0 || buffer == NULL) {
        fail(settings.path);
    }
    memset(buffer, (int)rank + 1, settings.xfer_bytes);
    pthread_barrier_wait(&shared->barrier);
    shared->began_s[rank] = now_s();
    for (size_t i = 0; i < count; i++) {
        off_t offset = (off_t)(order[i] * settings.xfer_bytes);
        ssize_t n = write ? io_pwrite(settings.mounted, fd, buffer, settings.xfer_bytes, offset)
                          : io_pread(settings.mounted, fd, buffer, settings.xfer_bytes, offset);
        if (n != (ssize_t)settings.xfer_bytes) {
            fail(write ? "pwrite" : "pread");
        }
    }
    shared->ended_s[rank] = now_s();
    if (!write && count > 0 &&
        (buffer[0] != (char)(rank + 1) || memcmp(buffer, buffer + 1, settings.xfer_bytes - 1) != 0)) {
        errno = EILSEQ;
        fail("the last transfer read is not what was written");
    }
    pthread_barrier_wait(&shared->barrier);
    io_close(settings.mounted, fd);
    free(order);
    free(buffer);
}

static void report(const char *access) {
    double began = shared->began_s[0];
    double ended = shared->ended_s[0];
    for (unsigned i = 1; i < settings.ranks; i++) {
        began = shared->began_s[i] < began ? shared->began_s[i] : began;
        ended = shared->ended_s[i] > ended ? shared->ended_s[i] : ended;
    }
    size_t operations = settings.file_bytes / settings.xfer_bytes;
    printf("{\"access\": \"%s\", \"xfer_bytes\": %zu, \"ranks\": %u, \"random\": %s, \"operations\": %zu, "
           "\"op_us\": %.4f, \"bw_mib_s\": %.2f}\n",
           access, settings.xfer_bytes, settings.ranks, settings.random ? "true" : "false", operations,
           (ended - began) * 1e6 * settings.ranks / (double)operations,
           (double)(operations * settings.xfer_bytes) / 1048576 / (ended - began));
    fflush(stdout);
}

static void run_rank(unsigned rank) {
    for (unsigned i = 0; i < settings.repeat; i++) {
        for (int access = 0; access < 2; access++) {
            move(rank, access == 0);
            pthread_barrier_wait(&shared->barrier);
            if (rank == 0) {
                report(access == 0 ? "write" : "read");
            }
        }
        if (rank == 0 && !settings.keep) {
            io_unlink(settings.mounted, settings.path);
        }
        pthread_barrier_wait(&shared->barrier);
    }
    exit(0);
}

static void parse(int argc, char **argv) {
    const char *interface = "native";
    const struct option_of options[] = {{"interface", .text = &interface},
                                        {"path", .text = &settings.path},
                                        {"xfer", .number = &settings.xfer_bytes},
                                        {"file", .number = &settings.file_bytes},
                                        {"ranks", .count = &settings.ranks},
                                        {"random", .flag = &settings.random},
                                        {"keep", .flag = &settings.keep},
                                        {"repeat", .count = &settings.repeat},
                                        {.name = NULL}};
    read_options(argc, argv, options);
    settings.mounted = strcmp(interface, "system") == 0;
    if (settings.path == NULL || settings.ranks == 0 || settings.ranks > 64 || settings.xfer_bytes == 0) {
        exit(2);
    }
}

int main(int argc, char **argv) {
    pthread_barrierattr_t attributes;
    int worst = 0;
    parse(argc, argv);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_barrierattr_init(&attributes);
    pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&shared->barrier, &attributes, settings.ranks);
    for (unsigned rank = 0; rank < settings.ranks; rank++) {
        if (fork() == 0) {
            run_rank(rank);
        }
    }
    for (int status; wait(&status) > 0;) {
        worst = status != 0 ? 1 : worst;
    }
    return worst;
}
