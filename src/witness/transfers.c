/* Which written bytes a synchronisation or O_SYNC has covered. */
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "accounts.h"

static _Atomic uint64_t unsynced[ACCOUNTS_DESCRIPTORS]; /* bytes written since the last synchronisation */
static unsigned char goes[ACCOUNTS_DESCRIPTORS];
enum { GOES_DIRECT = 1, GOES_THROUGH = 2 }; /* past the page cache; to the medium before the call returns */

void transfers_forget(int fd) {
    atomic_store(&unsynced[fd], 0);
}

void transfers_flagged(int fd) {
    long flags = syscall(SYS_fcntl, fd, F_GETFL);
    goes[fd] = (flags & O_DIRECT) != 0 ? GOES_DIRECT : 0;
    goes[fd] |= (flags & O_DSYNC) != 0 ? GOES_THROUGH : 0; /* O_SYNC has its bit */
}

void transfers_count(struct phase *phase, enum call_kind kind, int fd, uint64_t bytes) {
    unsigned char how = fd < ACCOUNTS_DESCRIPTORS ? goes[fd] : 0;
    add(kind == CALL_READ ? &phase->read_bytes : &phase->written_bytes, bytes);
    if ((how & GOES_DIRECT) != 0) {
        add(kind == CALL_READ ? &phase->direct_read_bytes : &phase->direct_written_bytes, bytes);
    }
    if (kind == CALL_WRITE && (how & GOES_THROUGH) != 0) {
        add(&phase->synced_bytes, bytes);
    } else if (kind == CALL_WRITE && fd < ACCOUNTS_DESCRIPTORS) {
        add(&unsynced[fd], bytes);
    }
}

void transfers_covered(struct phase *phase, int fd, bool all) {
    uint64_t written = atomic_load(&phase->written_bytes);
    if (all) {
        atomic_store(&phase->synced_bytes, written);
    } else if (fd < ACCOUNTS_DESCRIPTORS) {
        add(&phase->synced_bytes, atomic_exchange(&unsynced[fd], 0));
    }
}
