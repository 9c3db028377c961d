/* A library to preload beside programs that do not report what they did: it counts the calls that a
 * measurement rests on, passes each one on, and writes what it saw when the process ends.
 *
 *   WEIR_WITNESS       path that the outputs begin with: PATH.HOST.PID.json, outside the storage under test
 *   WEIR_WITNESS_ROOT  directory of the storage under test: files elsewhere are not counted
 *
 * docs/reference/witness.md describes the output. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "cachestat.h"
#include "control_group.h"
#include "counter.h"
#include "device.h"
#include "host_clock.h"
#include "process_io.h"
#include "processors.h"
#include "servers.h"

#define WITNESS_FILES      64 /* with counts of their own, in each process; the rest share one record */
#define WITNESS_PATH_BYTES 1024
#define WITNESS_SPANS      64 /* with times and counters of their own, in each process */
#define WITNESS_TURNS      64 /* likewise, of operations on names */

enum sync_call { SYNC_FSYNC, SYNC_FDATASYNC, SYNC_RANGE, SYNC_FS, SYNC_MAPPING, SYNC_CALLS };

/* What one process did with one file. */
struct record {
    char path[WITNESS_PATH_BYTES];
    struct counter opens;
    struct counter opens_failed;
    struct counter direct_requested; /* opens with O_DIRECT, and fcntl */
    struct counter direct_reported;  /* of those, where F_GETFL has it: by the next object, which may lie */
    struct counter direct_kernel;    /* and by the kernel itself */
    _Atomic uint64_t flags;          /* of all opens together */
    struct counter reads;
    struct counter read_bytes;
    struct counter reads_failed;
    struct counter writes;
    struct counter written_bytes;
    struct counter writes_failed;
    struct counter syncs[SYNC_CALLS];
    struct counter syncs_failed[SYNC_CALLS];
    struct counter dontneed; /* posix_fadvise(POSIX_FADV_DONTNEED) */
    struct counter advises;  /* other advice */
    struct counter advises_failed;
    struct counter truncations;
    struct counter truncations_failed;
    struct counter mappings;     /* reads and writes through them are not seen */
    struct counter flag_changes; /* fcntl(F_SETFL) */
    uint64_t existing_bytes;     /* size when the process started */
    uint64_t looked_bytes;       /* written_bytes when its pages were looked at last */
    struct counter mapped_bytes; /* of storage that their mappings hold, at most */
    struct counter stdio_opens;  /* by fopen: what is moved through it is not seen */
    struct account *account;     /* of the mount, where mounts are counted (accounts.h) and not files */
};

/* descriptors.c */
struct record *file_of(int fd);        /* NULL: not under test */
struct record *file_looked_at(int fd); /* transfer.h */
/* The descriptor is of the file that it was opened for; else it is of none under test from now on. */
bool file_is_still(int fd);
extern char tested_root[WITNESS_PATH_BYTES]; /* WEIR_WITNESS_ROOT; empty until the process begins */
void descriptors_begin(void);     /* of the process: keeps it, since the program may change its environment */
void descriptors_inherited(void); /* open when the process began: `program > file` */
void file_opened(const char *path, int flags, int fd);
void file_flagged(struct record *record, int fd, int flags); /* as an open or fcntl requests them */
bool file_closed(int fd); /* false: no file under test, or of an account; else spans_closed() follows */
void file_duplicated(int from, int to);
int64_t position_taken(int fd, int64_t bytes); /* where a transfer without an offset began; -1: not known */
void position_set(int fd, int64_t position);

/* files.c */
struct record *file_record(const char *path); /* the shared one, where there are too many files */
/* The shared one, where there are too many files and none with counts of its own ends in the name; else NULL.
 */
struct record *file_record_beyond(const char *path);
const struct record *files_first(unsigned *count); /* with a path each */
const struct record *files_others(uint64_t *files);
/* Length of the path that the kernel has for a descriptor or AT_FDCWD; 0 where it has none. */
size_t descriptor_path(int fd, char *path, size_t room);
/* What is below a path with a slash before it, or "" for the path itself; NULL where it is elsewhere. */
const char *rest_below(const char *path, const char *above);
bool is_below(const char *path, const char *root);
void files_sum(uint64_t *read_bytes, uint64_t *written_bytes, uint64_t *syncs);
void files_unwritten(struct weir_cachestat *sum); /* of those written to since the last look */
void files_look(const char *root);                /* what is there before the program starts */
void files_forget(void);                          /* in a child of fork */

/* One moment, by the clocks that the program is given and by the kernel's own counters. */
struct moment {
    uint64_t raw_ns;       /* CLOCK_MONOTONIC_RAW, past any library */
    uint64_t monotonic_ns; /* CLOCK_MONOTONIC and gettimeofday as the program gets them */
    uint64_t wall_ns;
    uint64_t apart_ns;                         /* how far apart these were read, at most */
    uint64_t paused_ns;                        /* see pauses.h */
    uint64_t read_bytes, written_bytes, syncs; /* of all files under test so far; syncs reach the medium */
    struct weir_process_io io;
    bool device_known;
    uint64_t device[WEIR_DEVICE_COUNTS];
    uint64_t servers[WEIR_SERVERS_MOST][WEIR_SERVERS_COUNTS]; /* in the order of weir_observers() */
};

/* The longest time without an end of a call that was under way, and what moved when one ended. */
struct halt {
    uint64_t ns, bytes;
};

#define PLACES_SLOTS 4096u

/* Where transfers began; of reads or of writes. */
struct places {
    struct counter calls;
    struct counter unplaced; /* of these, at a position that is not known */
    struct counter looked;   /* of these, with bytes that were compared with the file */
    struct counter differing;
    _Atomic uint64_t marks[PLACES_SLOTS / 64];
};

/* From the open of the first file under test to the close of the last one: a phase of most benchmarks. */
struct span {
    struct moment begin, end;
    struct places places[2];         /* of reads and of writes */
    uint64_t transfers_end_ns;       /* by raw_ns: begin of the last synchronisation, else of the close */
    struct weir_cachestat unwritten; /* after the end, of the files that it wrote */
    struct halt halt;
    bool ended;
};

/* The storage under test, and what was counted when the process began: what moves until the first span is
 * others'. */
struct tested {
    struct weir_medium medium;
    struct weir_device device;
    struct weir_servers servers;
    struct weir_control_group group;
    struct moment start;
};

/* halts.c */
extern struct counter halts_calls; /* transfers that are under way */
void halts_begin(void);            /* of a span */
struct halt halts_end(void);
void halts_forget(void); /* in a child of fork */

/* places.c */
void places_begin(struct places *places); /* of reads and of writes, until the next one; NULL: of none */
void places_named(struct places *places, int directory, const char *path);
uint64_t places_hash(uint64_t seed, const char *path, size_t bytes);
unsigned places_marked(const struct places *places);

/* What a transfer moved, as far as it is in one piece. */
struct buffer {
    const void *at; /* NULL: not known */
    size_t bytes;
};

/* contents.c */
extern bool contents_wanted; /* of the files under test: they are in memory */
void contents_look(struct places *places, int fd, struct buffer moved, int64_t offset, ssize_t bytes);

/* spans.c */
void spans_begin(void);  /* of the process: find out what the storage under test lies on */
void spans_opened(void); /* after each open, before each close and after it */
void spans_closing(void);
void spans_closed(void);
void spans_syncing(void);
void spans_forget(void); /* in a child of fork */
const struct span *spans_all(unsigned *count, uint64_t *uncounted);
const struct tested *spans_tested(void);

/* The clocks and counters of this moment; the clocks are read last. */
void spans_now(struct moment *moment);

/* names.c: operations on names below the directory under test. */
enum name_kind {
    NAME_CREATE, /* open with O_CREAT, creat, mknod */
    NAME_OPEN,
    NAME_MKDIR,
    NAME_STAT,
    NAME_RENAME,
    NAME_UNLINK,
    NAME_RMDIR,
    NAME_KINDS
};

/* Operations of one kind, with none of another kind in between: a phase of most benchmarks. The span ends
 * when the next turn begins; its transfers end with the last operation that was timed, one in 64. */
struct turn {
    enum name_kind kind;
    struct span span;
    _Atomic uint64_t operations; /* that succeeded */
    struct places named;
    unsigned sampled, there;         /* names that were looked up at the end, and those that were there */
    uint64_t synced;                 /* small files */
    struct weir_cachestat unwritten; /* of these names, and right after some files were synchronised */
};

void name_begins(enum name_kind kind, int directory, const char *path);
void name_done(enum name_kind kind, int directory, const char *path, int result);
void names_synced(int fd);
void names_begin(void); /* of the process, and of a child of fork */
void names_end(void);
const uint64_t *names_totals(void);
const struct turn *names_turns(unsigned *count, uint64_t *uncounted);

/* calls_mappings.c */
void mappings_in_child(void);    /* of fork */
bool mappings_may_write(int fd); /* to its file, which a mapping of this process may change */
void listings_in_child(void);    /* calls_listings.c: likewise */

/* sample.c: the first bytes that the process wrote, for what could be saved of them */
#define WITNESS_SAMPLE_BYTES (64u << 10)
void sample_take(const void *buffer, size_t bytes);
void sample_write(FILE *stream);

/* chain.c: the next object in the chain that provides a call */
void *next_call(const char *name);
void *first_call(const char *name); /* what the program gets */
/* The next provider of a call, found at the first use: other libraries' constructors may call before ours
 * ran. */
#define NEXT(name)                                                                                           \
    static __typeof__(&name) found_##name;                                                                   \
    __typeof__(&name) next_##name = __atomic_load_n(&found_##name, __ATOMIC_RELAXED);                        \
    if (__builtin_expect(next_##name == NULL, 0)) {                                                          \
        next_##name = (__typeof__(&name))next_call(#name);                                                   \
        __atomic_store_n(&found_##name, next_##name, __ATOMIC_RELAXED);                                      \
    }
void chain_write(FILE *stream);
bool chain_answers_syncs(void); /* a synchronisation of a pipe succeeds: something answers for the kernel */

/* report.c */
void report_write(bool is_child); /* of fork */

/* report_parts.c: members of both kinds of report, without a comma */
int rank_of(void); /* -1: by no launcher */
void write_flags(FILE *stream, uint64_t flags);
void write_syncs(FILE *stream, const struct record *record);
void write_text_or_null(FILE *stream, const char *key, const char *text);
void write_names(FILE *stream, const uint64_t *names);
const char *write_name_kind(enum name_kind kind);
void write_unwritten(FILE *stream, const struct weir_cachestat *unwritten);
void write_processors(FILE *stream, bool is_over); /* on which the process may run */
/* What its control groups allow, and held back since the start; is_over: of a process that is gone. */
void write_group(FILE *stream, const struct weir_control_group *start, bool is_over);
void write_device_counts(FILE *stream, const char *key, const uint64_t *counts); /* NULL: not counted */
void write_observers(FILE *stream, const struct weir_servers *servers);          /* NULL: none */
void write_server_counts(FILE *stream, const char *key, const struct weir_servers *servers,
                         const uint64_t counts[][WEIR_SERVERS_COUNTS]);

/* calls.c, for the calls of other files */
void count_sync(int fd, enum sync_call call, int result);
void count_queued(int fd, bool is_read, uint64_t bytes); /* of a transfer that somebody waits for later */
void report_before_the_end(void);
void report_was_not_the_end(void); /* an exec failed */
