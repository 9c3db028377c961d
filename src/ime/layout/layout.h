/* What lies in a store's fast tier, byte for byte; docs/burst-buffer.md argues why it survives a kill at any
 * moment.
 *
 *   FAST/control        one struct control, mapped by every client
 *   FAST/objects/INODE  one file per buffered file: header, participants, one state byte per granule, then
 * the data at the file's own offsets (sparse) BACKING/.weir-ime/INODE  a hard link to the buffered file: it
 * reaches the file whatever its name is now, and it keeps the inode number from being given to another file
 * while the object exists */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#define STORE_LAYOUT    2u
#define OBJECT_MAGIC    UINT64_C(0x31656d6972696577)
#define LINKS_DIRECTORY ".weir-ime"

#define MAX_PROCESSES 1024u
#define MAX_THREADS   4096u

#define STATES_OFFSET     8192u
#define INDEX_BYTES       (UINT64_C(256) << 20)
#define MAX_GRANULES      (INDEX_BYTES - STATES_OFFSET)
#define STATES_PER_PAGE   4096u
#define INDEX_PAGE_BYTES  UINT64_C(4096)
#define INDEX_PAGES       (INDEX_BYTES / INDEX_PAGE_BYTES)
#define HEADER_PAGE       UINT64_C(0)
#define PARTICIPANTS_PAGE UINT64_C(1)
#define DATA_OFFSET       INDEX_BYTES

/* Where the bytes of a granule are. NONE: the backing, up to origin_bytes; zeros beyond it. */
enum granule_state {
    GRANULE_NONE = 0,
    GRANULE_DIRTY = 1,    /* the fast tier has the truth */
    GRANULE_DRAINING = 2, /* the fast tier has the truth, the holder of the object lock is copying it */
    GRANULE_CLEAN = 3,    /* fast tier and backing are equal */
    GRANULE_BUSY = 4,     /* the holder of the object lock changes the fast tier; the backing has the truth */
    GRANULE_EVICTED = 5   /* the backing has the truth */
};

/* object_header.gate: an operation that finds a bit set leaves, takes the object lock once and tries again.
 */
#define GATE_FROZEN                                                                                          \
    1u /* the lock holder waits for operations under way to end, or is changing what they rely on */
#define GATE_REPAIR 2u /* a client died while it wrote beyond the end of the file */

/* object_header.work: what the lock holder is in the middle of, for the one who inherits the lock from the
 * dead. */
enum object_work { WORK_NONE = 0, WORK_COPY = 1, WORK_TRUNCATE = 2 };

struct object_header {
    _Atomic uint64_t magic;
    uint64_t inode;
    _Atomic uint64_t origin_bytes; /* below: a granule in state NONE is in the backing; only shrinks */
    _Atomic uint32_t gate;
    /* Odd: changed since a drain last began, which makes it even. Settled, that is data, size and time of
     * change are in the backing, is an object whose epoch is the one that was drained whole. See epoch.c. */
    _Atomic uint32_t epoch;
    _Atomic uint32_t ever_resident;
    _Atomic uint32_t backing_unsynced; /* drained since the last fdatasync of the backing */
    _Atomic uint32_t work;
    _Atomic uint32_t settled_epoch;
    _Atomic uint32_t pages_taken; /* counts changes: a page that was missing may be there now */
    _Atomic uint64_t work_low;    /* COPY: bytes being changed; TRUNCATE: the new size */
    _Atomic uint64_t work_high;
    _Atomic uint64_t garbage_end; /* with GATE_REPAIR: bytes from size to here may hold half a write */
    _Alignas(64) _Atomic uint64_t size_bytes;
    _Atomic int64_t changed_ns; /* time of the last change, CLOCK_REALTIME */
    _Atomic int64_t used_ns;    /* time of the last use, CLOCK_MONOTONIC_COARSE, for eviction */
};

struct process_slot {
    _Atomic uint32_t live; /* 1: taken; its process runs while it locks its byte of the control file */
    _Atomic uint32_t incarnation;
    _Atomic int32_t pid;
    _Atomic uint32_t rank; /* in its job */
    _Atomic uint64_t job;  /* 0: not started as a rank of a job; see layout/job.c */
};

struct thread_slot {
    _Alignas(
        64) _Atomic uint64_t active; /* 0, or the inode operated on; SLOT_LOCKED is added by a lock holder */
    _Atomic uint64_t sequence;  /* counts operations, so that a waiter sees one end though the next began */
    _Atomic uint64_t write_low; /* bytes being written, for the repair after a kill */
    _Atomic uint64_t write_high;
    _Atomic uint64_t credit_bytes; /* capacity reserved and not yet turned into granules */
    _Atomic uint32_t owner;        /* index of the process + 1; 0: free */
};
#define SLOT_LOCKED (UINT64_C(1) << 63)

struct control {
    char magic[8];
    uint32_t layout;
    uint32_t granule_bytes;
    uint64_t capacity_bytes;
    char boot_id[40];
    char backing[4096];
    _Alignas(64) _Atomic uint32_t gate; /* index + 1 of the process that recounts used_bytes */
    _Atomic uint32_t recount;           /* a client died: used_bytes may be off */
    _Atomic uint32_t objects_created;
    _Atomic uint32_t objects_dropped;
    _Atomic uint32_t threads_high;    /* slots at and above were never taken */
    _Atomic uint32_t dirtied;         /* futex: counts objects that became unsettled */
    _Atomic int32_t drainer_pid;      /* 0: it ended by itself, or never ran */
    _Atomic uint64_t drainer_started; /* start time of that process, in ticks since boot: pids come again */
    _Atomic uint32_t drain_error;
    _Alignas(64) _Atomic uint64_t used_bytes; /* granules in the fast tier, pages of indices, and credits */
    _Alignas(64) _Atomic int64_t drain_next_ns;
    _Atomic int64_t read_next_ns;
    _Atomic int64_t write_next_ns;
    struct process_slot processes[MAX_PROCESSES];
    struct thread_slot threads[MAX_THREADS];
};

/* Byte ranges of the control file that are locked, never read: see store/lock.c. */
#define LOCK_STORE     INT64_C(0)
#define LOCK_SPACE     INT64_C(1)
#define LOCK_DRAINER   INT64_C(2)
#define LOCK_PROCESSES INT64_C(4096)

/* Byte of a backing file, far beyond its data, that is locked by those who read it without its object. */
#define LOCK_UNBUFFERED (INT64_C(1) << 62)
