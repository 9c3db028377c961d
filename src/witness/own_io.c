/* What the kernel counted for this process alone: /proc/self/io holds its children, too, once it waited for
 * them. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "accounts.h"
#include "closing.h"

#define UNIT_BYTES 512 /* of ru_inblock and ru_oublock */

/* Which the kernel keeps of children nowhere else: those of the threads that still run. */
static const int of_threads[] = {WEIR_IO_RCHAR, WEIR_IO_WCHAR, WEIR_IO_CANCELLED_WRITE_BYTES};
#define OF_THREADS (sizeof of_threads / sizeof of_threads[0])

static void add_threads(struct weir_process_io *io) {
    char path[300];
    WEIR_DIR *entries = opendir("/proc/self/task");
    for (unsigned i = 0; i < OF_THREADS; i++) {
        io->counts[of_threads[i]] = 0;
    }
    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        struct weir_process_io thread;
        snprintf(path, sizeof path, "/proc/self/task/%s/io", entry->d_name);
        if (entry->d_name[0] == '.') {
            continue;
        }
        weir_process_io_read_file(path, &thread);
        for (unsigned i = 0; i < OF_THREADS && thread.known; i++) {
            io->counts[of_threads[i]] += thread.counts[of_threads[i]];
        }
    }
}

static void subtract(uint64_t *count, long units) {
    uint64_t bytes = (uint64_t)units * UNIT_BYTES;
    *count = *count > bytes ? *count - bytes : 0;
}

uint64_t accounts_fetched_bytes(void) {
    struct rusage own;
    int error = errno;
    memset(&own, 0, sizeof own);
    getrusage(RUSAGE_SELF, &own);
    errno = error;
    return (uint64_t)own.ru_inblock * UNIT_BYTES;
}

void accounts_io_read(struct weir_process_io *io) {
    struct rusage children;
    memset(&children, 0, sizeof children);
    weir_process_io_read(io);
    getrusage(RUSAGE_CHILDREN, &children);
    if (!io->known || children.ru_maxrss == 0) {
        return; /* it waited for none */
    }
    subtract(&io->counts[WEIR_IO_READ_BYTES], children.ru_inblock);
    subtract(&io->counts[WEIR_IO_WRITE_BYTES], children.ru_oublock);
    add_threads(io);
}
