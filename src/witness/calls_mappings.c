/* Mappings of files, and their synchronisation: what is read or written through them passes no call. */
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "transfer.h"

#define MAPPINGS 64

struct mapping {
    char *address; /* NULL: free */
    size_t bytes;
    struct record *record;
    dev_t device;
    ino_t inode;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct mapping mappings[MAPPINGS];
static _Atomic unsigned mapped; /* how many are used */
static _Atomic bool lacks;      /* one found no room */

#pragma GCC visibility push(default)

/* Another thread may have held it at the fork. */
__attribute__((visibility("hidden"))) void mappings_in_child(void) {
    pthread_mutex_init(&mutex, NULL);
}

static void mappings_note(char *address, size_t bytes, struct record *record, int fd) {
    struct stat facts = {0};
    unsigned at = 0;
    syscall(SYS_fstat, fd, &facts);
    pthread_mutex_lock(&mutex);
    while (at < MAPPINGS && mappings[at].address != NULL) {
        at++;
    }
    if (at < MAPPINGS) {
        mappings[at] = (struct mapping){address, bytes, record, facts.st_dev, facts.st_ino};
        atomic_fetch_add(&mapped, 1);
    } else {
        atomic_store(&lacks, true);
    }
    pthread_mutex_unlock(&mutex);
}

__attribute__((visibility("hidden"))) bool mappings_may_write(int fd) {
    struct stat facts;
    bool found = atomic_load(&lacks);
    if (atomic_load(&mapped) == 0 || syscall(SYS_fstat, fd, &facts) != 0) {
        return found;
    }
    pthread_mutex_lock(&mutex);
    for (unsigned i = 0; i < MAPPINGS; i++) {
        const struct mapping *one = &mappings[i];
        found |= one->address != NULL && one->device == facts.st_dev && one->inode == facts.st_ino;
    }
    pthread_mutex_unlock(&mutex);
    return found;
}

/* Those that begin in the range: what is left of them is none that a program synchronises as a whole. */
static void mappings_forget(const char *address, size_t bytes) {
    if (atomic_load(&mapped) == 0) {
        return;
    }
    pthread_mutex_lock(&mutex);
    for (unsigned i = 0; i < MAPPINGS; i++) {
        const char *start = mappings[i].address;
        if (start != NULL && start >= address && start < address + bytes) {
            mappings[i].address = NULL;
            atomic_fetch_sub(&mapped, 1);
        }
    }
    pthread_mutex_unlock(&mutex);
}

/* The file, where the range is all of its mapping: a part of it leaves the others in memory. */
static struct record *mappings_whole(const char *address, size_t bytes) {
    struct record *record = NULL;
    if (atomic_load(&mapped) == 0) {
        return NULL;
    }
    pthread_mutex_lock(&mutex);
    for (unsigned i = 0; i < MAPPINGS && record == NULL; i++) {
        bool is_whole = mappings[i].address == address && bytes >= mappings[i].bytes;
        record = address != NULL && is_whole ? mappings[i].record : NULL;
    }
    pthread_mutex_unlock(&mutex);
    return record;
}

/* Whether it maps a ring of io_uring, whose requests pass no call. */
static bool is_ring(int fd, int flags, uint64_t offset) {
    char path[64];
    if ((flags & MAP_ANONYMOUS) != 0 || offset != 0x10000000u) { /* IORING_OFF_SQES */
        return false;
    }
    return descriptor_path(fd, path, sizeof path) > 0 && strcmp(path, "anon_inode:[io_uring]") == 0;
}

/* At most so much a mapping may fetch: a file that was only made longer has no blocks. */
static uint64_t stored_bytes(int fd, size_t bytes) {
    struct stat facts;
    if (syscall(SYS_fstat, fd, &facts) != 0) {
        return bytes;
    }
    uint64_t stored = (uint64_t)facts.st_blocks * 512u;
    return stored < bytes ? stored : bytes;
}

#define MAP(name, offset_type)                                                                               \
    void *name(void *address, size_t bytes, int protection, int flags, int fd, offset_type offset) {         \
        NEXT(name)                                                                                           \
        void *map = next_##name(address, bytes, protection, flags, fd, offset);                              \
        struct record *record = (flags & MAP_ANONYMOUS) == 0 ? file_moved(fd) : NULL;                        \
        if (record != NULL && map != MAP_FAILED) {                                                           \
            count(&record->mappings, 1);                                                                     \
            count(&record->mapped_bytes, stored_bytes(fd, bytes));                                           \
            if ((flags & MAP_TYPE) != MAP_PRIVATE && (protection & PROT_WRITE) != 0) {                       \
                mappings_note(map, bytes, record, fd);                                                       \
            }                                                                                                \
        }                                                                                                    \
        add(&image.rings, map != MAP_FAILED && is_ring(fd, flags, (uint64_t)offset));                        \
        return map;                                                                                          \
    }
MAP(mmap, off_t)
MAP(mmap64, off64_t)

int munmap(void *address, size_t bytes) {
    NEXT(munmap)
    mappings_forget(address, bytes); /* before: another thread may get the range at once */
    return next_munmap(address, bytes);
}

int msync(void *address, size_t bytes, int flags) {
    NEXT(msync)
    struct record *record = (flags & MS_SYNC) != 0 ? mappings_whole(address, bytes) : NULL;
    if (record != NULL) {
        spans_syncing();
    }
    uint64_t began_ns = CALL_BEGINS(record, CALL_SYNC);
    int result = next_msync(address, bytes, flags);
    CALL_ENDED(record, CALL_SYNC, began_ns, -1, 0);
    if (record != NULL) {
        count(result == 0 ? &record->syncs[SYNC_MAPPING] : &record->syncs_failed[SYNC_MAPPING], 1);
    }
    return result;
}
