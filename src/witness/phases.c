/* What a process does on a mount, in phases: what each call adds. */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "image.h"

#define LOOKS 8 /* at pages after the first synchronisations: a database makes thousands */

static _Thread_local bool inside;        /* what the library itself opens and reads does not count */
static _Atomic(struct account *) queued; /* with transfers whose end is waited for */
static _Atomic int queued_kind;          /* of the last of these */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int (*clock_next)(clockid_t, struct timespec *);

void accounts_inside(bool is_inside) {
    inside = is_inside;
}

bool accounts_are_inside(void) {
    return inside;
}

void phases_begin(void) {
    if (clock_next == NULL) {
        clock_next = (int (*)(clockid_t, struct timespec *))next_call("clock_gettime");
    }
    pthread_mutex_init(&mutex, NULL);
}

/* The clock is the C library's own, whoever stands before us: a system call for each would cost too much. */
static uint64_t clock_ns(void) {
    struct timespec now = {0, 0};
    clock_next(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void count_inside(struct account *account, struct counters *now) {
    now->raw_ns = clock_ns();
    accounts_io_read(&now->io);
    now->io.counts[WEIR_IO_CANCELLED_WRITE_BYTES] -= account->cancelled_before_bytes;
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

void accounts_all_closed(struct account *account) {
    const struct phase *phase = &account->phases[account->used > 0 ? account->used - 1 : 0];
    uint64_t moved = atomic_load(&phase->read_bytes) + atomic_load(&phase->written_bytes);
    uint64_t before = atomic_exchange(&account->closed_bytes, moved);
    if (moved >= before + ACCOUNTS_WORTH_BYTES) { /* MPI-IO opens a file once more for nothing */
        atomic_store(&account->was_worth, true);
    }
    atomic_store(&account->reopened, true);
}

/* What the next transfer begins. A continuing phase and those before it turn as one. */
enum beginning { BEGINS_NOTHING, BEGINS_CONTINUING, BEGINS_PHASE };

static enum beginning turns(struct account *account, enum call_kind kind) {
    if (kind > CALL_WRITE || !atomic_load(&account->reopened)) {
        return BEGINS_NOTHING;
    }
    atomic_store(&account->reopened, false);
    uint64_t moved[CALL_WRITE + 1] = {0, 0};
    const struct phase *phase = &account->phases[account->used];
    do {
        phase--;
        moved[CALL_READ] += atomic_load(&phase->read_bytes);
        moved[CALL_WRITE] += atomic_load(&phase->written_bytes);
    } while (phase->continues);
    if (moved[kind] == 0 && moved[CALL_READ] + moved[CALL_WRITE] > 0) {
        return BEGINS_PHASE;
    }
    bool is_worth = atomic_load(&account->was_worth) && account->used < ACCOUNTS_CONTINUING;
    return is_worth ? BEGINS_CONTINUING : BEGINS_NOTHING;
}

static void phase_begin(struct account *account, bool continues, uint64_t now_ns) {
    if (account->used == ACCOUNTS_PHASES) {
        account->more_phases++;
        return;
    }
    struct phase *phase = &account->phases[account->used];
    image_share(phase, sizeof *phase);
    memset(phase, 0, sizeof *phase);
    if (account->used > 0 || account->is_stale) {
        accounts_count(account, &phase->before);
    } else {
        phase->before = account->start;
    }
    account->is_stale = false;
    atomic_store(&account->closed_bytes, 0);
    atomic_store(&account->was_worth, false);
    phase->continues = continues;
    phase->first_ns = now_ns;
    atomic_store(&phase->last_ns, now_ns);
    account->used++;
}

static struct phase *current(struct account *account) {
    return &account->phases[account->used > 0 ? account->used - 1 : 0];
}

/* As add(): a locked addition takes as long as the rest but the clock. A handler of a signal that transfers,
 * too, leaves the number as it was. */
static int under_way(struct account *account, int change) {
    if (!is_single_threaded()) {
        return atomic_fetch_add(&account->under_way, change) + change;
    }
    int calls = atomic_load_explicit(&account->under_way, memory_order_relaxed) + change;
    atomic_store_explicit(&account->under_way, calls, memory_order_relaxed);
    return calls;
}

static void begins(struct account *account) {
    int at_once = under_way(account, 1);
    struct phase *phase = current(account);
    if (at_once > atomic_load_explicit(&phase->most_at_once, memory_order_relaxed)) {
        atomic_store_explicit(&phase->most_at_once, at_once, memory_order_relaxed);
    }
}

#define LOOKS_FROM_BYTES (1u << 20) /* read in the phase: looked at then, and at each eighth more */
#define AHEAD_BYTES      (8u << 20) /* the kernel itself may have fetched ahead of the reads */

static void first_read(struct phase *phase) {
    bool expected = false;
    if (atomic_load(&phase->is_read)) {
        return; /* another thread was here first */
    }
    uint64_t bytes = accounts_fetched_bytes();
    if (atomic_compare_exchange_strong(&phase->is_read, &expected, true)) {
        phase->fetched_before_bytes = bytes;
        atomic_store(&phase->fetched_beyond_bytes, bytes);
        atomic_store(&phase->next_look_bytes, LOOKS_FROM_BYTES);
    }
}

void accounts_fetched_ahead(struct account *account, uint64_t before_bytes, uint64_t began_ns) {
    struct phase *phase = current(account);
    uint64_t none = 0;
    if (account->used > 0) {
        bool is_late = atomic_load(&phase->is_read);
        add(is_late ? &phase->ahead_bytes : &phase->ahead_before_bytes,
            accounts_fetched_bytes() - before_bytes);
        atomic_compare_exchange_strong(&phase->ahead_from_ns, &none, began_ns);
    }
}

/* Rare: how much was fetched so far; until the last read, no more than that and what is read after this look.
 * Where it is more than was read so far, by calls that are not seen, such as advice around the C library, no
 * read waits for it later. */
static __attribute__((noinline)) void look_ahead(struct phase *phase, uint64_t read_bytes) {
    uint64_t fetched = accounts_fetched_bytes(), own = phase->fetched_before_bytes + read_bytes + AHEAD_BYTES;
    uint64_t known = atomic_load(&phase->ahead_bytes), none = 0;
    int eighth = 60 - __builtin_clzll(read_bytes); /* of the power of two: most sizes end at such a look */
    atomic_store(&phase->fetched_beyond_bytes, fetched - read_bytes);
    atomic_store(&phase->next_look_bytes, ((read_bytes >> eighth) + 1) << eighth);
    if (fetched <= own) {
        return;
    }
    while (known < fetched - own &&
           !atomic_compare_exchange_weak(&phase->ahead_bytes, &known, fetched - own)) {
    }
    atomic_compare_exchange_strong(&phase->ahead_from_ns, &none, atomic_load(&phase->began_ns[CALL_READ]));
}

static void note_read(struct phase *phase) {
    uint64_t all = atomic_load_explicit(&phase->read_bytes, memory_order_relaxed);
    if (__builtin_expect(all >= atomic_load_explicit(&phase->next_look_bytes, memory_order_relaxed), 0)) {
        look_ahead(phase, all);
    }
}

/* Rare: the call is the first one of a phase, or its first read. */
static __attribute__((noinline)) uint64_t first_of_phase(struct account *account, const struct phase *phase,
                                                         enum beginning begins_what, enum call_kind kind,
                                                         uint64_t now_ns) {
    int error = errno;
    if (begins_what != BEGINS_NOTHING) {
        pthread_mutex_lock(&mutex);
        if (phase == NULL ? account->used == 0 : phase == &account->phases[account->used - 1]) {
            phase_begin(account, begins_what == BEGINS_CONTINUING, now_ns);
        }
        pthread_mutex_unlock(&mutex);
    }
    if (kind == CALL_READ) {
        first_read(current(account));
    }
    errno = error;
    return clock_ns();
}

_Atomic bool accounts_writes_streams;

/* What the process had written when the thread began to synchronise, and whether it alone made a call. */
static _Thread_local struct {
    uint64_t written_bytes;
    bool is_alone;
} sync_began;

static void sync_begins(struct account *account) {
    sync_began.is_alone = atomic_load(&account->under_way) == 1;
    sync_began.written_bytes = atomic_load(&current(account)->written_bytes);
}

/* Whether no other thread wrote since the synchronisation began, nor may have by calls that are not seen. */
static bool is_undisturbed(const struct record *record, int fd) {
    struct account *account = record->account;
    bool is_seen = image.rings == 0 && !atomic_load(&accounts_writes_streams) && !mappings_may_write(fd);
    return is_single_threaded() ||
           (is_seen && !atomic_load(&current(account)->is_queued) && sync_began.is_alone &&
            atomic_load(&account->under_way) == 0 &&
            sync_began.written_bytes == atomic_load(&current(account)->written_bytes));
}

uint64_t accounts_call_begins(struct record *record, enum call_kind kind) {
    struct account *account = record->account;
    uint64_t now_ns = clock_ns();
    struct phase *phase = account->used > 0 ? &account->phases[account->used - 1] : NULL;
    bool is_first = phase == NULL || now_ns > atomic_load(&phase->last_ns) + ACCOUNTS_GAP_NS;
    enum beginning what = is_first ? BEGINS_PHASE : turns(account, kind);
    if (__builtin_expect(what != BEGINS_NOTHING, 0) ||
        (kind == CALL_READ && !atomic_load_explicit(&phase->is_read, memory_order_relaxed))) {
        now_ns = first_of_phase(account, phase, what, kind, now_ns);
    }
    begins(account);
    if (kind == CALL_SYNC) {
        sync_begins(account);
    }
    return now_ns;
}

/* What is taken away before the first write of a phase are bytes of somebody else, such as of the file that
 * an open with O_TRUNC empties. */
static void first_write(struct account *account, const struct phase *phase) {
    struct weir_process_io now;
    int error = errno;
    inside = true;
    accounts_io_read(&now);
    inside = false;
    errno = error;
    if (now.known && phase->before.io.known) {
        uint64_t grown = now.counts[WEIR_IO_CANCELLED_WRITE_BYTES] - account->cancelled_before_bytes;
        account->cancelled_before_bytes += grown - phase->before.io.counts[WEIR_IO_CANCELLED_WRITE_BYTES];
    }
}

static void note_ends(struct account *account, struct phase *phase, enum call_kind kind, uint64_t began_ns,
                      uint64_t now_ns) {
    uint64_t none = 0;
    if (atomic_load_explicit(&phase->began_ns[kind], memory_order_relaxed) == 0) {
        bool is_first = atomic_compare_exchange_strong(&phase->began_ns[kind], &none, began_ns);
        if (is_first && kind == CALL_WRITE) {
            first_write(account, phase);
        }
    }
    atomic_store_explicit(&phase->ended_ns[kind], now_ns, memory_order_relaxed);
}

void accounts_queued(struct record *record, enum call_kind kind) {
    atomic_store(&queued_kind, kind);
    atomic_store(&current(record->account)->is_queued, true);
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
    add(&phase->calls[kind], 1);
    add(&phase->busy_ns[kind], now_ns - began_ns);
    if (kind <= CALL_WRITE && bytes > 0) {
        transfers_count(phase, kind, fd, (uint64_t)bytes);
    }
    under_way(record->account, -1); /* after its bytes were counted (is_undisturbed) */
    atomic_store_explicit(&phase->last_ns, now_ns, memory_order_relaxed);
    if (kind != CALL_NAME) {
        note_ends(record->account, phase, kind, began_ns, now_ns);
    }
    if (kind == CALL_READ && bytes > 0) {
        note_read(phase);
    }
}

void accounts_waited(struct account *account, uint64_t began_ns) {
    if (account != NULL) {
        struct phase *phase = current(account);
        uint64_t now_ns = clock_ns();
        under_way(account, -1);
        add(&phase->busy_ns[atomic_load(&queued_kind)], now_ns - began_ns);
        atomic_store(&phase->last_ns, now_ns);
        for (int kind = CALL_READ; kind <= CALL_WRITE; kind++) {
            if (atomic_load(&phase->began_ns[kind]) != 0) {
                atomic_store(&phase->ended_ns[kind], now_ns);
            }
        }
    }
}

#define NAMED_IN_ROW 64 /* before that, they may be those of a start, such as of MPI, which are slow */

void accounts_named(struct record *record, enum name_kind kind, uint64_t began_ns) {
    struct account *account = record->account;
    struct phase *phase = current(account);
    uint64_t ended_ns = atomic_load_explicit(&phase->last_ns, memory_order_relaxed);
    bool is_same = atomic_load_explicit(&account->last_named, memory_order_relaxed) == (int)kind;
    unsigned in_row = is_same ? atomic_load_explicit(&account->named_in_row, memory_order_relaxed) + 1 : 1;
    atomic_store_explicit(&account->last_named, (int)kind, memory_order_relaxed);
    atomic_store_explicit(&account->named_in_row, in_row, memory_order_relaxed);
    add(&phase->names[kind], 1);
    if (in_row > NAMED_IN_ROW && ended_ns > began_ns) {
        add(&phase->named_ns[kind], ended_ns - began_ns);
    }
}

/* A look at the pages takes as long as they are many; after the first synchronisations one whenever there
 * were twice as many. While other threads write, pages are dirty however well this one was synchronised. */
void accounts_synced(struct record *record, int fd, bool all) {
    struct account *account = record->account;
    struct weir_cachestat seen;
    struct stat facts;
    char path[WITNESS_PATH_BYTES];
    transfers_covered(current(account), fd, all);
    if (!is_undisturbed(record, fd)) {
        return;
    }
    uint64_t before = account->syncs++;
    if (before >= LOOKS && (before & (before - 1)) != 0) {
        return;
    }
    int error = errno;
    inside = true;
    descriptor_path(fd, path, sizeof path);
    memset(&seen, 0, sizeof seen);
    weir_cachestat_add(path, &seen);
    if (is_undisturbed(record, fd)) {
        account->unwritten = seen;
        account->unwritten_inode = syscall(SYS_fstat, fd, &facts) == 0 ? facts.st_ino : 0;
    }
    inside = false;
    errno = error;
}

void accounts_through(struct record *record, int fd, ssize_t bytes) {
    if (accounts_wanted && record != NULL && bytes > 0) {
        transfers_through(current(record->account), fd, (uint64_t)bytes);
    }
}

void accounts_synced_all(struct account *account) {
    transfers_covered(current(account), -1, true);
}
