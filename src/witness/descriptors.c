/* Which descriptor is which file under test. Fixed tables: no memory is allocated while a program is
 * measured. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "closing.h"
#include "transfer.h"

#define DESCRIPTORS    ACCOUNTS_DESCRIPTORS
#define MOUNT_ID       0x1000u /* STATX_MNT_ID of Linux 5.8: the headers may be older */
#define MOUNT_ID_PLACE 144     /* of the mount in the answer */
#define TRUSTED        15      /* opens after one whose path was read */

_Atomic(struct record *) descriptors_table[DESCRIPTORS];
struct record descriptors_elsewhere;
static _Atomic int64_t positions[DESCRIPTORS];   /* -1: shared with another descriptor */
static _Atomic uint64_t identities[DESCRIPTORS]; /* of the files; 0: not known */
char tested_root[WITNESS_PATH_BYTES];

void descriptors_begin(void) {
    const char *given = getenv("WEIR_WITNESS_ROOT");
    snprintf(tested_root, sizeof tested_root, "%s", given != NULL ? given : "");
}

struct record *file_of(int fd) {
    struct record *record = file_in_table(fd);
    return record != &descriptors_elsewhere ? record : NULL;
}

/* The path as the kernel has it; the program's own where the open failed. */
static bool find_path(int fd, const char *given, char path[WITNESS_PATH_BYTES]) {
    if (fd < 0) {
        snprintf(path, WITNESS_PATH_BYTES, "%s", given);
        return true;
    }
    return descriptor_path(fd, path, WITNESS_PATH_BYTES) > 0;
}

static void count_direct(struct record *record, int fd) {
    int (*reported)(int, int, ...) = (int (*)(int, int, ...))next_call("fcntl");
    count(&record->direct_requested, 1);
    if (reported != NULL && (reported(fd, F_GETFL) & O_DIRECT) != 0) {
        count(&record->direct_reported, 1);
    }
    if ((syscall(SYS_fcntl, fd, F_GETFL) & O_DIRECT) != 0) {
        count(&record->direct_kernel, 1);
    }
}

void file_flagged(struct record *record, int fd, int flags) {
    if ((flags & O_DIRECT) != 0) {
        count_direct(record, fd);
    }
}

/* Only files and disks have bytes for an account: no directories, no terminals. */
static struct record *record_of_account(int fd, const char *given) {
    struct stat facts = {.st_mode = S_IFREG};
    char path[WITNESS_PATH_BYTES];
    if ((fd >= 0 && fstat(fd, &facts) != 0) || !find_path(fd, given, path)) {
        return NULL;
    }
    return S_ISREG(facts.st_mode)   ? accounts_record(AT_FDCWD, path)
           : S_ISBLK(facts.st_mode) ? accounts_block_record(path)
                                    : NULL;
}

/* Asks the system alone, without a question to a server. The mount is 0 where the kernel does not tell. */
static uint64_t identity_of(int fd, uint64_t *mount) {
    struct statx facts;
    *mount = 0;
    if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO | MOUNT_ID, &facts) != 0) {
        return 0;
    }
    if ((facts.stx_mask & MOUNT_ID) != 0) {
        memcpy(mount, (const char *)&facts + MOUNT_ID_PLACE, sizeof *mount);
    }
    return places_mixed((uint64_t)facts.stx_dev_major << 32 | facts.stx_dev_minor) ^
           places_mixed(facts.stx_ino);
}

/* The kernel's path of a file takes a microsecond to read, twice as long as a file in memory takes to open.
 * Beyond the files with counts of their own the path of one open stands for the next ones of the same
 * directory, where they are on its mount. */
static _Thread_local struct {
    uint64_t directory, mount; /* as the program named it, hashed */
    unsigned left;             /* of the opens that are trusted */
} trusted;

/* The name after the last slash must be the file's own: a link may lead elsewhere. */
static void trust(int fd, const char *given, const char *path) {
    const char *name = strrchr(given, '/'), *own = strrchr(path, '/');
    trusted.left = 0;
    if (given[0] == '/' && own != NULL && strcmp(name, own) == 0 && identity_of(fd, &trusted.mount) != 0 &&
        trusted.mount != 0) {
        trusted.directory = places_hash(0, given, (size_t)(name - given));
        trusted.left = TRUSTED;
    }
}

static struct record *record_trusted(int fd, const char *given, uint64_t *identity) {
    const char *name = strrchr(given, '/');
    uint64_t mount;
    if (trusted.left == 0 || given[0] != '/' ||
        places_hash(0, given, (size_t)(name - given)) != trusted.directory) {
        return NULL;
    }
    trusted.left--;
    *identity = identity_of(fd, &mount);
    return *identity != 0 && mount == trusted.mount ? file_record_beyond(given) : NULL;
}

static struct record *record_under_test(int fd, const char *given) {
    char path[WITNESS_PATH_BYTES];
    if (accounts_wanted) {
        return record_of_account(fd, given);
    }
    const char *above = tested_root[0] != '\0' ? tested_root : getenv("WEIR_WITNESS_ROOT");
    if (above == NULL || !find_path(fd, given, path) || !is_below(path, above)) {
        trusted.left = 0;
        return NULL;
    }
    if (fd >= 0 && given[0] != '\0') {
        trust(fd, given, path);
    }
    return file_record(path);
}

static void descriptor_begins(int fd, struct record *record, uint64_t identity) {
    uint64_t mount;
    bool is_asked = record->account == NULL && identity == 0;
    atomic_store(&positions[fd], 0);
    atomic_store(&identities[fd], is_asked ? identity_of(fd, &mount) : identity);
    atomic_store(&descriptors_table[fd], record);
    if (record->account != NULL) {
        accounts_opened(record, fd);
    } else {
        spans_opened();
    }
}

void descriptors_inherited(void) {
    WEIR_DIR *entries = opendir("/proc/self/fd");
    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        int fd = atoi(entry->d_name);
        bool is_other = entry->d_name[0] != '.' && fd != dirfd(entries) && fd < DESCRIPTORS;
        struct record *record = is_other ? record_under_test(fd, "") : NULL;
        if (record != NULL) {
            count(&record->stdio_opens, 1); /* it may be */
            descriptor_begins(fd, record, 0);
        }
    }
}

/* A descriptor that no call brought which is seen: of mkstemp, of syscall(2), of a socket (SCM_RIGHTS). */
struct record *file_looked_at(int fd) {
    if (accounts_are_inside()) {
        return NULL;
    }
    int error = errno;
    struct record *record = record_under_test(fd, ""), *none = NULL;
    if (atomic_compare_exchange_strong(&descriptors_table[fd], &none,
                                       record != NULL ? record : &descriptors_elsewhere) &&
        record != NULL) {
        accounts_opened(record, fd);
    }
    errno = error;
    return file_in_table(fd);
}

void file_opened(const char *given, int flags, int fd) {
    if (fd >= 0 && file_closed(fd)) { /* closed by a call that was not seen */
        spans_closed();
    }
    uint64_t identity = 0;
    struct record *record = fd >= 0 && !accounts_wanted ? record_trusted(fd, given, &identity) : NULL;
    record = record != NULL ? record : record_under_test(fd, given);
    if (record == NULL) {
        return;
    }
    if (fd < 0) {
        count(&record->opens_failed, 1);
        return;
    }
    count(&record->opens, 1);
    atomic_fetch_or(&record->flags, (uint64_t)(unsigned)flags);
    file_flagged(record, fd, flags);
    if (fd < DESCRIPTORS) {
        descriptor_begins(fd, record, identity);
    }
}

/* Spans are of files under test; accounts have phases of their own. */
bool file_closed(int fd) {
    struct record *record = file_of(fd);
    if (record == NULL) {
        if (file_in_table(fd) != NULL && fd >= 0 && fd < DESCRIPTORS) {
            atomic_store(&descriptors_table[fd], NULL);
        }
        return false;
    }
    if (record->account != NULL) {
        atomic_store(&descriptors_table[fd], NULL);
        accounts_closed(record, fd);
        return false;
    }
    spans_closing();
    atomic_store(&descriptors_table[fd], NULL);
    return true;
}

bool file_is_still(int fd) {
    uint64_t then = atomic_load(&identities[fd]), mount;
    if (then == 0 || identity_of(fd, &mount) == then) {
        return true;
    }
    if (file_closed(fd)) { /* or replaced, by calls that were not seen */
        spans_closed();
    }
    return false;
}

void file_duplicated(int from, int to) {
    struct record *record = file_of(from);
    if (to < 0 || to >= DESCRIPTORS || from == to) {
        return;
    }
    if (file_closed(to)) {
        spans_closed();
    }
    if (record != NULL) {
        descriptor_begins(to, record, 0);
        atomic_store(&positions[from], -1);
        atomic_store(&positions[to], -1);
    }
}

int64_t position_taken(int fd, int64_t bytes) {
    int64_t position = atomic_load_explicit(&positions[fd], memory_order_relaxed);
    if (position >= 0) {
        atomic_store_explicit(&positions[fd], position + bytes, memory_order_relaxed);
    }
    return position;
}

void position_set(int fd, int64_t position) {
    if (atomic_load_explicit(&positions[fd], memory_order_relaxed) >= 0) {
        atomic_store_explicit(&positions[fd], position, memory_order_relaxed);
    }
}
