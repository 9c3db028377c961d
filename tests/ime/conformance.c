/* The store against a plain directory: processes take turns at random operations, do each on both and compare
 * what they return, read and see. Seeded; the first difference ends the run with the operation that showed
 * it.
 *
 *   conformance --store DIR --model DIR [--mount DIR] [--operations N] [--seed S] [--workers W]
 *
 * With --mount every second open, on the average, goes through the mount instead of the library. */
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "conformance.h"
#include "ime_native.h"
#include "options.h"

#define MAX_WORKERS 16

struct settings settings = {.operations = 5000, .seed = 1, .workers = 4};
struct shared *shared;

void pass_turn(void) {
    atomic_fetch_add(&shared->turn, 1);
    syscall(SYS_futex, &shared->turn, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void work(unsigned self) {
    ime_native_init();
    for (;;) {
        uint32_t turn = atomic_load(&shared->turn);
        if (turn >= settings.operations || atomic_load(&shared->failed) != 0) {
            break;
        }
        if (owner_of(turn) != self) {
            struct timespec limit = {0, 20000000};
            syscall(SYS_futex, &shared->turn, FUTEX_WAIT, turn, &limit, NULL, 0);
            continue;
        }
        do_operation(turn);
        pass_turn();
    }
    close_all();
    ime_native_finalize();
    exit(0);
}

static pid_t start(unsigned self) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        work(self);
    }
    return child;
}

/* Workers that were killed are replaced: their descriptors are gone, on both sides. */
static int supervise(void) {
    pid_t workers[MAX_WORKERS];
    unsigned running = settings.workers;
    unsigned kills = 0;
    int status;
    int worst = 0;
    for (unsigned i = 0; i < settings.workers; i++) {
        workers[i] = start(i);
    }
    while (running > 0) {
        pid_t ended = wait(&status);
        for (unsigned i = 0; i < settings.workers; i++) {
            if (workers[i] != ended) {
                continue;
            }
            if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
                kills++;
                workers[i] = start(i);
            } else {
                running--;
                worst = status != 0 ? 1 : worst;
                if (status != 0) {
                    atomic_store(&shared->failed, 1);
                }
            }
        }
    }
    printf("%u operations, %llu comparisons, %u kills, %s\n", atomic_load(&shared->turn),
           (unsigned long long)atomic_load(&shared->compared), kills,
           worst == 0 ? "no difference" : "DIFFERENT");
    return worst;
}

int main(int argc, char **argv) {
    const struct option_of options[] = {{"store", .text = &settings.store},
                                        {"model", .text = &settings.model},
                                        {"mount", .text = &settings.mount},
                                        {"operations", .count = &settings.operations},
                                        {"seed", .number = &settings.seed},
                                        {"workers", .count = &settings.workers},
                                        {.name = NULL}};
    read_options(argc, argv, options);
    if (settings.store == NULL || settings.model == NULL || settings.workers == 0 ||
        settings.workers > MAX_WORKERS) {
        return 2;
    }
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return shared == MAP_FAILED ? 2 : supervise();
}
