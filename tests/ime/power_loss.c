/* Evictions that end with a loss of power.
 *
 *   power_loss --fast DIRECTORY --path FILE [--rounds R] [--seed S]
 *
 * A child writes blocks, drains and syncs them, writes others, and evicts; in the middle of an eviction,
 * right after a hole was punched, it is gone. Then every page of every index is what had been flushed last,
 * or what it was at the end, at random, as a disk may have it, and the boot is another one. Whatever had been
 * drained and synced before, or flushed, must be read back, from the store and, after a drain, from the
 * backing. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "drain/drain.h"
#include "drain/drainer.h"
#include "ime_native.h"
#include "native/session.h"
#include "options.h"

#define BLOCK_BYTES  10000 /* no multiple of a granule */
#define BLOCKS       60
#define INDEX_COPIED (UINT64_C(64) << 10) /* more than the index of these files */

struct shared {
    unsigned safe[BLOCKS]; /* version that must survive */
    unsigned last[BLOCKS]; /* version written last, which may */
    unsigned punches_left;
    bool armed;
};

static struct shared *shared;
static const char *path;
static const char *fast;

/* What a loss of power leaves: the index as it was when its object was flushed last. */
static void remember_flushed(int fd) {
    char link[64];
    char name[PATH_MAX];
    char copy[PATH_MAX + 8];
    char *buffer = malloc(INDEX_COPIED);
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, name, sizeof name - 1);
    if (buffer != NULL && length > 0 && strstr(name, "/objects/") != NULL) {
        name[length] = '\0';
        ssize_t bytes = pread(fd, buffer, INDEX_COPIED, 0);
        snprintf(copy, sizeof copy, "%s", name);
        char *folder = strstr(copy, "/objects/");
        memcpy(folder, "/flushed/", 9);
        int to = open(copy, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (bytes < 0 || pwrite(to, buffer, (size_t)bytes, 0) != bytes) {
            perror(copy);
        }
        close(to);
    }
    free(buffer);
}

int fdatasync(int fd) {
    remember_flushed(fd);
    return (int)syscall(SYS_fdatasync, fd);
}

int msync(void *address, size_t bytes, int flags) {
    /* The header of an object is the only mapping that is ever flushed; its descriptor is found by its inode.
     */
    struct object_header *header = address;
    char name[24];
    char file[PATH_MAX];
    object_name(atomic_load(&header->inode), name);
    snprintf(file, sizeof file, "%s/objects/%s", fast, name);
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    remember_flushed(fd);
    close(fd);
    return (int)syscall(SYS_msync, address, bytes, flags);
}

int fallocate(int fd, int mode, off_t offset, off_t bytes) {
    int result = (int)syscall(SYS_fallocate, fd, mode, offset, bytes);
    bool punch = (mode & FALLOC_FL_PUNCH_HOLE) != 0 && offset >= (off_t)DATA_OFFSET;
    if (shared->armed && punch && shared->punches_left-- == 0) {
        _exit(0);
    }
    return result;
}

static unsigned char byte_of(unsigned block, unsigned version) {
    return version == 0 ? 0 : (unsigned char)(1 + (block * 7 + version) % 250);
}

static void write_blocks(int fd, unsigned share) {
    unsigned char buffer[BLOCK_BYTES];
    for (unsigned block = 0; block < BLOCKS; block++) {
        if ((unsigned)rand() % 100 >= share) {
            continue;
        }
        unsigned version = ++shared->last[block];
        memset(buffer, byte_of(block, version), sizeof buffer);
        if (ime_native_pwrite(fd, buffer, sizeof buffer, (off_t)block * BLOCK_BYTES) != BLOCK_BYTES) {
            perror("pwrite");
            exit(1);
        }
    }
}

static void are_safe(void) {
    memcpy(shared->safe, shared->last, sizeof shared->safe);
}

static void evict_some(struct store *store, const char *name, void *unused) {
    uint64_t inode;
    uint64_t moved = 0;
    int error = 0;
    (void)unused;
    struct object *object = object_inode(name, &inode) ? object_find(store, inode, &error) : NULL;
    if (object != NULL) {
        object_evict(object, 4096 + (uint64_t)rand() % 600000, &moved);
        object_release(object);
    }
}

static _Noreturn void run_child(unsigned seed) {
    uint64_t moved = 0;
    srand(seed);
    ime_native_init();
    int fd = ime_native_open(path, O_RDWR | O_CREAT, 0600);
    if (fd < 0) {
        perror("open");
        exit(1);
    }
    write_blocks(fd, 70);
    if (drain_everything(session_store(), &moved) != 0 || sync_backings(session_store()) != 0) {
        fprintf(stderr, "the drain failed\n");
        exit(1);
    }
    are_safe();
    shared->armed = true;
    for (;;) { /* until an eviction is interrupted */
        objects_each(session_store(), evict_some, NULL);
        write_blocks(fd, 10);
        if (rand() % 2 == 0) {
            if (ime_native_fsync(fd) != 0) {
                exit(1);
            }
            are_safe();
        }
        if (rand() % 2 == 0) {
            drain_everything(session_store(), &moved);
        }
    }
}

static void lose_power_on(struct store *unused, const char *name, void *context) {
    (void)unused;
    (void)context;
    char file[PATH_MAX];
    char old[4096] = {0};
    snprintf(file, sizeof file, "%s/objects/%s", fast, name);
    int to = open(file, O_RDWR | O_CLOEXEC);
    snprintf(file, sizeof file, "%s/flushed/%s", fast, name);
    int from = open(file, O_RDONLY | O_CLOEXEC);
    for (off_t page = 0; page < (off_t)INDEX_COPIED; page += 4096) {
        memset(old, 0, sizeof old);
        if (rand() % 3 != 0 && (from < 0 || pread(from, old, sizeof old, page) >= 0) &&
            pwrite(to, old, sizeof old, page) != (ssize_t)sizeof old) {
            perror(name);
        }
    }
    close(to);
    close(from);
}

static void lose_power(void) {
    char file[PATH_MAX];
    struct store disk = {.objects_fd = -1};
    snprintf(file, sizeof file, "%s/objects", fast);
    disk.objects_fd = open(file, O_PATH | O_DIRECTORY | O_CLOEXEC);
    objects_each(&disk, lose_power_on, NULL);
    close(disk.objects_fd);
    snprintf(file, sizeof file, "%s/control", fast);
    int fd = open(file, O_RDWR | O_CLOEXEC);
    if (pwrite(fd, "another boot", 13, offsetof(struct control, boot_id)) != 13) {
        perror(file);
    }
    close(fd);
}

/* Each byte is of the safe version or of the one written last. */
static unsigned count_wrong(const char *where, int fd, ssize_t (*get)(int, void *, size_t, off_t)) {
    unsigned char buffer[BLOCK_BYTES];
    unsigned wrong = 0;
    for (unsigned block = 0; block < BLOCKS; block++) {
        memset(buffer, 0, sizeof buffer);
        if (get(fd, buffer, sizeof buffer, (off_t)block * BLOCK_BYTES) < 0) {
            perror(where);
            wrong++;
        }
        for (unsigned i = 0; i < BLOCK_BYTES; i++) {
            bool right = false;
            for (unsigned version = shared->safe[block]; version <= shared->last[block]; version++) {
                right = right || buffer[i] == byte_of(block, version);
            }
            if (!right) {
                fprintf(stderr, "%s: block %u byte %u is %u, safe version %u is %u, last %u is %u\n", where,
                        block, i, buffer[i], shared->safe[block], byte_of(block, shared->safe[block]),
                        shared->last[block], byte_of(block, shared->last[block]));
                wrong++;
                break;
            }
        }
    }
    return wrong;
}

/* In a child too: a new client after the boot. The surviving bytes are overwritten for the next round. */
static int look_after_boot(void) {
    uint64_t moved = 0;
    ime_native_init();
    int fd = ime_native_open(path, O_RDWR | O_CREAT, 0600);
    unsigned wrong = count_wrong("store", fd, ime_native_pread);
    drain_everything(session_store(), &moved);
    int backing_fd = openat(session_store()->backing_fd, path + strlen("ime://"), O_RDONLY);
    wrong += count_wrong("backing", backing_fd, pread);
    write_blocks(fd, 100);
    drain_everything(session_store(), &moved);
    sync_backings(session_store());
    are_safe();
    return wrong == 0 ? 0 : 1;
}

static int in_child(int (*act)(void), unsigned seed) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        if (act == NULL) {
            run_child(seed);
        }
        exit(act());
    }
    return waitpid(child, &status, 0) == child && status == 0 ? 0 : 1;
}

int main(int argc, char **argv) {
    unsigned rounds = 10;
    unsigned seed = 1;
    char folder[PATH_MAX];
    const struct option_of options[] = {{"fast", .text = &fast},
                                        {"path", .text = &path},
                                        {"rounds", .count = &rounds},
                                        {"seed", .count = &seed},
                                        {.name = NULL}};
    read_options(argc, argv, options);
    if (fast == NULL || path == NULL) {
        return 2;
    }
    snprintf(folder, sizeof folder, "%s/flushed", fast);
    mkdir(folder, 0700);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    srand(seed);
    unsigned wrong = 0;
    for (unsigned round = 0; round < rounds && wrong == 0; round++) {
        shared->armed = false;
        shared->punches_left = (unsigned)rand() % 8;
        wrong += in_child(NULL, seed * 1000 + round);
        shared->armed = false;
        lose_power();
        wrong += in_child(look_after_boot, 0);
        if (wrong > 0) {
            printf("round %u, ", round);
        }
    }
    printf("%u rounds, %s\n", rounds, wrong == 0 ? "nothing lost" : "WRONG");
    return wrong == 0 ? 0 : 1;
}
