/* Processes of several threads each, on one shared file: all of them truncate it while opening, without a
 * barrier, as ranks do; then every thread writes its own blocks in random order while the data are drained
 * and evicted beneath it; then every thread reads what another process wrote.
 *
 *   stress --path FILE [--processes P] [--threads T] [--rounds R]
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "interfaces.h"
#include "native/session.h"
#include "options.h"

#define BLOCK_BYTES 10007 /* no multiple of anything */
#define BLOCKS      40

struct shared {
    pthread_barrier_t barrier;
    _Atomic int wrong;
};

struct thread {
    pthread_t handle;
    unsigned process;
    unsigned number;
    unsigned round;
    int fd;
};

static const char *path;
static unsigned processes = 4;
static unsigned threads = 2;
static unsigned rounds = 20;
static struct shared *shared;

static off_t offset_of(unsigned owner, unsigned block) {
    return (off_t)(block * processes * threads + owner) * BLOCK_BYTES;
}

static int pattern_of(unsigned owner, unsigned block, unsigned round) {
    return 1 + (int)((owner * 7 + block * 3 + round) % 250);
}

static void complain(const char *what, unsigned owner, unsigned block) {
    fprintf(stderr, "owner %u, block %u: %s: %s\n", owner, block, what, strerror(errno));
    atomic_store(&shared->wrong, 1);
}

static void *write_blocks(void *argument) {
    const struct thread *thread = argument;
    unsigned owner = thread->process * threads + thread->number;
    unsigned seed = owner * 1000 + thread->round;
    unsigned order[BLOCKS];
    char buffer[BLOCK_BYTES];
    for (unsigned i = 0; i < BLOCKS; i++) {
        unsigned j = (unsigned)rand_r(&seed) % (i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (unsigned i = 0; i < BLOCKS; i++) {
        memset(buffer, pattern_of(owner, order[i], thread->round), sizeof buffer);
        errno = 0;
        if (ime_native_pwrite(thread->fd, buffer, sizeof buffer, offset_of(owner, order[i])) != BLOCK_BYTES) {
            complain("write", owner, order[i]);
        }
    }
    return NULL;
}

static void *read_blocks(void *argument) {
    const struct thread *thread = argument;
    unsigned owner = ((thread->process + 1) % processes) * threads + thread->number;
    char buffer[BLOCK_BYTES];
    char expected[BLOCK_BYTES];
    for (unsigned block = 0; block < BLOCKS; block++) {
        memset(expected, pattern_of(owner, block, thread->round), sizeof expected);
        errno = 0;
        if (ime_native_pread(thread->fd, buffer, sizeof buffer, offset_of(owner, block)) != BLOCK_BYTES ||
            memcmp(buffer, expected, sizeof buffer) != 0) {
            complain("read", owner, block);
        }
    }
    return NULL;
}

static void in_threads(unsigned process, unsigned round, int fd, void *(*work)(void *)) {
    struct thread all[64];
    for (unsigned i = 0; i < threads; i++) {
        all[i] = (struct thread){.process = process, .number = i, .round = round, .fd = fd};
        pthread_create(&all[i].handle, NULL, work, &all[i]);
    }
    for (unsigned i = 0; i < threads; i++) {
        pthread_join(all[i].handle, NULL);
    }
}

/* As a launcher does, so that the truncations while opening count as one. */
static void become_rank(unsigned process) {
    char rank[16];
    snprintf(rank, sizeof rank, "%u", process);
    setenv("PMIX_NAMESPACE", "stress", 1);
    setenv("PMIX_RANK", rank, 1);
}

static _Noreturn void run_process(unsigned process) {
    become_rank(process);
    ime_native_init();
    for (unsigned round = 0; round < rounds; round++) {
        int fd = ime_native_open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
        if (fd < 0) {
            complain("open", process, 0);
        }
        in_threads(process, round, fd, write_blocks);
        pthread_barrier_wait(&shared->barrier);
        in_threads(process, round, fd, read_blocks);
        pthread_barrier_wait(&shared->barrier);
        ime_native_close(fd);
        pthread_barrier_wait(&shared->barrier);
    }
    ime_native_finalize();
    exit(0);
}

static void churn_one(struct store *store, const char *name, void *unused) {
    uint64_t inode;
    uint64_t moved = 0;
    int error = 0;
    (void)unused;
    struct object *object = object_inode(name, &inode) ? object_find(store, inode, &error) : NULL;
    if (object != NULL) {
        object_drain(object, (uint64_t)rand() % 1000000, &moved);
        object_evict(object, (uint64_t)rand() % 1000000, &moved);
        object_release(object);
    }
}

static _Noreturn void churn(void) {
    ime_native_init();
    for (;;) {
        objects_each(session_store(), churn_one, NULL);
    }
}

static void parse(int argc, char **argv) {
    const struct option_of options[] = {{"path", .text = &path},
                                        {"processes", .count = &processes},
                                        {"threads", .count = &threads},
                                        {"rounds", .count = &rounds},
                                        {.name = NULL}};
    read_options(argc, argv, options);
    if (path == NULL || processes == 0 || threads == 0 || threads > 64) {
        exit(2);
    }
}

int main(int argc, char **argv) {
    pthread_barrierattr_t attributes;
    parse(argc, argv);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_barrierattr_init(&attributes);
    pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&shared->barrier, &attributes, processes);
    pid_t churner = fork();
    if (churner == 0) {
        churn();
    }
    for (unsigned i = 0; i < processes; i++) {
        if (fork() == 0) {
            run_process(i);
        }
    }
    for (unsigned i = 0; i < processes; i++) {
        int status;
        pid_t ended = wait(&status);
        if (ended == churner || status != 0) {
            fprintf(stderr, "%s ended with status %#x\n", ended == churner ? "the churner" : "a process",
                    status);
            atomic_store(&shared->wrong, 1);
        }
    }
    kill(churner, SIGKILL);
    waitpid(churner, NULL, 0);
    printf("%u rounds, %s\n", rounds, atomic_load(&shared->wrong) == 0 ? "all as written" : "WRONG");
    return atomic_load(&shared->wrong);
}
