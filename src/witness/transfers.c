/* Which written bytes a synchronisation or O_SYNC has covered: by files, whichever descriptor of the process
 * they were written by and are synchronised by. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "accounts.h"

#define FILES  4096u /* that a process has written to and not synchronised, or has open for it */
#define LOOKED 16u   /* slots for a file, from that of its hash */

/* A file that was written to. */
struct written {
    uint64_t key;           /* of the file; 0: free */
    unsigned descriptors;   /* that are of it */
    _Atomic uint64_t bytes; /* since its last synchronisation, in the phase */
    _Atomic(struct phase *) phase;
};

static struct written files[FILES];
static _Atomic unsigned short file_at[ACCOUNTS_DESCRIPTORS]; /* index in files and 1; 0: not looked at */
static unsigned char goes[ACCOUNTS_DESCRIPTORS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
enum { GOES_DIRECT = 1, GOES_THROUGH = 2 }; /* past the page cache; to the medium before the call returns */

static uint64_t mixed(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0xff51afd7ed558ccdu;
    return hash ^ hash >> 32;
}

/* With the birth of the file: a number is used again when its file was removed. Without one, the size tells
 * that less is there than was written. */
static uint64_t key_of(int fd, bool *is_born, uint64_t *size_bytes) {
    struct statx facts;
    if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_INO | STATX_SIZE | STATX_BTIME, &facts) != 0) {
        return 0;
    }
    uint64_t key = mixed(makedev(facts.stx_dev_major, facts.stx_dev_minor), facts.stx_ino);
    *is_born = (facts.stx_mask & STATX_BTIME) != 0;
    *size_bytes = facts.stx_size;
    if (*is_born) {
        key = mixed(mixed(key, (uint64_t)facts.stx_btime.tv_sec), facts.stx_btime.tv_nsec);
    }
    return key | 1u;
}

/* The slot of the file; a new one is one that no descriptor has, with nothing left if there is such a one. */
static struct written *slot_of(uint64_t key) {
    struct written *found = NULL, *unused = NULL;
    for (unsigned i = 0; i < LOOKED && found == NULL; i++) {
        struct written *one = &files[(key + i) % FILES];
        found = one->key == key ? one : NULL;
        bool is_better = unused == NULL || atomic_load(&unused->bytes) != 0;
        unused = one->descriptors == 0 && is_better ? one : unused;
    }
    if (found == NULL && unused != NULL) {
        unused->key = key;
        atomic_store(&unused->bytes, 0);
    }
    return found != NULL ? found : unused;
}

static struct written *look_at(int fd) {
    int error = errno;
    bool is_born = false;
    uint64_t size_bytes = 0, key = key_of(fd, &is_born, &size_bytes);
    errno = error;
    if (key == 0) {
        return NULL;
    }
    pthread_mutex_lock(&mutex);
    struct written *file = atomic_load(&file_at[fd]) == 0 ? slot_of(key) : NULL;
    if (file != NULL) {
        file->descriptors++;
        if (!is_born && size_bytes < atomic_load(&file->bytes)) {
            atomic_store(&file->bytes, 0);
        }
        atomic_store(&file_at[fd], (unsigned short)(file - files + 1));
    }
    pthread_mutex_unlock(&mutex);
    unsigned at = atomic_load(&file_at[fd]);
    return at != 0 ? &files[at - 1] : NULL;
}

/* NULL: too many files have the slots that it would have; what is written to it counts as not synchronised.
 */
static struct written *file_written(int fd) {
    unsigned at = atomic_load_explicit(&file_at[fd], memory_order_relaxed);
    return at != 0 ? &files[at - 1] : look_at(fd);
}

void transfers_forget(int fd) {
    if (atomic_load(&file_at[fd]) == 0) {
        return;
    }
    pthread_mutex_lock(&mutex);
    unsigned at = atomic_exchange(&file_at[fd], 0);
    if (at != 0) {
        files[at - 1].descriptors--;
    }
    pthread_mutex_unlock(&mutex);
}

void transfers_in_child(void) {
    pthread_mutex_init(&mutex, NULL);
    for (unsigned i = 0; i < FILES; i++) {
        atomic_store(&files[i].bytes, 0);
    }
}

void transfers_flagged(int fd) {
    long flags = syscall(SYS_fcntl, fd, F_GETFL);
    goes[fd] = (flags & O_DIRECT) != 0 ? GOES_DIRECT : 0;
    goes[fd] |= (flags & O_DSYNC) != 0 ? GOES_THROUGH : 0; /* O_SYNC has its bit */
}

bool transfers_are_direct(int fd) {
    return fd >= 0 && fd < ACCOUNTS_DESCRIPTORS && (goes[fd] & GOES_DIRECT) != 0;
}

void transfers_count(struct phase *phase, enum call_kind kind, int fd, uint64_t bytes) {
    bool is_known = fd >= 0 && fd < ACCOUNTS_DESCRIPTORS;
    unsigned char how = is_known ? goes[fd] : 0;
    add(kind == CALL_READ ? &phase->read_bytes : &phase->written_bytes, bytes);
    if ((how & GOES_DIRECT) != 0) {
        add(kind == CALL_READ ? &phase->direct_read_bytes : &phase->direct_written_bytes, bytes);
    }
    if (kind == CALL_READ || !is_known) {
        return;
    }
    if ((how & GOES_THROUGH) != 0) {
        add(&phase->synced_bytes, bytes);
        return;
    }
    struct written *file = file_written(fd);
    if (file != NULL) {
        if (atomic_load_explicit(&file->phase, memory_order_relaxed) != phase) {
            atomic_store(&file->bytes, 0); /* of a phase whose time had no part of what follows now */
            atomic_store(&file->phase, phase);
        }
        add(&file->bytes, bytes);
    }
}

/* No more than are left: another thread may have synchronised them meanwhile. */
static uint64_t taken(struct written *file, uint64_t most) {
    uint64_t left = atomic_load(&file->bytes), part;
    do {
        part = left < most ? left : most;
    } while (!atomic_compare_exchange_weak(&file->bytes, &left, left - part));
    return part;
}

static void cover(struct phase *phase, int fd, uint64_t most) {
    struct written *file = fd >= 0 && fd < ACCOUNTS_DESCRIPTORS ? file_written(fd) : NULL;
    if (file != NULL && atomic_load(&file->phase) == phase) {
        add(&phase->synced_bytes, taken(file, most));
    }
}

void transfers_through(struct phase *phase, int fd, uint64_t bytes) {
    if ((goes[fd] & GOES_THROUGH) == 0) {
        cover(phase, fd, bytes);
    }
}

void transfers_covered(struct phase *phase, int fd, bool all) {
    if (!all) {
        cover(phase, fd, UINT64_MAX);
        return;
    }
    atomic_store(&phase->synced_bytes, atomic_load(&phase->written_bytes));
    for (unsigned i = 0; i < FILES; i++) {
        if (atomic_load(&files[i].phase) == phase) {
            atomic_store(&files[i].bytes, 0);
        }
    }
}
