/* Operations on names: how many of each kind there were, and when one kind followed another, which are the
 * phases of benchmarks of metadata. A sample of the names is looked up when the kind changes, by the kernel
 * itself: whether what was created is there, and what was removed is gone. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "accounts.h"

#define SAMPLED     16 /* names of a turn */
#define TIMED_EACH  64 /* operation; a clock costs as much as a look at a name that is in memory */
#define NAME_BYTES  512
#define LOOKS       8 /* at files right after the first synchronisations */
#define SMALL_BYTES (1 << 20)

static uint64_t totals[NAME_KINDS]; /* of the turns that ended */
static struct turn turns[WITNESS_TURNS];
static struct turn further; /* beyond those */
static unsigned used;       /* of turns; the last one may still go on */
static uint64_t uncounted;
static char sample[SAMPLED][NAME_BYTES];
static _Atomic(struct turn *) current; /* the turn that goes on */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
    char path[WITNESS_PATH_BYTES];
    size_t length;
} roots[2]; /* the directory under test as the kernel has it, and as the program was told */

static void find_roots(void) {
    static const char *const names[] = {"WEIR_WITNESS_ROOT", "WEIR_WITNESS_PATH"};
    for (int i = 0; i < 2; i++) {
        const char *value = getenv(names[i]);
        snprintf(roots[i].path, sizeof roots[i].path, "%s", value != NULL ? value : "");
        roots[i].length = strlen(roots[i].path);
        while (roots[i].length > 1 && roots[i].path[roots[i].length - 1] == '/') {
            roots[i].length--;
        }
    }
}

static bool is_absolute_below_root(const char *path) {
    for (int i = 0; i < 2; i++) {
        size_t length = roots[i].length;
        if (length > 0 && strncmp(path, roots[i].path, length) == 0 &&
            (path[length] == '/' || path[length] == '\0')) {
            return true;
        }
    }
    return false;
}

static bool is_under_test(int directory, const char *path) {
    char base[WITNESS_PATH_BYTES];
    if (path == NULL) {
        return false;
    }
    if (path[0] == '/') {
        return is_absolute_below_root(path);
    }
    descriptor_path(directory, base, sizeof base);
    return is_absolute_below_root(base);
}

/* A relative name cannot be looked up later: the directory may be another one then. Each of the operations so
 * far is kept with the same chance. */
static void keep(struct turn *turn, const char *path, uint64_t before) {
    uint64_t drawn = (before + 1) * 0x9e3779b97f4a7c15u;
    drawn = (drawn ^ (drawn >> 32)) * 0xd6e8feb86659fd93u;
    uint64_t at = before < SAMPLED ? before : (drawn >> 32) % (before + 1);
    if (at >= SAMPLED || path[0] != '/' || strlen(path) >= NAME_BYTES) {
        return;
    }
    pthread_mutex_lock(&mutex);
    strcpy(sample[at], path);
    turn->sampled += before < SAMPLED;
    pthread_mutex_unlock(&mutex);
}

static void look_up(struct turn *turn) {
    bool synced = turn->kind == NAME_CREATE && turn->span.end.syncs > turn->span.begin.syncs;
    for (unsigned i = 0; i < turn->sampled && i < SAMPLED; i++) {
        struct stat facts;
        bool found = syscall(SYS_newfstatat, AT_FDCWD, sample[i], &facts, AT_SYMLINK_NOFOLLOW) == 0;
        turn->there += found;
        if (found && synced) {
            weir_cachestat_add(sample[i], &turn->unwritten);
        }
    }
}

static void end_turn(void) {
    struct turn *turn = atomic_exchange(&current, NULL);
    if (turn == NULL) {
        return;
    }
    totals[turn->kind] += atomic_load(&turn->operations);
    if (turn != &further) {
        spans_now(&turn->span.end);
        look_up(turn);
        turn->span.ended = true;
    }
}

static void begin_turn(enum name_kind kind) {
    end_turn();
    struct turn *turn = used < WITNESS_TURNS ? &turns[used] : &further;
    memset(turn, 0, sizeof *turn);
    turn->kind = kind;
    if (turn == &further) {
        uncounted++;
    } else {
        used++;
        spans_now(&turn->span.begin);
        turn->span.transfers_end_ns = turn->span.begin.raw_ns;
    }
    atomic_store(&current, turn);
}

/* The call that goes on in this thread belongs to this account. */
static _Thread_local struct record *account_of_call;
static _Thread_local uint64_t call_began_ns;

void name_begins(enum name_kind kind, int directory, const char *path) {
    if (accounts_wanted) {
        struct record *record = accounts_record(directory, path);
        uint64_t began_ns = CALL_BEGINS(record, CALL_NAME); /* may open files of its own */
        account_of_call = record;
        call_began_ns = began_ns;
        return;
    }
    struct turn *turn = atomic_load_explicit(&current, memory_order_relaxed);
    if ((turn != NULL && turn->kind == kind) || !is_under_test(directory, path)) {
        return;
    }
    int error = errno;
    pthread_mutex_lock(&mutex);
    begin_turn(kind);
    pthread_mutex_unlock(&mutex);
    errno = error;
}

void name_done(enum name_kind kind, int directory, const char *path, int result) {
    if (accounts_wanted) {
        CALL_ENDED(account_of_call, CALL_NAME, call_began_ns, -1, 0);
        if (account_of_call != NULL && result >= 0) {
            accounts_named(account_of_call, kind, call_began_ns);
        }
        return;
    }
    struct turn *turn = atomic_load_explicit(&current, memory_order_relaxed);
    if (result < 0 || turn == NULL || turn->kind != kind || !is_under_test(directory, path)) {
        return;
    }
    uint64_t before = atomic_fetch_add_explicit(&turn->operations, 1, memory_order_relaxed);
    places_named(&turn->named, directory, path);
    if (kind == NAME_CREATE || kind == NAME_MKDIR || kind == NAME_UNLINK || kind == NAME_RMDIR) {
        keep(turn, path, before);
    }
    if ((before + 1) % TIMED_EACH == 0) {
        turn->span.transfers_end_ns = weir_raw_clock_ns();
    }
}

/* A synchronisation of all at the end leaves no page of which something could be told. */
void names_synced(int fd) {
    struct turn *turn = atomic_load_explicit(&current, memory_order_relaxed);
    struct stat facts;
    char path[WITNESS_PATH_BYTES];
    if (turn == NULL || turn->kind != NAME_CREATE || syscall(SYS_fstat, fd, &facts) != 0 ||
        facts.st_size > SMALL_BYTES) {
        return;
    }
    int error = errno;
    pthread_mutex_lock(&mutex);
    uint64_t before = turn->synced++;
    if (before < LOOKS || (before & (before - 1)) == 0) { /* ever fewer */
        descriptor_path(fd, path, sizeof path);
        weir_cachestat_add(path, &turn->unwritten);
    }
    pthread_mutex_unlock(&mutex);
    errno = error;
}

void names_begin(void) {
    find_roots();
    pthread_mutex_init(&mutex, NULL);
    atomic_store(&current, NULL);
    used = 0;
    uncounted = 0;
    memset(totals, 0, sizeof totals);
}

void names_end(void) {
    pthread_mutex_lock(&mutex);
    end_turn();
    pthread_mutex_unlock(&mutex);
}

const uint64_t *names_totals(void) {
    return totals;
}

const struct turn *names_turns(unsigned *count, uint64_t *more) {
    *count = used;
    *more = uncounted;
    return turns;
}
