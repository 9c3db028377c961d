/* Which written bytes a synchronisation or O_SYNC has covered: by files, whichever descriptor of the process
 * they were written by and are synchronised by. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "image.h"

#define FILES  4096u /* that a process has written to and not synchronised, or has open for it */
#define LOOKED 16u   /* slots for a file, from that of its hash */

/* A file that was written to. */
struct written {
    uint64_t key;           /* of the file; 0: free */
    unsigned descriptors;   /* that are of it */
    _Atomic uint64_t bytes; /* since its last synchronisation, in the phase */
    _Atomic(struct phase *) phase;
    _Atomic uint64_t earlier_bytes; /* likewise, in phases before it */
    _Atomic uint64_t earlier_ns;    /* begin of the first of these */
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

static uint64_t left_of(const struct written *file) {
    return atomic_load(&file->bytes) + atomic_load(&file->earlier_bytes);
}

static void forget_bytes(struct written *file) {
    atomic_store(&file->bytes, 0);
    atomic_store(&file->earlier_bytes, 0);
}

/* The slot of the file; a new one is one that no descriptor has, with nothing left if there is such a one. */
static struct written *slot_of(uint64_t key) {
    struct written *found = NULL, *unused = NULL;
    for (unsigned i = 0; i < LOOKED && found == NULL; i++) {
        struct written *one = &files[(key + i) % FILES];
        found = one->key == key ? one : NULL;
        bool is_better = unused == NULL || left_of(unused) != 0;
        unused = one->descriptors == 0 && is_better ? one : unused;
    }
    if (found == NULL && unused != NULL) {
        unused->key = key;
        forget_bytes(unused);
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
        if (!is_born && size_bytes < left_of(file)) {
            forget_bytes(file);
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
        forget_bytes(&files[i]);
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

/* A file may be on two mounts, by a bind. */
static bool are_of_one_mount(const struct phase *one, const struct phase *other) {
    size_t first = (size_t)((const char *)one - (const char *)image.accounts) / sizeof image.accounts[0];
    return other >= image.accounts[first].phases && other < image.accounts[first].phases + ACCOUNTS_PHASES;
}

/* What was written in another phase had no part of the time of this one. */
static void move_on(struct written *file, struct phase *phase) {
    struct phase *before = atomic_exchange(&file->phase, phase);
    uint64_t left = atomic_exchange(&file->bytes, 0);
    if (before == NULL || !are_of_one_mount(before, phase)) {
        atomic_store(&file->earlier_bytes, 0);
    } else if (left > 0 && atomic_fetch_add(&file->earlier_bytes, left) == 0) {
        atomic_store(&file->earlier_ns, before->first_ns);
    }
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
            move_on(file, phase);
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

static void cover_earlier(struct phase *phase, struct written *file) {
    uint64_t bytes = atomic_exchange(&file->earlier_bytes, 0), from_ns = atomic_load(&file->earlier_ns);
    if (bytes > 0) {
        uint64_t known_ns = phase->synced_earlier_bytes > 0 ? phase->synced_from_ns : from_ns;
        atomic_store(&phase->synced_from_ns, known_ns < from_ns ? known_ns : from_ns);
        add(&phase->synced_earlier_bytes, bytes);
    }
}

static void cover(struct phase *phase, struct written *file) {
    if (atomic_load(&file->phase) != phase) {
        move_on(file, phase);
    }
    add(&phase->synced_bytes, taken(file, UINT64_MAX));
    cover_earlier(phase, file);
}

void transfers_through(struct phase *phase, int fd, uint64_t bytes) {
    bool is_known = fd >= 0 && fd < ACCOUNTS_DESCRIPTORS && (goes[fd] & GOES_THROUGH) == 0;
    struct written *file = is_known ? file_written(fd) : NULL;
    if (file != NULL && atomic_load(&file->phase) == phase) {
        add(&phase->synced_bytes, taken(file, bytes));
    }
}

void transfers_covered(struct phase *phase, int fd, bool all) {
    struct written *file = !all && fd >= 0 && fd < ACCOUNTS_DESCRIPTORS ? file_written(fd) : NULL;
    if (file != NULL) {
        cover(phase, file);
    }
    if (!all) {
        return;
    }
    for (unsigned i = 0; i < FILES; i++) {
        struct phase *of = atomic_load(&files[i].phase);
        if (of != NULL && are_of_one_mount(of, phase)) {
            cover(phase, &files[i]);
        }
    }
    atomic_store(&phase->synced_bytes, atomic_load(&phase->written_bytes));
}
