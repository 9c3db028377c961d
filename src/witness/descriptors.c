/* Which descriptor is which file under test. Fixed tables: no memory is allocated while a program is
 * measured. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "witness.h"

#define DESCRIPTORS 65536

static _Atomic(struct record *) table[DESCRIPTORS];

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

void file_opened(const char *given, int flags, int fd) {
    const char *root = getenv("WEIR_WITNESS_ROOT");
    char path[WITNESS_PATH_BYTES];
    if (fd >= 0 && file_closed(fd)) { /* closed by a call that was not seen */
        spans_closed();
    }
    if (root == NULL || !find_path(fd, given, path) || !is_below(path, root)) {
        return;
    }
    struct record *record = file_record(path);
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
