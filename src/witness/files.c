/* What the process did with each file under test. Fixed tables: no memory is allocated while a program is
 * measured. */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "closing.h"
#include "witness.h"

static struct record records[WITNESS_FILES];
static uint64_t names[WITNESS_FILES]; /* what follows the last slash of each path, hashed */
static struct record others;          /* all files beyond the first ones */
static _Atomic unsigned used;
static _Atomic uint64_t others_opened;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static uint64_t name_of(const char *path) {
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    return places_hash(0, name, strlen(name));
}

struct record *file_record(const char *path) {
    uint64_t name = name_of(path);
    pthread_mutex_lock(&mutex);
    unsigned count = atomic_load(&used);
    struct record *found = NULL;
    for (unsigned i = 0; i < count && found == NULL; i++) {
        found = names[i] == name && strcmp(records[i].path, path) == 0 ? &records[i] : NULL;
    }
    if (found == NULL && count < WITNESS_FILES) {
        found = &records[count];
        names[count] = name;
        strcpy(found->path, path);
        atomic_store(&used, count + 1);
    } else if (found == NULL) {
        found = &others;
        atomic_fetch_add(&others_opened, 1);
    }
    pthread_mutex_unlock(&mutex);
    return found;
}

struct record *file_record_beyond(const char *path) {
    if (atomic_load(&used) < WITNESS_FILES) {
        return NULL;
    }
    uint64_t name = name_of(path);
    for (unsigned i = 0; i < WITNESS_FILES; i++) {
        if (names[i] == name) {
            return NULL;
        }
    }
    atomic_fetch_add(&others_opened, 1);
    return &others;
}

size_t descriptor_path(int fd, char *path, size_t room) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(fd == AT_FDCWD ? "/proc/self/cwd" : link, path, room - 1);
    path[length > 0 ? length : 0] = '\0';
    return length > 0 ? (size_t)length : 0;
}

const char *rest_below(const char *path, const char *above) {
    size_t length = strlen(above);
    while (length > 0 && above[length - 1] == '/') {
        length--;
    }
    return strncmp(path, above, length) == 0 && (path[length] == '/' || path[length] == '\0') ? path + length
                                                                                              : NULL;
}

bool is_below(const char *path, const char *root) {
    return rest_below(path, root) != NULL;
}

void files_look(const char *root) {
    struct stat facts;
    char path[WITNESS_PATH_BYTES];
    WEIR_DIR *entries = opendir(root);
    unsigned left = WITNESS_FILES / 2; /* the rest is for files that the program opens */
    for (struct dirent *entry; entries != NULL && left > 0 && (entry = readdir(entries)) != NULL;) {
        int length = snprintf(path, sizeof path, "%s/%s", root, entry->d_name);
        if (length > 0 && (size_t)length < sizeof path && lstat(path, &facts) == 0 &&
            S_ISREG(facts.st_mode) && facts.st_size > 0) {
            file_record(path)->existing_bytes = (uint64_t)facts.st_size;
            left--;
        }
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
    *read_bytes += counted(&record->read_bytes);
    *written_bytes += counted(&record->written_bytes);
    for (int call = 0; call < SYNC_CALLS; call++) {
        /* sync_file_range leaves the bytes in the cache of the device, and metadata in memory */
        *syncs += call == SYNC_RANGE ? 0 : counted(&record->syncs[call]);
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
        uint64_t written = counted(&records[i].written_bytes);
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
        struct account *account = records[i].account;
        memcpy(path, records[i].path, sizeof path);
        memset(&records[i], 0, sizeof records[i]);
        memcpy(records[i].path, path, sizeof path);
        records[i].account = account;
    }
    memset(&others, 0, sizeof others);
    atomic_store(&others_opened, 0);
}
