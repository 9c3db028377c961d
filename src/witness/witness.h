/* A library to preload beside programs that cannot be asked what they did: it counts the calls that a
 * measurement rests on, passes each one on, and writes what it saw when the process ends.
 *
 *   WEIR_WITNESS       path that the outputs begin with: PATH.HOST.PID.json, outside the storage under test
 *   WEIR_WITNESS_ROOT  directory of the storage under test: files elsewhere are not counted
 *
 * docs/reference/witness.md describes the output. */
#ifndef WITNESS_H
#define WITNESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define WITNESS_FILES      64 /* with counts of their own, in each process; the rest share one record */
#define WITNESS_PATH_BYTES 1024

enum sync_call { SYNC_FSYNC, SYNC_FDATASYNC, SYNC_RANGE, SYNC_FS, SYNC_CALLS };

/* What one process did with one file. */
struct record {
    char path[WITNESS_PATH_BYTES];
    _Atomic uint64_t opens;
    _Atomic uint64_t opens_failed;
    _Atomic uint64_t direct_requested; /* opens with O_DIRECT */
    _Atomic uint64_t
        direct_reported; /* of those, where F_GETFL has it: as the next object says, which may lie */
    _Atomic uint64_t direct_kernel; /* and as the kernel says */
    _Atomic uint64_t flags;         /* of all opens together */
    _Atomic uint64_t reads;
    _Atomic uint64_t read_bytes;
    _Atomic uint64_t reads_failed;
    _Atomic uint64_t writes;
    _Atomic uint64_t written_bytes;
    _Atomic uint64_t writes_failed;
    _Atomic uint64_t syncs[SYNC_CALLS];
    _Atomic uint64_t syncs_failed[SYNC_CALLS];
    _Atomic uint64_t dontneed; /* posix_fadvise(POSIX_FADV_DONTNEED) */
    _Atomic uint64_t advises;  /* other advice */
    _Atomic uint64_t advises_failed;
    _Atomic uint64_t truncations;
    _Atomic uint64_t truncations_failed;
    _Atomic uint64_t mappings;     /* reads and writes through them are not seen */
    _Atomic uint64_t flag_changes; /* fcntl(F_SETFL) */
};

/* files.c */
struct record *file_of(int fd); /* NULL: not under test */
void file_opened(const char *path, int flags, int fd);
void file_closed(int fd);
void file_duplicated(int from, int to);
const struct record *files_first(unsigned *count); /* with a path each */
const struct record *files_others(uint64_t *files);
void files_forget(void); /* in a child of fork */

/* chain.c: the next object in the chain that provides a call */
void *next_call(const char *name);
void chain_write(FILE *stream);

/* report.c */
void report_write(bool is_child); /* of fork */

/* Threads are rare in benchmarks, and a locked addition costs more than all else here. */
static inline void add(_Atomic uint64_t *counter, uint64_t amount) {
    extern char __libc_single_threaded;
    if (__libc_single_threaded) {
        atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + amount,
                              memory_order_relaxed);
    } else {
        atomic_fetch_add_explicit(counter, amount, memory_order_relaxed);
    }
}

#endif
