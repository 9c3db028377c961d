/* The image and its file, which is made when the first account begins, and is only in memory: elsewhere the
 * kernel would write it to a storage while a program is measured. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "image.h"

#define LEAST_PAGE 4096u
#define PATH_BYTES 4096

struct image image;
static char prefix[PATH_BYTES / 2], stem[PATH_BYTES];
static size_t page;
static bool is_possible;                                  /* there is a file, or may be one */
static bool is_shared[sizeof(struct image) / LEAST_PAGE]; /* by pages */
static bool has_file;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* The kernel's clock tells processes of one number in different name spaces apart. */
static void name_anew(void) {
    static unsigned names;
    int length = snprintf(stem, sizeof stem, "%s.%s.%ld-%u-%" PRIx64, prefix, image.host, (long)getpid(),
                          names++, weir_raw_clock_ns());
    if (length < 0 || (size_t)length >= sizeof stem) {
        stem[0] = '\0';
    }
}

void image_begin(void) {
    const char *given = getenv("WEIR_WITNESS"); /* the program may empty its environment later */
    long bytes = sysconf(_SC_PAGESIZE);
    if (given == NULL || given[0] == '\0' || strlen(given) >= sizeof prefix) {
        return;
    }
    strcpy(prefix, given);
    gethostname(image.host, sizeof image.host - 1);
    name_anew();
    page = bytes >= LEAST_PAGE ? (size_t)bytes : LEAST_PAGE;
    is_possible = (uintptr_t)&image % page == 0 && sizeof image % page == 0;
}

const char *image_report_path(char *path, size_t room, const char *suffix) {
    int length = snprintf(path, room, "%s%s", stem, suffix);
    return stem[0] != '\0' && length > 0 && (size_t)length < room ? path : NULL;
}

/* Past the limit of the process (ulimit -f) a write would end it. */
static bool has_room(int fd) {
    struct rlimit limit;
    struct statfs facts;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur >= sizeof image &&
           fstatfs(fd, &facts) == 0 && facts.f_type == TMPFS_MAGIC;
}

/* All calls are the system's: none of these is the program's. The lock is that of the file as it was opened
 * first, which lasts as long as the mappings: it tells that the process lives. */
static int open_file(void) {
    char path[PATH_BYTES];
    if (image_report_path(path, sizeof path, IMAGE_SUFFIX) == NULL) {
        return -1;
    }
    int flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | (has_file ? 0 : O_CREAT | O_EXCL);
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0600);
    if (fd >= 0 && !has_file && (!has_room(fd) || syscall(SYS_flock, fd, LOCK_EX | LOCK_NB) != 0)) {
        syscall(SYS_close, fd);
        syscall(SYS_unlinkat, AT_FDCWD, path, 0);
        return -1;
    }
    has_file |= fd >= 0;
    return fd;
}

/* Other memory with the same bytes replaces these pages. fd: -1: of no file. */
static bool exchange(size_t first, size_t count, int fd) {
    char *address = (char *)&image + first * page;
    size_t bytes = count * page;
    int flags = fd >= 0 ? MAP_SHARED | MAP_POPULATE : MAP_PRIVATE | MAP_ANONYMOUS;
    off_t offset = fd >= 0 ? (off_t)(first * page) : 0;
    long other = syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, offset);
    if (other < 0) {
        return false;
    }
    memcpy((void *)other, address, bytes);
    return syscall(SYS_mremap, other, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, address) == (long)address;
}

/* With room first: a page that the file system has none for would end the program when it is touched. Not by
 * a write, which the kernel would count as one of the program. */
static bool map_pages(int fd, size_t first, size_t count) {
    long result;
    int attempts = 0;
    do {
        result = syscall(SYS_fallocate, fd, 0, (off_t)(first * page), (off_t)(count * page));
    } while (result != 0 && errno == EINTR && ++attempts < 8);
    bool is_done = result == 0 && exchange(first, count, fd);
    memset(is_shared + first, is_done, count);
    return is_done;
}

/* Pages from `at` on that are shared, or are not. */
static size_t run_of(size_t at, size_t end) {
    size_t count = 1;
    while (at + count < end && is_shared[at + count] == is_shared[at]) {
        count++;
    }
    return count;
}

static bool share_pages(size_t first, size_t end) {
    int fd = -1;
    bool is_done = true;
    for (size_t at = first, count; at < end && is_done; at += count) {
        count = run_of(at, end);
        if (!is_shared[at]) {
            fd = fd >= 0 ? fd : open_file();
            is_done = fd >= 0 && map_pages(fd, at, count);
        }
    }
    if (fd >= 0) {
        syscall(SYS_close, fd);
    }
    return is_done;
}

void image_share(const void *part, size_t bytes) {
    if (!is_possible) {
        return;
    }
    int error = errno;
    size_t offset = (size_t)((const char *)part - (const char *)&image);
    pthread_mutex_lock(&mutex);
    if (!share_pages(offset / page, (offset + bytes + page - 1) / page)) {
        image.lacks = has_file;
        is_possible = false;
    }
    pthread_mutex_unlock(&mutex);
    errno = error;
}

/* A child of fork shares the pages of its parent until it has its own. */
void image_in_child(void) {
    const size_t pages = page > 0 ? sizeof image / page : 0;
    pthread_mutex_init(&mutex, NULL);
    name_anew();
    bool had_file = has_file;
    has_file = false;
    int fd = had_file ? open_file() : -1;
    for (size_t at = 0, count; had_file && at < pages; at += count) {
        count = run_of(at, pages);
        if (is_shared[at] && (fd < 0 || !map_pages(fd, at, count))) {
            exchange(at, count, -1);
            memset(is_shared + at, false, count);
            image.lacks = has_file;
            is_possible = false;
        }
    }
    if (fd >= 0) {
        syscall(SYS_close, fd);
    }
}

void image_end(void) {
    char path[PATH_BYTES];
    if (has_file && image_report_path(path, sizeof path, IMAGE_SUFFIX) != NULL) {
        syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    }
}
