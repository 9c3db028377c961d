/* What a process does on each mount, in phases. Fixed tables, as in files.c. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "accounts.h"

#define LOOKS 64 /* at pages after a synchronisation: a database makes thousands */

bool accounts_wanted;
static _Thread_local bool inside; /* what the library itself opens and reads does not count */
static struct account accounts[ACCOUNTS];
static _Atomic unsigned used;
static struct weir_process_io start_io;
static _Atomic(struct account *) queued; /* with transfers whose end is waited for */
static _Atomic int queued_kind;          /* of the last of these */
static pid_t owner;
static bool is_started;
static bool only_watches; /* this process counts the mount that it watches, and does nothing else */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int (*clock_next)(clockid_t, struct timespec *);

/* By the C library's own clock, whoever stands before us: a system call for each would cost too much. */
static uint64_t clock_ns(void) {
    struct timespec now = {0, 0};
    clock_next(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void count_inside(struct account *account, struct counters *now) {
    now->raw_ns = clock_ns();
    accounts_io_read(&now->io);
    now->device_known = account->device.name[0] != '\0' && weir_device_now(&account->device, now->device);
    if (!account->watches_servers) {
        return;
    }
    weir_servers_count(&account->medium, &account->servers);
    for (int i = 0; i < WEIR_SERVERS_MOST; i++) {
        memcpy(now->servers[i], account->servers.seen[i].counts, sizeof now->servers[i]);
    }
}

void accounts_count(struct account *account, struct counters *now) {
    bool was_inside = inside;
    inside = true;
    count_inside(account, now);
    inside = was_inside;
}

/* The observers keep what they found of one mount. */
static bool servers_are_free(void) {
    for (unsigned i = 0; i < atomic_load(&used); i++) {
        if (accounts[i].watches_servers) {
            return false;
        }
    }
    return true;
}

static void block_begin(struct account *account, const char *path, dev_t number) {
    struct weir_medium *medium = &account->medium;
    snprintf(medium->file_system, sizeof medium->file_system, "block device");
    snprintf(medium->point, sizeof medium->point, "%s", path);
    snprintf(medium->source, sizeof medium->source, "%.255s", path);
    medium->counted = true;
    weir_device_begin_block(major(number), minor(number), &account->device);
    accounts_count(account, &account->start);
}

static void account_begin(struct account *account, struct record *record) {
    char path[WITNESS_PATH_BYTES + 1];
    struct stat facts;
    const char *root = getenv("WEIR_WITNESS_ROOT");
    const char *point = root != NULL && root[0] != '\0' ? mount_table_point(root) : NULL;
    memset(account, 0, sizeof *account);
    account->record = record;
    if (stat(record->path, &facts) == 0 && S_ISBLK(facts.st_mode)) {
        block_begin(account, record->path, facts.st_rdev);
        return;
    }
    snprintf(path, sizeof path, "%s/",
             point != NULL && strcmp(point, record->path) == 0 ? root : record->path);
    weir_medium_of_directory(path, NULL, &account->medium);
    weir_device_begin(path, &account->medium, &account->device);
    if (servers_are_free()) {
        weir_servers_begin(&account->medium, &account->servers);
        account->watches_servers = account->servers.any;
    }
    accounts_count(account, &account->start);
}

static struct record *record_with_account(const char *point) {
    uint64_t files;
    struct record *record = file_record(point);
    if (record->account != NULL || record == files_others(&files)) {
        return record->account != NULL ? record : NULL;
    }
    inside = true;
    pthread_mutex_lock(&mutex);
    unsigned at = atomic_load(&used);
    if (record->account == NULL && at < ACCOUNTS) {
        account_begin(&accounts[at], record);
        record->account = &accounts[at];
        atomic_store(&used, at + 1);
    }
    pthread_mutex_unlock(&mutex);
    inside = false;
    return record->account != NULL ? record : NULL;
}

/* Files of memory alone have paths that no mount holds. */
static bool is_nowhere(const char *path) {
    static const char *const begins[] = {"/memfd:", "/SYSV", "/dev/zero", "/[aio]", "/anon_hugepage"};
    for (unsigned i = 0; i < sizeof begins / sizeof begins[0]; i++) {
        if (strncmp(path, begins[i], strlen(begins[i])) == 0) {
            return true;
        }
    }
    return path[0] != '/';
}

struct record *accounts_record(int directory, const char *path) {
    char whole[2 * WITNESS_PATH_BYTES], link[64];
    const char *root = getenv("WEIR_WITNESS_ROOT");
    if (path == NULL || inside || only_watches) {
        return NULL;
    }
    if (path[0] != '/') {
        snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
        ssize_t length = readlink(directory == AT_FDCWD ? "/proc/self/cwd" : link, whole, WITNESS_PATH_BYTES);
        if (length <= 0 || strlen(path) + 2 > sizeof whole - (size_t)length) {
            return NULL;
        }
        whole[length] = '/';
        strcpy(whole + length + (path[0] != '\0'), path);
        path = whole;
    }
    bool has_root = root != NULL && root[0] != '\0';
    if (is_nowhere(path) || (has_root && !is_below(path, root) && !mount_table_is_tested(path))) {
        return NULL;
    }
    const char *point = mount_table_point(path);
    return point != NULL ? record_with_account(point) : NULL;
}

struct record *accounts_block_record(const char *path) {
    const char *root = getenv("WEIR_WITNESS_ROOT");
    bool is_wanted = root == NULL || root[0] == '\0' || is_below(path, root);
    return is_wanted && !inside && !only_watches ? record_with_account(path) : NULL;
}

/* btrfs compresses single files and directories, too (chattr +c), whatever the mount is. */
static void note_compression(struct account *account, int fd) {
    int flags = 0;
    if (!atomic_load(&account->compresses) && strcmp(account->medium.file_system, "btrfs") == 0 &&
        syscall(SYS_ioctl, fd, FS_IOC_GETFLAGS, &flags) == 0) {
        atomic_store(&account->compresses, (flags & FS_COMPR_FL) != 0);
    }
}

void accounts_opened(struct record *record, int fd) {
    transfers_flagged(fd);
    transfers_forget(fd);
    note_compression(record->account, fd);
    atomic_fetch_add(&record->account->open_files, 1);
    if (record->account->used == 0) { /* opened without a call that names it: the time of a queue begins */
        accounts_call_ended(record, CALL_NAME, accounts_call_begins(record, CALL_NAME), fd, 0);
    }
}

void accounts_closed(struct record *record, int fd) {
    transfers_forget(fd);
    if (atomic_fetch_sub(&record->account->open_files, 1) == 1) {
        atomic_store(&record->account->reopened, true);
    }
}

static bool turns(struct account *account, const struct phase *phase, enum call_kind kind) {
    if (kind > CALL_WRITE || !atomic_load(&account->reopened)) {
        return false;
    }
    atomic_store(&account->reopened, false);
    uint64_t same = atomic_load(kind == CALL_READ ? &phase->read_bytes : &phase->written_bytes);
    uint64_t other = atomic_load(kind == CALL_READ ? &phase->written_bytes : &phase->read_bytes);
    return same == 0 && other > 0;
}

static void phase_begin(struct account *account, uint64_t now_ns) {
    if (account->used == ACCOUNTS_PHASES) {
        account->more_phases++;
        return;
    }
    struct phase *phase = &account->phases[account->used];
    memset(phase, 0, sizeof *phase);
    if (account->used > 0 || account->is_stale) {
        accounts_count(account, &phase->before);
    } else {
        phase->before = account->start;
    }
    account->is_stale = false;
    phase->first_ns = now_ns;
    atomic_store(&phase->last_ns, now_ns);
    account->used++;
}

static struct phase *current(struct account *account) {
    return &account->phases[account->used > 0 ? account->used - 1 : 0];
}

static void begins(struct account *account) {
    int at_once = atomic_fetch_add(&account->under_way, 1) + 1;
    struct phase *phase = current(account);
    if (at_once > atomic_load_explicit(&phase->most_at_once, memory_order_relaxed)) {
        atomic_store_explicit(&phase->most_at_once, at_once, memory_order_relaxed);
    }
}

uint64_t accounts_call_begins(struct record *record, enum call_kind kind) {
    struct account *account = record->account;
    uint64_t now_ns = clock_ns();
    struct phase *phase = account->used > 0 ? &account->phases[account->used - 1] : NULL;
    if (phase == NULL || now_ns > atomic_load(&phase->last_ns) + ACCOUNTS_GAP_NS ||
        turns(account, phase, kind)) {
        int error = errno;
        pthread_mutex_lock(&mutex);
        if (phase == NULL ? account->used == 0 : phase == &account->phases[account->used - 1]) {
            phase_begin(account, now_ns);
        }
        pthread_mutex_unlock(&mutex);
        now_ns = clock_ns();
        errno = error;
    }
    begins(account);
    return now_ns;
}

static void note_ends(struct phase *phase, enum call_kind kind, uint64_t began_ns, uint64_t now_ns) {
    uint64_t none = 0;
    if (atomic_load_explicit(&phase->began_ns[kind], memory_order_relaxed) == 0) {
        atomic_compare_exchange_strong(&phase->began_ns[kind], &none, began_ns);
    }
    atomic_store_explicit(&phase->ended_ns[kind], now_ns, memory_order_relaxed);
}

void accounts_queued(struct record *record, enum call_kind kind) {
    atomic_store(&queued_kind, kind);
    atomic_store(&queued, record->account);
}

struct account *accounts_wait_begins(uint64_t *began_ns) {
    struct account *account = accounts_wanted ? atomic_load(&queued) : NULL;
    if (account != NULL) {
        begins(account);
        *began_ns = clock_ns();
    }
    return account;
}

void accounts_call_ended(struct record *record, enum call_kind kind, uint64_t began_ns, int fd,
                         ssize_t bytes) {
    struct phase *phase = current(record->account);
    uint64_t now_ns = clock_ns();
    atomic_fetch_sub(&record->account->under_way, 1);
    add(&phase->calls[kind], 1);
    add(&phase->busy_ns[kind], now_ns - began_ns);
    if (kind <= CALL_WRITE && bytes > 0) {
        transfers_count(phase, kind, fd, (uint64_t)bytes);
    }
    atomic_store_explicit(&phase->last_ns, now_ns, memory_order_relaxed);
    if (kind != CALL_NAME) {
        note_ends(phase, kind, began_ns, now_ns);
    }
}

void accounts_waited(struct account *account, uint64_t began_ns) {
    if (account != NULL) {
        struct phase *phase = current(account);
        uint64_t now_ns = clock_ns();
        atomic_fetch_sub(&account->under_way, 1);
        add(&phase->busy_ns[atomic_load(&queued_kind)], now_ns - began_ns);
        atomic_store(&phase->last_ns, now_ns);
        for (int kind = CALL_READ; kind <= CALL_WRITE; kind++) {
            if (atomic_load(&phase->began_ns[kind]) != 0) {
                atomic_store(&phase->ended_ns[kind], now_ns);
            }
        }
    }
}

void accounts_named(struct record *record, enum name_kind kind) {
    add(&current(record->account)->names[kind], 1);
}

/* While other threads write, pages are dirty however well this one was synchronised. */
void accounts_synced(struct record *record, int fd, bool all) {
    extern char __libc_single_threaded;
    struct account *account = record->account;
    char link[64], path[WITNESS_PATH_BYTES];
    transfers_covered(current(account), fd, all);
    if (!__libc_single_threaded || account->synced_looks >= LOOKS) {
        return;
    }
    account->synced_looks++;
    int error = errno;
    inside = true;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    memset(&account->unwritten, 0, sizeof account->unwritten);
    weir_cachestat_add(path, &account->unwritten);
    inside = false;
    errno = error;
}

void accounts_through(struct record *record, int fd, ssize_t bytes) {
    if (accounts_wanted && record != NULL && bytes > 0) {
        transfers_through(current(record->account), fd, (uint64_t)bytes);
    }
}

void accounts_sync_all(void) {
    for (unsigned i = 0; i < atomic_load(&used); i++) {
        count(&accounts[i].record->syncs[SYNC_FS], 1);
        transfers_covered(current(&accounts[i]), -1, true);
    }
}

void accounts_begin(void) {
    const char *wanted = getenv("WEIR_WITNESS_MOUNTS"), *watch = getenv("WEIR_WITNESS_WATCH");
    accounts_wanted = wanted != NULL && wanted[0] != '\0';
    if (!accounts_wanted) {
        return;
    }
    clock_next = (int (*)(clockid_t, struct timespec *))next_call("clock_gettime");
    owner = getpid();
    mount_table_read();
    accounts_io_read(&start_io);
    is_started = accounts_started_by(getenv("WEIR_WITNESS_STARTER"));
    if (watch != NULL && watch[0] != '\0') {
        struct record *record = accounts_record(AT_FDCWD, watch);
        if (record != NULL) {
            record->account->watched = true;
        }
        only_watches = true;
    }
}

void accounts_forget(void) {
    owner = getpid();
    only_watches = false;
    accounts_io_read(&start_io);
    pthread_mutex_init(&mutex, NULL);
    transfers_in_child();
    for (unsigned i = 0; i < atomic_load(&used); i++) {
        accounts[i].used = 0;
        accounts[i].under_way = 0;
        accounts[i].more_phases = accounts[i].synced_looks = 0;
        memset(&accounts[i].unwritten, 0, sizeof accounts[i].unwritten);
        accounts[i].watched = false;
        accounts[i].is_stale = true;
        accounts[i].start.io = start_io; /* a child begins at zero */
    }
    atomic_store(&elsewhere_read_bytes, 0);
    atomic_store(&elsewhere_written_bytes, 0);
    atomic_store(&rings, 0);
    atomic_store(&uncounted_read_bytes, 0);
    atomic_store(&uncounted_written_bytes, 0);
}

bool accounts_is_started(void) {
    return is_started && !accounts_is_forgotten();
}

void accounts_inside(bool is_inside) {
    inside = is_inside;
}

bool accounts_are_inside(void) {
    return inside;
}

bool accounts_by_others(void) {
    return getpid() != owner;
}

const struct account *accounts_all(unsigned *count) {
    *count = atomic_load(&used);
    return accounts;
}

const struct weir_process_io *accounts_start_io(void) {
    return &start_io;
}
