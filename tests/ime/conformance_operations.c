/* The operations: each is done on the store and on the plain directory, and what comes back is compared. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conformance.h"
#include "interfaces.h"
#include "native/session.h"

#define MAX_OPEN   8
#define MAX_NAMES  7
#define MAX_OFFSET 400000
#define MAX_BYTES  70000

struct pair {
    bool open;
    bool mounted;
    bool append;
    int subject;
    int model;
};

static struct pair pairs[MAX_OPEN];
static uint64_t random_state;
static uint32_t current;
static char ours[2][MAX_BYTES];

static uint64_t next_random(void) {
    uint64_t z = (random_state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t below(uint64_t limit) {
    return next_random() % limit;
}

static void differ(const char *what, long long subject, long long model) {
    fprintf(stderr, "operation %u (seed %llu): %s: store %lld, plain directory %lld\n", current,
            (unsigned long long)settings.seed, what, subject, model);
    atomic_store(&shared->failed, 1);
    _exit(3);
}

/* Results and, where both failed, error numbers. */
static void same(const char *what, long long subject, int subject_errno, long long model, int model_errno) {
    if (subject != model) {
        differ(what, subject < 0 ? -subject_errno : subject, model < 0 ? -model_errno : model);
    }
    if (subject < 0 && subject_errno != model_errno) {
        differ(what, -subject_errno, -model_errno);
    }
    atomic_fetch_add(&shared->compared, 1);
}

#define BOTH(what, subject_call, model_call)                                                                 \
    do {                                                                                                     \
        errno = 0;                                                                                           \
        long long s_ = (long long)(subject_call);                                                            \
        int se_ = errno;                                                                                     \
        errno = 0;                                                                                           \
        long long m_ = (long long)(model_call);                                                              \
        same(what, s_, se_, m_, errno);                                                                      \
    } while (0)

struct names {
    char subject[PATH_MAX];
    char mounted[PATH_MAX];
    char model[PATH_MAX];
};

static void make_name(struct names *names, const char *name) {
    snprintf(names->subject, PATH_MAX, "ime://%s/%s", settings.store, name);
    snprintf(names->mounted, PATH_MAX, "%s/%s", settings.mount != NULL ? settings.mount : "", name);
    snprintf(names->model, PATH_MAX, "%s/%s", settings.model, name);
}

static void random_name(struct names *names) {
    static const char *const all[MAX_NAMES] = {"a", "b", "c", "d/e", "d/f", "g/h", "absent/i"};
    make_name(names, all[below(MAX_NAMES)]);
}

static void do_open(void) {
    static const int modes[] = {O_RDONLY, O_WRONLY, O_RDWR, O_RDWR};
    struct pair *pair = &pairs[below(MAX_OPEN)];
    struct names names;
    if (pair->open) {
        return;
    }
    random_name(&names);
    int flags = modes[below(4)];
    flags |= below(4) != 0 ? O_CREAT : 0;
    flags |= below(8) == 0 ? O_EXCL : 0;
    flags |= below(6) == 0 ? O_TRUNC : 0;
    flags |= below(6) == 0 ? O_APPEND : 0;
    if ((flags & O_EXCL) != 0) {
        flags |= O_CREAT; /* useless alone */
    }
    pair->mounted = settings.mount != NULL && below(2) == 0;
    errno = 0;
    pair->subject = io_open(pair->mounted, pair->mounted ? names.mounted : names.subject, flags, 0644);
    int subject_errno = errno;
    errno = 0;
    pair->model = open(names.model, flags, 0644);
    same("open", pair->subject < 0 ? -1 : 0, subject_errno, pair->model < 0 ? -1 : 0, errno);
    pair->append = (flags & O_APPEND) != 0;
    pair->open = pair->model >= 0;
}

static struct pair *random_pair(void) {
    for (unsigned i = 0, at = (unsigned)below(MAX_OPEN); i < MAX_OPEN; i++) {
        struct pair *pair = &pairs[(at + i) % MAX_OPEN];
        if (pair->open) {
            return pair;
        }
    }
    return NULL;
}

static void do_close(void) {
    struct pair *pair = random_pair();
    if (pair != NULL) {
        BOTH("close", io_close(pair->mounted, pair->subject), close(pair->model));
        pair->open = false;
    }
}

static size_t random_extent(off_t *offset) {
    /* Often aligned, often crossing a granule, sometimes far out. */
    static const unsigned units[] = {1, 512, 4096, 16384};
    unsigned unit = units[below(4)];
    *offset = (off_t)(below(MAX_OFFSET / unit) * unit);
    if (below(50) == 0) {
        *offset += (off_t)below(1u << 30);
    }
    size_t bytes = below(4) == 0 ? below(MAX_BYTES) : below(6000);
    return unit == 4096 && below(2) == 0 ? (bytes / 4096) * 4096 : bytes;
}

static int random_vectors(struct iovec *iov, char *base, size_t bytes) {
    int count = 1 + (int)below(5);
    for (int i = 0; i < count; i++) {
        size_t part = i + 1 == count ? bytes : below(bytes + 1);
        iov[i] = (struct iovec){base, part};
        base += part;
        bytes -= part;
    }
    return count;
}

/* The kernel moves the position of a mounted file to where it believes the end was before an append; it
 * learns only later that another interface moved the end. The data go where they should. */
static void agree_on_position(const struct pair *pair) {
    if (pair->mounted && pair->append) {
        off_t position = (off_t)below(MAX_OFFSET);
        BOTH("lseek", lseek(pair->subject, position, SEEK_SET), lseek(pair->model, position, SEEK_SET));
    }
}

static void do_pwrite(void) {
    struct pair *pair = random_pair();
    off_t offset;
    size_t bytes = random_extent(&offset);
    if (pair == NULL) {
        return;
    }
    for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
        uint64_t word = next_random();
        memcpy(ours[0] + i, &word, bytes - i < sizeof word ? bytes - i : sizeof word);
    }
    struct iovec iov[8];
    int count = below(3) == 0 ? random_vectors(iov, ours[0], bytes) : 0;
    if (count > 0) {
        BOTH("pwritev", io_pwritev(pair->mounted, pair->subject, iov, count, offset),
             pwritev(pair->model, iov, count, offset));
    } else if (below(6) == 0) {
        BOTH("write", io_write(pair->mounted, pair->subject, ours[0], bytes),
             write(pair->model, ours[0], bytes));
        agree_on_position(pair);
    } else {
        BOTH("pwrite", io_pwrite(pair->mounted, pair->subject, ours[0], bytes, offset),
             pwrite(pair->model, ours[0], bytes, offset));
    }
}

static void same_bytes(const char *what, long long bytes) {
    for (long long i = 0; i < bytes; i++) {
        if (ours[0][i] != ours[1][i]) {
            fprintf(stderr, "byte %lld of %lld: ", i, bytes);
            differ(what, ours[0][i], ours[1][i]);
        }
    }
}

static void do_pread(void) {
    struct pair *pair = random_pair();
    off_t offset;
    size_t bytes = random_extent(&offset);
    if (pair == NULL) {
        return;
    }
    struct iovec iov[8];
    struct iovec model_iov[8];
    int count = below(3) == 0 ? random_vectors(iov, ours[0], bytes) : 0;
    for (int i = 0; i < count; i++) {
        model_iov[i] = (struct iovec){(char *)iov[i].iov_base + (ours[1] - ours[0]), iov[i].iov_len};
    }
    long long got;
    if (count > 0) {
        BOTH("preadv", io_preadv(pair->mounted, pair->subject, iov, count, offset),
             got = preadv(pair->model, model_iov, count, offset));
    } else if (below(6) == 0) {
        BOTH("read", io_read(pair->mounted, pair->subject, ours[0], bytes),
             got = read(pair->model, ours[1], bytes));
    } else {
        BOTH("pread", io_pread(pair->mounted, pair->subject, ours[0], bytes, offset),
             got = pread(pair->model, ours[1], bytes, offset));
    }
    same_bytes("data read", got);
}

static void do_truncate(void) {
    struct pair *pair = random_pair();
    off_t size = below(4) == 0 ? 0 : (off_t)below(MAX_OFFSET);
    if (pair != NULL) {
        BOTH("ftruncate", io_ftruncate(pair->mounted, pair->subject, size), ftruncate(pair->model, size));
    }
}

static void do_seek(void) {
    struct pair *pair = random_pair();
    int whence = (int)below(3);
    off_t offset = (off_t)below(MAX_OFFSET) - (whence == SEEK_SET ? 10 : MAX_OFFSET / 2);
    if (pair != NULL) {
        BOTH("lseek", io_lseek(pair->mounted, pair->subject, offset, whence),
             lseek(pair->model, offset, whence));
    }
}

static void do_sync(void) {
    struct pair *pair = random_pair();
    if (pair != NULL) {
        BOTH("fsync", io_fsync(pair->mounted, pair->subject), fsync(pair->model));
    }
}

static void do_stat(void) {
    struct names names;
    struct stat subject = {0};
    struct stat model = {0};
    random_name(&names);
    bool mounted = settings.mount != NULL && below(2) == 0;
    BOTH("stat", io_stat(mounted, mounted ? names.mounted : names.subject, &subject),
         stat(names.model, &model));
    if (S_ISREG(model.st_mode)) {
        same("st_size", subject.st_size, 0, model.st_size, 0);
        same("st_nlink", (long long)subject.st_nlink, 0, (long long)model.st_nlink, 0);
    }
    same("st_mode", subject.st_mode, 0, model.st_mode, 0);
    BOTH("access", io_access(mounted, mounted ? names.mounted : names.subject, R_OK),
         access(names.model, R_OK));
}

static void do_unlink(void) {
    struct names names;
    random_name(&names);
    bool mounted = settings.mount != NULL && below(2) == 0;
    BOTH("unlink", io_unlink(mounted, mounted ? names.mounted : names.subject), unlink(names.model));
}

static void do_directory(void) {
    struct names names;
    make_name(&names, below(2) == 0 ? "d" : "g");
    bool mounted = settings.mount != NULL && below(2) == 0;
    const char *subject = mounted ? names.mounted : names.subject;
    if (below(3) != 0) {
        BOTH("mkdir", io_mkdir(mounted, subject, 0755), mkdir(names.model, 0755));
    } else {
        BOTH("rmdir", io_rmdir(mounted, subject), rmdir(names.model));
    }
}

static void do_rename(void) {
    struct names from;
    struct names to;
    random_name(&from);
    random_name(&to);
    if (settings.mount != NULL) {
        BOTH("rename", rename(from.mounted, to.mounted), rename(from.model, to.model));
    }
}

static void migrate_one(struct store *store, const char *name, void *context) {
    uint64_t inode;
    uint64_t moved = 0;
    int error = 0;
    uint64_t kind = *(uint64_t *)context;
    struct object *object = object_inode(name, &inode) ? object_find(store, inode, &error) : NULL;
    if (object == NULL) {
        return;
    }
    if (kind == 0) {
        error = object_drain(object, below(200000), &moved);
    } else if (kind == 1) {
        error = object_evict(object, below(200000), &moved);
    } else if (kind == 2) {
        off_t offset;
        size_t bytes = random_extent(&offset);
        object_stage(object, (uint64_t)offset, (uint64_t)offset + bytes, &moved);
    } else {
        error = object_drain(object, UINT64_MAX, &moved);
        error = error != 0 ? error : object_evict(object, UINT64_MAX, &moved);
    }
    if (error != 0) {
        differ("migration", -error, 0);
    }
    object_release(object);
}

static void do_migrate(void) {
    uint64_t kind = below(4);
    objects_each(session_store(), migrate_one, &kind);
}

static void do_crash(void) {
    pass_turn();
    kill(getpid(), SIGKILL);
}

void do_operation(uint32_t number) {
    static const struct {
        void (*run)(void);
        unsigned weight;
    } table[] = {{do_open, 14},    {do_close, 5},     {do_pwrite, 26}, {do_pread, 26},
                 {do_truncate, 4}, {do_seek, 2},      {do_sync, 2},    {do_stat, 6},
                 {do_unlink, 3},   {do_directory, 2}, {do_rename, 1},  {do_migrate, 8}};
    uint64_t draw = below(99);
    current = number;
    if (below(400) == 0) {
        do_crash();
    }
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (draw < table[i].weight) {
            table[i].run();
            return;
        }
        draw -= table[i].weight;
    }
}

unsigned owner_of(uint32_t operation) {
    random_state = settings.seed * UINT64_C(1000003) + operation;
    return (unsigned)below(settings.workers);
}

void close_all(void) {
    for (unsigned i = 0; i < MAX_OPEN; i++) {
        if (pairs[i].open) {
            io_close(pairs[i].mounted, pairs[i].subject);
            close(pairs[i].model);
        }
    }
}
