/* Advice about files, and reads into the page cache alone: what they fetch, no read of the program waits for.
 */
#include <fcntl.h>

#include "transfer.h"

#pragma GCC visibility push(default)

/* The account of a file that is read ahead, which itself is part of no read. */
static struct account *ahead_of(int fd, bool fetches, uint64_t *before_bytes, uint64_t *began_ns) {
    struct record *record = fetches && accounts_wanted ? file_of(fd) : NULL;
    if (record == NULL || record->account == NULL) {
        return NULL;
    }
    *before_bytes = accounts_fetched_bytes();
    *began_ns = weir_raw_clock_ns();
    return record->account;
}

#define ADVISE(name, offset_type)                                                                            \
    int name(int fd, offset_type offset, offset_type bytes, int advice) {                                    \
        NEXT(name)                                                                                           \
        uint64_t before_bytes, began_ns;                                                                     \
        struct account *account = ahead_of(fd, advice == POSIX_FADV_WILLNEED, &before_bytes, &began_ns);     \
        int result = next_##name(fd, offset, bytes, advice);                                                 \
        if (account != NULL) {                                                                               \
            accounts_fetched_ahead(account, before_bytes, began_ns);                                         \
        }                                                                                                    \
        struct record *record = file_of(fd);                                                                 \
        if (record != NULL) {                                                                                \
            count(result != 0                     ? &record->advises_failed                                  \
                  : advice == POSIX_FADV_DONTNEED ? &record->dontneed                                        \
                                                  : &record->advises,                                        \
                  1);                                                                                        \
        }                                                                                                    \
        return result;                                                                                       \
    }
ADVISE(posix_fadvise, off_t)
ADVISE(posix_fadvise64, off64_t)

ssize_t readahead(int fd, off64_t offset, size_t bytes) {
    NEXT(readahead)
    uint64_t before_bytes, began_ns;
    struct account *account = ahead_of(fd, true, &before_bytes, &began_ns);
    ssize_t result = next_readahead(fd, offset, bytes);
    if (account != NULL) {
        accounts_fetched_ahead(account, before_bytes, began_ns);
    }
    return result;
}
