/* Fake storages that a supplier would build: WEIR_ZOO names the animal, as in shims.c.
 *
 * swapped: behind the descriptor of a file stands /dev/null, or /dev/zero for a read, by calls of the system
 * that no library sees. spliced: what a read takes goes to /dev/null within the kernel. cloned: all
 * writes but the first are clones of its blocks (copy_file_range). punched: a synchronisation first takes the
 * blocks away (fallocate). ranged: it is a sync_file_range, which leaves what it wrote in the cache of the
 * device. fastest: the longest time of the ranks is their shortest (MPI_Reduce). */
#define _GNU_SOURCE
#include "preloaded.h"

static void swap(int descriptor, const char *device) {
    int other = (int)syscall(SYS_openat, AT_FDCWD, device, O_RDWR);
    syscall(SYS_dup3, other, descriptor, 0);
    syscall(SYS_close, other);
}

static ssize_t clone_first(int descriptor, size_t bytes, off_t offset) {
    REAL("copy_file_range", copy_file_range);
    off64_t from = 0, to = offset;
    return real(descriptor, &from, descriptor, &to, bytes, 0);
}

static ssize_t put(const char *name, int descriptor, const void *from, size_t bytes, off_t offset) {
    REAL(name, pwrite);
    if (!concerns(descriptor)) {
        return real(descriptor, from, bytes, offset);
    }
    if (is("swapped") && lengthen(descriptor, offset + (off_t)bytes)) {
        int kept = (int)syscall(SYS_dup, descriptor);
        swap(descriptor, "/dev/null");
        ssize_t put_bytes = real(descriptor, from, bytes, offset);
        syscall(SYS_dup3, kept, descriptor, 0);
        syscall(SYS_close, kept);
        return put_bytes;
    }
    if (is("cloned") && offset > 0) {
        ssize_t copied = clone_first(descriptor, bytes, offset);
        return copied == (ssize_t)bytes ? copied : real(descriptor, from, bytes, offset);
    }
    return real(descriptor, from, bytes, offset);
}

ssize_t write(int descriptor, const void *from, size_t bytes) {
    REAL("write", write);
    if ((is("swapped") || is("cloned")) && concerns(descriptor)) {
        off_t offset = lseek(descriptor, (off_t)bytes, SEEK_CUR) - (off_t)bytes;
        return put("pwrite64", descriptor, from, bytes, offset);
    }
    return real(descriptor, from, bytes);
}

static ssize_t pass_by(int descriptor, size_t bytes, off_t offset) {
    static int ends[2] = {-1, -1}, sink = -1;
    REAL("splice", splice);
    off64_t at = offset;
    size_t done = 0;
    if (sink < 0) {
        sink = open("/dev/null", O_WRONLY);
        if (pipe(ends) != 0) {
            return -1;
        }
        fcntl(ends[0], F_SETPIPE_SZ, 1 << 20);
    }
    while (done < bytes) {
        ssize_t part = real(descriptor, &at, ends[1], NULL, bytes - done, 0);
        if (part <= 0) {
            break;
        }
        syscall(SYS_splice, ends[0], NULL, sink, NULL, (size_t)part, 0);
        done += (size_t)part;
    }
    return (ssize_t)done;
}

static ssize_t get(const char *name, int descriptor, void *into, size_t bytes, off_t offset) {
    REAL(name, pread);
    if (!concerns(descriptor)) {
        return real(descriptor, into, bytes, offset);
    }
    if (is("swapped")) {
        int kept = (int)syscall(SYS_dup, descriptor);
        swap(descriptor, "/dev/zero");
        ssize_t got = real(descriptor, into, bytes, offset);
        syscall(SYS_dup3, kept, descriptor, 0);
        syscall(SYS_close, kept);
        return got;
    }
    return is("spliced") ? pass_by(descriptor, bytes, offset) : real(descriptor, into, bytes, offset);
}

ssize_t read(int descriptor, void *into, size_t bytes) {
    REAL("read", read);
    if ((is("swapped") || is("spliced")) && concerns(descriptor)) {
        off_t offset = lseek(descriptor, (off_t)bytes, SEEK_CUR) - (off_t)bytes;
        return get("pread64", descriptor, into, bytes, offset);
    }
    return real(descriptor, into, bytes);
}

int fsync(int descriptor) {
    REAL("fsync", fsync);
    struct stat facts;
    if (concerns(descriptor) && is("ranged")) {
        unsigned flags = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
        return (int)syscall(SYS_sync_file_range, descriptor, 0L, 0L, flags);
    }
    if (concerns(descriptor) && is("punched") && fstat(descriptor, &facts) == 0) {
        fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, facts.st_size);
    }
    return real(descriptor);
}
