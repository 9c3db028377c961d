/* Files of the pool: sparse files in /dev/shm, mapped by every rank. Memory is taken chunk by chunk before it
 * is written, so that a full node is an error and not a signal. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pool.h"

static size_t index_bytes(void) {
    return (sizeof(struct pool_index) + 4095) / 4096 * 4096;
}

int memory_path(const char *name, char *path, size_t bytes) {
    const char *folder = getenv("WEIR_POOL_DIR");
    char standard[64];
    snprintf(standard, sizeof standard, "/dev/shm/weir-pool-%ld", (long)getuid());
    folder = folder != NULL ? folder : standard;
    if (mkdir(folder, 0700) != 0 && errno != EEXIST) {
        return errno;
    }
    size_t used = (size_t)snprintf(path, bytes, "%s/", folder);
    for (const char *c = name + strlen(POOL_PREFIX); *c != '\0'; c++) {
        if (used + 4 >= bytes) {
            return ENAMETOOLONG;
        }
        bool plain = *c != '/' && *c != '%' && !(*c == '.' && c == name + strlen(POOL_PREFIX));
        used += (size_t)snprintf(path + used, bytes - used, plain ? "%c" : "%%%02X", *c);
    }
    return used > strlen(folder) + 1 ? 0 : EINVAL;
}

int memory_open(const char *name, int flags, struct memory *memory) {
    char path[PATH_MAX];
    int error = memory_path(name, path, sizeof path);
    if (error != 0) {
        return error;
    }
    memory->fd = open(path, (flags & ~O_ACCMODE) | O_RDWR | O_CLOEXEC, 0600);
    if (memory->fd < 0) {
        return errno;
    }
    size_t bytes = index_bytes() + (size_t)POOL_MAX_BYTES;
    struct stat status;
    if (fstat(memory->fd, &status) != 0 ||
        ((size_t)status.st_size < bytes && ftruncate(memory->fd, (off_t)bytes) != 0)) {
        error = errno;
    }
    char *map = MAP_FAILED;
    if (error == 0) {
        map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, memory->fd, 0);
        error = map == MAP_FAILED ? errno : 0;
    }
    if (error != 0) {
        close(memory->fd);
        return error;
    }
    memory->index = (struct pool_index *)(void *)map;
    memory->data = map + index_bytes();
    return 0;
}

void memory_close(struct memory *memory) {
    munmap(memory->index, index_bytes() + (size_t)POOL_MAX_BYTES);
    close(memory->fd);
}

int memory_delete(const char *name) {
    char path[PATH_MAX];
    int error = memory_path(name, path, sizeof path);
    return error != 0 ? error : unlink(path) == 0 ? 0 : errno;
}

static int take_chunk(struct memory *memory, int64_t chunk) {
    off_t offset = (off_t)index_bytes() + chunk * POOL_CHUNK_BYTES;
    while (fallocate(memory->fd, 0, offset, POOL_CHUNK_BYTES) != 0) {
        if (errno != EINTR) {
            return errno;
        }
    }
    atomic_store(&memory->index->allocated[chunk], 1);
    return 0;
}

int memory_reserve(struct memory *memory, int64_t low, int64_t high) {
    if (high > POOL_MAX_BYTES) {
        return EFBIG;
    }
    for (int64_t chunk = low / POOL_CHUNK_BYTES; chunk * POOL_CHUNK_BYTES < high; chunk++) {
        if (atomic_load_explicit(&memory->index->allocated[chunk], memory_order_acquire) == 0) {
            int error = take_chunk(memory, chunk);
            if (error != 0) {
                return error;
            }
        }
    }
    return 0;
}

static void clear(struct memory *memory, int64_t low, int64_t high) {
    fallocate(memory->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)index_bytes() + low, high - low);
    for (int64_t chunk = (low + POOL_CHUNK_BYTES - 1) / POOL_CHUNK_BYTES; chunk * POOL_CHUNK_BYTES < high;
         chunk++) {
        atomic_store(&memory->index->allocated[chunk], 0);
    }
    if (low % POOL_CHUNK_BYTES != 0 && atomic_load(&memory->index->allocated[low / POOL_CHUNK_BYTES]) != 0) {
        take_chunk(memory, low / POOL_CHUNK_BYTES); /* the kept part's chunk stays whole */
    }
}

int memory_resize(struct memory *memory, int64_t size_bytes) {
    if (size_bytes > POOL_MAX_BYTES) {
        return EFBIG;
    }
    int64_t size = atomic_load(&memory->index->size_bytes);
    if (size_bytes < size) {
        clear(memory, size_bytes, size);
    }
    atomic_store(&memory->index->size_bytes, size_bytes);
    return 0;
}

static void set_lock(const struct memory *memory, short type) {
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
    while (fcntl(memory->fd, F_OFD_SETLKW, &lock) != 0 && errno == EINTR) {
    }
}

void memory_lock(const struct memory *memory) {
    set_lock(memory, F_WRLCK);
}

void memory_unlock(const struct memory *memory) {
    set_lock(memory, F_UNLCK);
}
