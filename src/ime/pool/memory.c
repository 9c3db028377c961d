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

static size_t memory_index_bytes(void) {
    return (sizeof(struct pool_index) + 4095) / 4096 * 4096;
}

/* A name that others can guess, in a directory where everybody may write: what is there may be a trap. */
static int memory_open_folder(int *fd) {
    const char *folder = getenv("WEIR_POOL_DIR");
    char standard[64];
    struct stat status;
    snprintf(standard, sizeof standard, "/dev/shm/weir-pool-%ld", (long)geteuid());
    folder = folder != NULL ? folder : standard;
    if (mkdir(folder, 0700) != 0 && errno != EEXIST) {
        return errno;
    }
    *fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (*fd < 0 || fstat(*fd, &status) != 0) {
        int error = errno;
        if (error == ELOOP || error == ENOTDIR) {
            fprintf(stderr,
                    "weir-pool: %s: not a directory: remove it, or name another one in WEIR_POOL_DIR\n",
                    folder);
        }
        return error;
    }
    if (status.st_uid != geteuid() || (status.st_mode & 077) != 0) {
        fprintf(stderr,
                "weir-pool: %s: owner %ld, mode %03o: it must belong to user %ld with mode 700: remove it, "
                "or name "
                "another one in WEIR_POOL_DIR\n",
                folder, (long)status.st_uid, (unsigned)status.st_mode & 0777, (long)geteuid());
        close(*fd);
        return EACCES;
    }
    return 0;
}

/* A file name without slashes, that differs for different names. */
static int memory_file_name(const char *name, char *file, size_t bytes) {
    const char *first = name + strlen(POOL_PREFIX);
    size_t used = 0;
    for (const char *c = first; *c != '\0'; c++) {
        if (used + 4 >= bytes) {
            return ENAMETOOLONG;
        }
        bool plain = *c != '/' && *c != '%' && !(*c == '.' && c == first);
        used += (size_t)snprintf(file + used, bytes - used, plain ? "%c" : "%%%02X", *c);
    }
    return used > 0 ? 0 : EINVAL;
}

static int memory_open_exactly(int folder, const char *file, int flags) {
    const int always = O_RDWR | O_NOFOLLOW | O_CLOEXEC;
    for (;;) {
        int fd = (flags & O_CREAT) != 0 ? openat(folder, file, always | O_CREAT | O_EXCL, 0600) : -1;
        if (fd >= 0 || ((flags & O_CREAT) != 0 && (errno != EEXIST || (flags & O_EXCL) != 0))) {
            return fd;
        }
        fd = openat(folder, file, always);
        if (fd >= 0 || errno != ENOENT || (flags & O_CREAT) == 0) {
            return fd;
        } /* else it was deleted between the two */
    }
}

static int memory_open_file(const char *name, int flags, int *fd) {
    char file[NAME_MAX + 1];
    struct stat status;
    int folder;
    int error = memory_file_name(name, file, sizeof file);
    error = error != 0 ? error : memory_open_folder(&folder);
    if (error != 0) {
        return error;
    }
    *fd = memory_open_exactly(folder, file, flags);
    error = *fd < 0 ? errno : 0;
    close(folder);
    if (error == 0 && (fstat(*fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid())) {
        close(*fd);
        error = EACCES;
    }
    return error;
}

int memory_open(const char *name, int flags, struct memory *memory) {
    int error = memory_open_file(name, flags, &memory->fd);
    if (error != 0) {
        return error;
    }
    size_t bytes = memory_index_bytes() + (size_t)POOL_MAX_BYTES;
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
    memory->data = map + memory_index_bytes();
    return 0;
}

void memory_close(struct memory *memory) {
    munmap(memory->index, memory_index_bytes() + (size_t)POOL_MAX_BYTES);
    close(memory->fd);
}

int memory_delete(const char *name) {
    char file[NAME_MAX + 1];
    int folder;
    int error = memory_file_name(name, file, sizeof file);
    error = error != 0 ? error : memory_open_folder(&folder);
    if (error == 0) {
        error = unlinkat(folder, file, 0) == 0 ? 0 : errno;
        close(folder);
    }
    return error;
}

static int memory_take_chunk(struct memory *memory, int64_t chunk) {
    off_t offset = (off_t)memory_index_bytes() + chunk * POOL_CHUNK_BYTES;
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
            int error = memory_take_chunk(memory, chunk);
            if (error != 0) {
                return error;
            }
        }
    }
    return 0;
}

static void memory_clear(struct memory *memory, int64_t low, int64_t high) {
    fallocate(memory->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)memory_index_bytes() + low,
              high - low);
    for (int64_t chunk = (low + POOL_CHUNK_BYTES - 1) / POOL_CHUNK_BYTES; chunk * POOL_CHUNK_BYTES < high;
         chunk++) {
        atomic_store(&memory->index->allocated[chunk], 0);
    }
    if (low % POOL_CHUNK_BYTES != 0 && atomic_load(&memory->index->allocated[low / POOL_CHUNK_BYTES]) != 0) {
        memory_take_chunk(memory, low / POOL_CHUNK_BYTES); /* the kept part's chunk stays whole */
    }
}

int memory_resize(struct memory *memory, int64_t size_bytes) {
    if (size_bytes > POOL_MAX_BYTES) {
        return EFBIG;
    }
    int64_t size = atomic_load(&memory->index->size_bytes);
    if (size_bytes < size) {
        memory_clear(memory, size_bytes, size);
    }
    atomic_store(&memory->index->size_bytes, size_bytes);
    return 0;
}

void memory_set_lock(const struct memory *memory, short type) {
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
    while (fcntl(memory->fd, F_OFD_SETLKW, &lock) != 0 && errno == EINTR) {
    }
}
