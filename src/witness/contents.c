/* Whether the files have what the program wrote and gave what it read, by a sample of bytes of some
 * transfers: what leads calls to another file (/dev/null, /dev/zero) makes as many of them as it should, and
 * of files in memory neither a device nor the page cache gives it away. Elsewhere such a look could reach the
 * storage. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "transfer.h"

#define PART_BYTES 64u

bool contents_wanted;

static bool contents_are_at(int own, const char *part, size_t bytes, int64_t offset) {
    char there[PART_BYTES];
    return syscall(SYS_pread64, own, there, bytes, offset) == (long)bytes && memcmp(there, part, bytes) == 0;
}

/* Opens a descriptor of its own for the file behind the program's. Where a call without an offset ended the
 * kernel knows better than the count of the calls before it. */
void contents_look(struct places *places, int fd, struct buffer moved, int64_t offset, ssize_t all) {
    char path[64];
    size_t bytes = moved.bytes < PART_BYTES ? moved.bytes : PART_BYTES;
    size_t from = (size_t)(places_mixed((uint64_t)offset) % (moved.bytes - bytes + 1));
    const char *part = (const char *)moved.at + from;
    int error = errno;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int own = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (own >= 0) {
        bool is_same = contents_are_at(own, part, bytes, offset + (int64_t)from);
        if (!is_same) {
            int64_t end = syscall(SYS_lseek, fd, 0L, SEEK_CUR);
            is_same = contents_are_at(own, part, bytes, end - all + (int64_t)from);
        }
        bool is_zero = part[0] == 0 && memcmp(part, part + 1, bytes - 1) == 0;
        count(&places->looked, !is_same || !is_zero); /* zeros are in each hole, too */
        count(&places->differing, !is_same);
        syscall(SYS_close, own);
    }
    errno = error;
}
