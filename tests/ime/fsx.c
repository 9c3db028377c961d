/* One file under every kind of access that the system offers, against a model in memory: read, write,
 * truncate, mapped read and write, close and open; the operations of the well-known file system exerciser.
 *
 *   fsx --path FILE [--operations N] [--seed S]
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options.h"

#define MAX_BYTES (256 * 1024)
#define MAX_SPAN  (64 * 1024)

static const char *path;
static uint64_t operation;
static uint64_t operations = 5000;
static uint64_t state = 1;
static unsigned char model[MAX_BYTES];
static unsigned char buffer[MAX_BYTES];
static size_t size;
static int fd;

static uint64_t below(uint64_t limit) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state >> 33) % limit;
}

static void fail(const char *what, size_t offset, size_t bytes) {
    fprintf(stderr, "operation %llu: %s at %zu of %zu bytes, size %zu: %s\n", (unsigned long long)operation,
            what, offset, bytes, size, strerror(errno));
    exit(1);
}

static void compare(const char *what, const unsigned char *found, size_t offset, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        if (found[i] != model[offset + i]) {
            fprintf(stderr, "found %02x, expected %02x\n", found[i], model[offset + i]);
            errno = 0;
            fail(what, offset + i, bytes);
        }
    }
}

static void check_size(const char *what) {
    struct stat status;
    if (fstat(fd, &status) != 0 || (size_t)status.st_size != size || lseek(fd, 0, SEEK_END) != (off_t)size) {
        fail(what, (size_t)status.st_size, 0);
    }
}

static void do_read(size_t offset, size_t bytes) {
    size_t there = offset < size ? (size - offset < bytes ? size - offset : bytes) : 0;
    if (pread(fd, buffer, bytes, (off_t)offset) != (ssize_t)there) {
        fail("read", offset, bytes);
    }
    compare("read", buffer, offset, there);
}

static void change_model(size_t offset, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        model[offset + i] = (unsigned char)below(256);
    }
    size = offset + bytes > size ? offset + bytes : size;
}

static void do_write(size_t offset, size_t bytes) {
    change_model(offset, bytes);
    if (pwrite(fd, model + offset, bytes, (off_t)offset) != (ssize_t)bytes) {
        fail("write", offset, bytes);
    }
}

static void do_truncate(size_t to) {
    if ((below(2) == 0 ? ftruncate(fd, (off_t)to) : truncate(path, (off_t)to)) != 0) {
        fail("truncate", to, 0);
    }
    if (to < size) {
        memset(model + to, 0, size - to);
    }
    size = to;
}

static void do_map(size_t offset, size_t bytes, bool write) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t base = offset / page * page;
    bytes = offset < size ? (size - offset < bytes ? size - offset : bytes) : 0;
    if (bytes == 0) {
        return;
    }
    int protection = write ? PROT_READ | PROT_WRITE : PROT_READ;
    unsigned char *map = mmap(NULL, offset + bytes - base, protection, MAP_SHARED, fd, (off_t)base);
    if (map == MAP_FAILED) {
        fail("mmap", offset, bytes);
    }
    compare("mapped read", map + (offset - base), offset, bytes);
    if (write) {
        change_model(offset, bytes);
        memcpy(map + (offset - base), model + offset, bytes);
        if (msync(map, offset + bytes - base, MS_SYNC) != 0) {
            fail("msync", offset, bytes);
        }
    }
    munmap(map, offset + bytes - base);
}

static void do_reopen(void) {
    if (fsync(fd) != 0 || close(fd) != 0 || (fd = open(path, O_RDWR)) < 0) {
        fail("reopen", 0, 0);
    }
}

static void do_operation(void) {
    size_t offset = below(MAX_BYTES - MAX_SPAN);
    size_t bytes = 1 + below(MAX_SPAN - 1);
    switch (below(10)) {
    case 0:
    case 1:
    case 2:
        do_read(offset, bytes);
        break;
    case 3:
    case 4:
    case 5:
        do_write(offset, bytes);
        break;
    case 6:
        do_truncate(below(3) == 0 ? 0 : offset);
        break;
    case 7:
        do_map(offset, bytes, false);
        break;
    case 8:
        do_map(offset, bytes, true);
        break;
    default:
        do_reopen();
        break;
    }
    check_size("size");
}

int main(int argc, char **argv) {
    const struct option_of options[] = {{"path", .text = &path},
                                        {"operations", .number = &operations},
                                        {"seed", .number = &state},
                                        {.name = NULL}};
    read_options(argc, argv, options);
    if (path == NULL || (fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644)) < 0) {
        perror("fsx");
        return 2;
    }
    for (operation = 0; operation < operations; operation++) {
        do_operation();
    }
    do_read(0, MAX_BYTES);
    printf("%llu operations, no difference\n", (unsigned long long)operations);
    return 0;
}
