/* What the preloaded libraries of the zoo share: which animal is wanted, which files it acts on, and the
 * calls that are known by two names. Each library defines put and get for transfers; one that defines
 * PRELOADS_OPENS before it includes this also defines opened and advise. */
#ifndef TESTS_ZOO_PRELOADED_H
#define TESTS_ZOO_PRELOADED_H

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <unistd.h>

#define PATH_BYTES 4096

/* The next function of the name, of the type of the call. */
#define NEXT(name, call) ((__typeof__(call) *)dlsym(RTLD_NEXT, name))
#define REAL(name, call) __typeof__(call) *real = NEXT(name, call)

static inline int is(const char *animal) {
    const char *name = getenv("WEIR_ZOO");
    return name != NULL && strcmp(name, animal) == 0;
}

static inline int concerns_path(const char *path) {
    const char *part = getenv("WEIR_ZOO_PATH");
    return part != NULL && path != NULL && strstr(path, part) != NULL;
}

static inline int concerns(int descriptor) {
    char link[64], name[PATH_BYTES];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, name, sizeof name - 1);
    name[length > 0 ? length : 0] = '\0';
    return concerns_path(name);
}

/* Makes the file as long as if the bytes had been written. */
static inline int lengthen(int descriptor, off_t end) {
    struct stat facts;
    return fstat(descriptor, &facts) == 0 && (facts.st_size >= end || ftruncate(descriptor, end) == 0);
}

/* What the library does in place of a call; name: by which it was called. */
static ssize_t put(const char *name, int descriptor, const void *from, size_t bytes, off_t offset);
static ssize_t get(const char *name, int descriptor, void *into, size_t bytes, off_t offset);

ssize_t pwrite(int descriptor, const void *from, size_t bytes, off_t offset) {
    return put("pwrite", descriptor, from, bytes, offset);
}

ssize_t pwrite64(int descriptor, const void *from, size_t bytes, off_t offset) {
    return put("pwrite64", descriptor, from, bytes, offset);
}

ssize_t pread(int descriptor, void *into, size_t bytes, off_t offset) {
    return get("pread", descriptor, into, bytes, offset);
}

ssize_t pread64(int descriptor, void *into, size_t bytes, off_t offset) {
    return get("pread64", descriptor, into, bytes, offset);
}

#ifdef PRELOADS_OPENS
static int opened(const char *name, const char *path, int flags, mode_t mode);
static int advise(const char *name, int descriptor, off_t offset, off_t length, int advice);

static mode_t mode_of(int flags, va_list more) {
    return (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
}

int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = mode_of(flags, more);
    va_end(more);
    return opened("open", path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    mode_t mode = mode_of(flags, more);
    va_end(more);
    return opened("open64", path, flags, mode);
}

int posix_fadvise(int descriptor, off_t offset, off_t length, int advice) {
    return advise("posix_fadvise", descriptor, offset, length, advice);
}

int posix_fadvise64(int descriptor, off_t offset, off_t length, int advice) {
    return advise("posix_fadvise64", descriptor, offset, length, advice);
}
#endif

#endif
