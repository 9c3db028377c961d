/* Which descriptor is which file under test. Fixed tables: no memory is allocated while a program is
 * measured. */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "witness.h"

#define DESCRIPTORS 65536

static struct record records[WITNESS_FILES];
static struct record others; /* all files beyond the first ones */
static _Atomic unsigned used;
static _Atomic uint64_t others_opened;
static _Atomic(struct record *) table[DESCRIPTORS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

struct record *file_of(int fd) {
    return fd >= 0 && fd < DESCRIPTORS ? atomic_load_explicit(&table[fd], memory_order_relaxed) : NULL;
}

static bool is_below(const char *path, const char *root) {
    size_t length = strlen(root);
    while (length > 1 && root[length - 1] == '/') {
        length--;
    }
    return strncmp(path, root, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* The path as the kernel has it; the program's own where the open failed. */
static bool find_path(int fd, const char *given, char path[WITNESS_PATH_BYTES]) {
    char link[64];
    if (fd < 0) {
        snprintf(path, WITNESS_PATH_BYTES, "%s", given);
        return true;
    }
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, WITNESS_PATH_BYTES - 1);
    path[length > 0 ? length : 0] = '\0';
    return length > 0;
}

static struct record *record_of(const char *path) {
    pthread_mutex_lock(&mutex);
    unsigned count = atomic_load(&used);
    struct record *found = NULL;
    for (unsigned i = 0; i < count && found == NULL; i++) {
        found = strcmp(records[i].path, path) == 0 ? &records[i] : NULL;
    }
    if (found == NULL && count < WITNESS_FILES) {
        found = &records[count];
        strcpy(found->path, path);
        atomic_store(&used, count + 1);
    } else if (found == NULL) {
        found = &others;
        atomic_fetch_add(&others_opened, 1);
    }
    pthread_mutex_unlock(&mutex);
    return found;
}

static void count_direct(struct record *record, int fd) {
    int (*reported)(int, int, ...) = (int (*)(int, int, ...))next_call("fcntl");
    add(&record->direct_requested, 1);
    if (reported != NULL && (reported(fd, F_GETFL) & O_DIRECT) != 0) {
        add(&record->direct_reported, 1);
    }
    if ((syscall(SYS_fcntl, fd, F_GETFL) & O_DIRECT) != 0) {
        add(&record->direct_kernel, 1);
    }
}

void files_look(const char *root) {
    struct stat facts;
    char path[WITNESS_PATH_BYTES];
    DIR *entries = opendir(root);
    unsigned left = WITNESS_FILES / 2; /* the rest is for files that the program opens */
    for (struct dirent *entry; entries != NULL && left > 0 && (entry = readdir(entries)) != NULL;) {
        int length = snprintf(path, sizeof path, "%s/%s", root, entry->d_name);
        if (length > 0 && (size_t)length < sizeof path && lstat(path, &facts) == 0 &&
            S_ISREG(facts.st_mode) && facts.st_size > 0) {
            record_of(path)->existing_bytes = (uint64_t)facts.st_size;
            left--;
        }
    }
    if (entries != NULL) {
        closedir(entries);
    }
}

void file_opened(const char *given, int flags, int fd) {
    const char *root = getenv("WEIR_WITNESS_ROOT");
    char path[WITNESS_PATH_BYTES];
    if (fd >= 0 && file_closed(fd)) { /* closed by a call that was not seen */
        spans_closed();
    }
    if (root == NULL || !find_path(fd, given, path) || !is_below(path, root)) {
        return;
    }
    struct record *record = record_of(path);
    if (fd < 0) {
        add(&record->opens_failed, 1);
        return;
    }
    add(&record->opens, 1);
    atomic_fetch_or(&record->flags, (uint64_t)(unsigned)flags);
    if ((flags & O_DIRECT) != 0) {
        count_direct(record, fd);
    }
    if (fd < DESCRIPTORS) {
        atomic_store(&table[fd], record);
        spans_opened();
    }
}

bool file_closed(int fd) {
    if (fd < 0 || fd >= DESCRIPTORS || atomic_load_explicit(&table[fd], memory_order_relaxed) == NULL) {
        return false;
    }
    spans_closing();
    atomic_store(&table[fd], NULL);
    return true;
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
        atomic_store(&table[to], record);
        spans_opened();
    }
}

const struct record *files_first(unsigned *count) {
    *count = atomic_load(&used);
    return records;
}

const struct record *files_others(uint64_t *files) {
    *files = atomic_load(&others_opened);
    return &others;
}

static void add_sums(const struct record *record, uint64_t *read_bytes, uint64_t *written_bytes,
                     uint64_t *syncs) {
    *read_bytes += atomic_load_explicit(&record->read_bytes, memory_order_relaxed);
    *written_bytes += atomic_load_explicit(&record->written_bytes, memory_order_relaxed);
    for (int call = 0; call < SYNC_CALLS; call++) {
        /* sync_file_range leaves the bytes in the cache of the device, and metadata in memory */
        *syncs += call == SYNC_RANGE ? 0 : atomic_load_explicit(&record->syncs[call], memory_order_relaxed);
    }
}

void files_sum(uint64_t *read_bytes, uint64_t *written_bytes, uint64_t *syncs) {
    *read_bytes = *written_bytes = *syncs = 0;
    for (unsigned i = 0; i < atomic_load(&used); i++) {
        add_sums(&records[i], read_bytes, written_bytes, syncs);
    }
    add_sums(&others, read_bytes, written_bytes, syncs);
}

void files_unwritten(struct weir_cachestat *sum) {
    for (unsigned i = 0; i < atomic_load(&used); i++) {
        uint64_t written = atomic_load_explicit(&records[i].written_bytes, memory_order_relaxed);
        if (written != records[i].looked_bytes) {
            records[i].looked_bytes = written;
            weir_cachestat_add(records[i].path, sum);
        }
    }
}

/* What the parent did is reported by the parent; the descriptors stay known. */
void files_forget(void) {
    pthread_mutex_init(&mutex, NULL);
    for (unsigned i = 0; i < atomic_load(&used); i++) {
        char path[WITNESS_PATH_BYTES];
        memcpy(path, records[i].path, sizeof path);
        memset(&records[i], 0, sizeof records[i]);
        memcpy(records[i].path, path, sizeof path);
    }
    memset(&others, 0, sizeof others);
    atomic_store(&others_opened, 0);
}
