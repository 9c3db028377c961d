/* The mounts that a process uses, each with an account of its own: for programs of which nobody knows where
 * their files are (`weir prove`).
 *
 *   WEIR_WITNESS_MOUNTS  any text: count by mounts; WEIR_WITNESS_ROOT may still name a directory, and then
 *                        only what is below it counts
 *   WEIR_WITNESS_WATCH   a directory whose mount is watched from the start of the process to its end, whether
 *                        it is used or not
 *   WEIR_WITNESS_STARTER a process: reports tell whether theirs was started below it
 *
 * docs/reference/accounts.md describes the output. */
#pragma once

#include "witness.h"

#define ACCOUNTS 16
/* Phases of a mount in each process; what is beyond belongs to the last one. */
#define ACCOUNTS_PHASES 32
/* Some of them are for what turns or comes after a pause. */
#define ACCOUNTS_CONTINUING (ACCOUNTS_PHASES / 2)
/* Moved from the first open to the last close: worth a phase of its own. */
#define ACCOUNTS_WORTH_BYTES (1u << 20)
/* Without a call on the mount: the next one begins another phase. */
#define ACCOUNTS_GAP_NS 1000000000u

enum call_kind { CALL_READ, CALL_WRITE, CALL_SYNC, CALL_NAME, CALL_KINDS };

/* The kernel's counters at one moment. */
struct counters {
    uint64_t raw_ns;
    struct weir_process_io io;
    bool device_known;
    uint64_t device[WEIR_DEVICE_COUNTS];
    uint64_t servers[WEIR_SERVERS_MOST][WEIR_SERVERS_COUNTS];
};

/* What the process did on a mount until it did nothing for a while, or transferred again after it had closed
 * all files: after it turned from writing to reading, or back, another phase; otherwise this one continues.
 */
struct phase {
    struct counters before;
    bool continues; /* the one before it */
    uint64_t first_ns;
    _Atomic uint64_t last_ns; /* end of the last call */
    _Atomic bool is_read;     /* fetched_before_bytes is known */
    /* Begin of the first call and end of the last one for each kind but names; 0: none. */
    _Atomic uint64_t began_ns[CALL_KINDS], ended_ns[CALL_KINDS];
    _Atomic uint64_t calls[CALL_KINDS];
    _Atomic uint64_t busy_ns[CALL_KINDS]; /* of all threads together */
    _Atomic int most_at_once;             /* calls, of any kind */
    _Atomic uint64_t read_bytes, written_bytes;
    /* On descriptors that the kernel has with O_DIRECT. */
    _Atomic uint64_t direct_read_bytes, direct_written_bytes;
    _Atomic uint64_t synced_bytes; /* written, and then the file was synchronised, or with O_SYNC */
    /* Written in earlier phases and synchronised in this one; begin of the first of those. */
    _Atomic uint64_t synced_earlier_bytes, synced_from_ns;
    /* read_bytes of the process before its first read of the phase: what was fetched before, such as by
     * advice or by a mapping, no read waited for; and what later advice fetched. */
    uint64_t fetched_before_bytes;
    _Atomic uint64_t fetched_beyond_bytes; /* read_bytes of the process beyond those of the phase's reads */
    _Atomic uint64_t next_look_bytes;      /* read in the phase when that is looked at again */
    _Atomic bool is_queued;                /* bytes may be fetched after they were counted */
    _Atomic uint64_t ahead_before_bytes, ahead_bytes, ahead_from_ns;
    _Atomic uint64_t names[NAME_KINDS];
    _Atomic uint64_t named_ns[NAME_KINDS]; /* of all threads, in those that follow many of their kind */
};

struct account {
    struct record record; /* of all files of the mount; its path is where that is mounted */
    struct weir_medium medium;
    struct weir_device device;
    struct weir_servers servers;
    bool watches_servers;    /* the observers have room for one mount in each process */
    bool watched;            /* WEIR_WITNESS_WATCH is on it */
    _Atomic bool compresses; /* a file that was opened has the flag of it */
    bool is_stale;           /* start is of the process before a fork or exec */
    struct counters start;
    unsigned used; /* of phases */
    uint64_t more_phases;
    _Atomic int open_files;
    _Atomic int under_way; /* calls */
    _Atomic bool reopened; /* all files were closed since the last transfer */
    /* Moved in the phase when they were last; and whether it was much between two such times. */
    _Atomic uint64_t closed_bytes;
    _Atomic bool was_worth;
    /* Cuts and removals before the first write of a phase, which had no bytes there yet. */
    uint64_t cancelled_before_bytes;
    struct weir_cachestat unwritten; /* right after the last synchronisation that one thread made */
    uint64_t unwritten_inode;        /* the file of it */
    /* The last operation on names, and how many of its kind there were in a row. */
    _Atomic int last_named;
    _Atomic unsigned named_in_row;
    uint64_t syncs; /* that succeeded */
    /* Entries of its directories, without directories; ns in full stretches, of the thread with most. */
    _Atomic uint64_t listed, listed_ns;
    struct phase phases[ACCOUNTS_PHASES]; /* at the end: most are never touched */
};

/* accounts.c */
extern bool accounts_wanted;
void accounts_begin(void);     /* of the process */
void accounts_forget(void);    /* in a child of fork, and after a report before an exec */
bool accounts_by_others(void); /* this process shares the memory of the one that it was made by (vfork) */
struct record *accounts_record(int directory, const char *path); /* NULL: no storage, or not under test */
struct record *accounts_block_record(const char *path);          /* of a block device itself, as of a mount */
void accounts_opened(struct record *record, int fd);
void accounts_closed(struct record *record, int fd);
void accounts_listed(struct record *record, uint64_t entries, uint64_t busy_ns);
void accounts_sync_all(void);                    /* sync(2) */
extern struct weir_process_io accounts_start_io; /* of the process, or of the child of fork */

/* phases.c */
void accounts_inside(bool is_inside); /* what is opened next is for the library itself */
bool accounts_are_inside(void);
void phases_begin(void); /* of the process, and of a child of fork */
uint64_t accounts_call_begins(struct record *record, enum call_kind kind);
void accounts_call_ended(struct record *record, enum call_kind kind, uint64_t began_ns, int fd,
                         ssize_t bytes);
void accounts_queued(struct record *record, enum call_kind kind);
/* For queued transfers: of the mount and of the kind that were used last; NULL: none. */
struct account *accounts_wait_begins(uint64_t *began_ns);
void accounts_waited(struct account *account, uint64_t began_ns);
uint64_t accounts_fetched_bytes(void); /* by the kernel, for the process, so far */
/* Since it was so many, by advice that was given then. */
void accounts_fetched_ahead(struct account *account, uint64_t before_bytes, uint64_t began_ns);
void accounts_all_closed(struct account *account);
void accounts_named(struct record *record, enum name_kind kind, uint64_t began_ns); /* after the call */
extern _Atomic bool accounts_writes_streams; /* of the C library: what is written through them is not seen */
void accounts_synced(struct record *record, int fd, bool all); /* all: files of the mount */
/* What the call has just written it has synchronised, too. */
void accounts_through(struct record *record, int fd, ssize_t bytes);
void accounts_synced_all(struct account *account);
void accounts_count(struct account *account, struct counters *now);

/* transfers.c */
void transfers_flagged(int fd); /* its flags are as the kernel has them now */
bool transfers_are_direct(int fd);
void transfers_forget(int fd); /* it is of no file any more */
void transfers_in_child(void); /* of fork */
void transfers_count(struct phase *phase, enum call_kind kind, int fd, uint64_t bytes);
void transfers_through(struct phase *phase, int fd, uint64_t bytes); /* of what was counted last */
void transfers_covered(struct phase *phase, int fd, bool all);       /* all: files of the mount */

/* ancestors.c */
bool accounts_started_by(const char *pid);
bool accounts_is_forgotten(void);

/* own_io.c */
void accounts_io_read(struct weir_process_io *io);

/* mount_table.c: which mount a name is on, by the table as it was when the process started */
void mount_table_read(void);
const char *mount_table_point(const char *path); /* NULL: no storage */
bool mount_table_is_tested(const char *path);    /* by another path than the variable's, as in a container */

/* accounts_report.c */
void accounts_write(FILE *stream, bool is_killed); /* of a process that left no report, by its image */

#define ACCOUNTS_DESCRIPTORS 65536

#define CALL_BEGINS(record, kind)                                                                            \
    (__builtin_expect(accounts_wanted, 0) && (record) != NULL ? accounts_call_begins(record, kind) : 0)
#define CALL_ENDED(record, kind, began_ns, fd, bytes)                                                        \
    do {                                                                                                     \
        if (__builtin_expect((began_ns) != 0, 0)) {                                                          \
            accounts_call_ended(record, kind, began_ns, fd, bytes);                                          \
        }                                                                                                    \
    } while (0)
