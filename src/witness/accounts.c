/* What a process does on each mount, in phases. Fixed tables, as in files.c. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "image.h"

#define FIRST_EXTENTS 4
#define SHARED_PHASES 4 /* from the begin of an account: later the process may have another root or user */

bool accounts_wanted;
struct weir_process_io accounts_start_io;
static bool only_watches; /* this process counts the mount that it watches, and does nothing else */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* The observers keep what they found of one mount. */
static bool servers_are_free(void) {
    for (unsigned i = 0; i < atomic_load(&image.used); i++) {
        if (image.accounts[i].watches_servers) {
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

/* Facts of the process, before its first account. */
static void head_begin(void) {
    image_share(&image, offsetof(struct image, sample));
    image.answers_syncs = chain_answers_syncs();
    weir_control_group_read(&image.group);
    image.is_waited_for = !accounts_is_forgotten();
    FILE *stream = fmemopen(image.chain, sizeof image.chain, "w");
    if (stream != NULL) {
        chain_write(stream);
        image.lacks |= fclose(stream) != 0;
    }
    image.layout = IMAGE_LAYOUT;
}

static void account_begin(struct account *account, const char *point) {
    char path[WITNESS_PATH_BYTES + 1];
    struct stat facts;
    const char *above = tested_root[0] != '\0' ? mount_table_point(tested_root) : NULL;
    image_share(account, offsetof(struct account, phases[SHARED_PHASES]));
    snprintf(account->record.path, sizeof account->record.path, "%s", point);
    account->record.account = account;
    if (stat(point, &facts) == 0 && S_ISBLK(facts.st_mode)) {
        block_begin(account, point, facts.st_rdev);
        return;
    }
    snprintf(path, sizeof path, "%s/", above != NULL && strcmp(above, point) == 0 ? tested_root : point);
    weir_medium_of_directory(path, NULL, &account->medium);
    weir_device_begin(path, &account->medium, &account->device);
    if (servers_are_free()) {
        weir_servers_begin(&account->medium, &account->servers);
        account->watches_servers = account->servers.any;
    }
    accounts_count(account, &account->start);
}

static struct record *record_among(unsigned first, unsigned end, const char *point) {
    for (unsigned i = first; i < end; i++) {
        if (strcmp(image.accounts[i].record.path, point) == 0) {
            return &image.accounts[i].record;
        }
    }
    return NULL;
}

static struct record *record_with_account(const char *point) {
    unsigned used = atomic_load(&image.used);
    struct record *record = record_among(0, used, point);
    if (record != NULL) {
        return record;
    }
    accounts_inside(true);
    pthread_mutex_lock(&mutex);
    unsigned at = atomic_load(&image.used);
    record = record_among(used, at, point);
    if (record == NULL && at < ACCOUNTS) {
        if (at == 0) {
            head_begin();
        }
        account_begin(&image.accounts[at], point);
        record = &image.accounts[at].record;
        atomic_store(&image.used, at + 1);
    }
    pthread_mutex_unlock(&mutex);
    accounts_inside(false);
    return record;
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
    char whole[2 * WITNESS_PATH_BYTES];
    if (path == NULL || accounts_are_inside() || only_watches) {
        return NULL;
    }
    if (path[0] != '/') {
        size_t length = descriptor_path(directory, whole, WITNESS_PATH_BYTES + 1);
        if (length == 0 || strlen(path) + 2 > sizeof whole - length) {
            return NULL;
        }
        whole[length] = '/';
        strcpy(whole + length + (path[0] != '\0'), path);
        path = whole;
    }
    if (is_nowhere(path) ||
        (tested_root[0] != '\0' && !is_below(path, tested_root) && !mount_table_is_tested(path))) {
        return NULL;
    }
    const char *point = mount_table_point(path);
    return point != NULL ? record_with_account(point) : NULL;
}

struct record *accounts_block_record(const char *path) {
    bool is_wanted = tested_root[0] == '\0' || is_below(path, tested_root);
    return is_wanted && !accounts_are_inside() && !only_watches ? record_with_account(path) : NULL;
}

/* Whether the first parts of a file were compressed when they were written, whatever the mount is now. */
static bool is_stored_compressed(int fd) {
    struct {
        struct fiemap map;
        struct fiemap_extent extents[FIRST_EXTENTS];
    } asked = {.map = {.fm_length = FIEMAP_MAX_OFFSET, .fm_extent_count = FIRST_EXTENTS}};
    struct stat facts;
    bool found = false;
    if (syscall(SYS_fstat, fd, &facts) == 0 && facts.st_size >= (off_t)ACCOUNTS_WORTH_BYTES &&
        syscall(SYS_ioctl, fd, FS_IOC_FIEMAP, &asked) == 0) {
        for (unsigned i = 0; i < asked.map.fm_mapped_extents && i < FIRST_EXTENTS; i++) {
            found |= (asked.extents[i].fe_flags & FIEMAP_EXTENT_ENCODED) != 0;
        }
    }
    return found;
}

/* btrfs compresses single files and directories, too (chattr +c), whatever the mount is. */
static void note_compression(struct account *account, int fd) {
    int flags = 0;
    if (!atomic_load(&account->compresses) && strcmp(account->medium.file_system, "btrfs") == 0) {
        bool is_told = syscall(SYS_ioctl, fd, FS_IOC_GETFLAGS, &flags) == 0 && (flags & FS_COMPR_FL) != 0;
        atomic_store(&account->compresses, is_told || is_stored_compressed(fd));
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
        accounts_all_closed(record->account);
    }
}

void accounts_listed(struct record *record, uint64_t entries, uint64_t busy_ns) {
    uint64_t most_ns = atomic_load(&record->account->listed_ns);
    atomic_fetch_add(&record->account->listed, entries);
    while (busy_ns > most_ns &&
           !atomic_compare_exchange_weak(&record->account->listed_ns, &most_ns, busy_ns)) {
    }
}

void accounts_sync_all(void) {
    for (unsigned i = 0; i < atomic_load(&image.used); i++) {
        count(&image.accounts[i].record.syncs[SYNC_FS], 1);
        accounts_synced_all(&image.accounts[i]);
    }
}

void accounts_begin(void) {
    const char *wanted = getenv("WEIR_WITNESS_MOUNTS"), *watch = getenv("WEIR_WITNESS_WATCH");
    accounts_wanted = wanted != NULL && wanted[0] != '\0';
    if (!accounts_wanted) {
        return;
    }
    phases_begin();
    image_begin();
    image.pid = getpid();
    image.rank = rank_of();
    snprintf(image.program, sizeof image.program, "%s", program_invocation_name);
    weir_device_read_kernel(image.kernel);
    mount_table_read();
    accounts_io_read(&accounts_start_io);
    image.is_started = accounts_started_by(getenv("WEIR_WITNESS_STARTER"));
    if (watch != NULL && watch[0] != '\0') {
        struct record *record = accounts_record(AT_FDCWD, watch);
        if (record != NULL) {
            record->account->watched = true;
        }
        only_watches = true;
    }
}

static void account_forget(struct account *account) {
    account->used = 0;
    account->under_way = 0;
    account->more_phases = account->syncs = account->cancelled_before_bytes = 0;
    account->closed_bytes = 0;
    account->listed = account->listed_ns = 0;
    account->was_worth = false;
    memset(&account->unwritten, 0, sizeof account->unwritten);
    account->unwritten_inode = 0;
    account->watched = false;
    account->is_stale = true;
    account->start.io = accounts_start_io; /* a child begins at zero */
    struct record *record = &account->record;
    char *counts = (char *)&record->opens; /* the first of them, after the path */
    memset(counts, 0, (size_t)((char *)(record + 1) - counts));
    record->account = account;
}

void accounts_forget(void) {
    image.pid = getpid();
    image.is_waited_for = !accounts_is_forgotten();
    only_watches = false;
    accounts_io_read(&accounts_start_io);
    pthread_mutex_init(&mutex, NULL);
    phases_begin();
    transfers_in_child();
    for (unsigned i = 0; i < atomic_load(&image.used); i++) {
        account_forget(&image.accounts[i]);
    }
    atomic_store(&image.elsewhere_read_bytes, 0);
    atomic_store(&image.elsewhere_written_bytes, 0);
    atomic_store(&image.rings, 0);
    atomic_store(&image.uncounted_read_bytes, 0);
    atomic_store(&image.uncounted_written_bytes, 0);
}

bool accounts_by_others(void) {
    return getpid() != image.pid;
}
