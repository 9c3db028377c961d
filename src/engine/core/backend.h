/* What a back end is: one file under backends/ with one table of functions that registers itself.
 *
 * Every function that can fail returns 0, or -1 after weir_problem_set(). A back end keeps no global state:
 * what belongs to an open file hangs on file->state, its parsed options are in the settings struct. */
#pragma once

#include "hints.h"
#include "options.h"
#include "problem.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum weir_access { WEIR_WRITE, WEIR_READ };

/* What is known about the transfers before the first of them. */
struct weir_geometry {
    size_t xfer_bytes;    /* bytes of every transfer */
    uint64_t block_bytes; /* contiguous bytes of one rank in a segment of the file */
    uint64_t segments;    /* of the file, each with one block of each rank that shares it */
    uint64_t file_bytes;  /* size of the file when everything is written */
    bool random;          /* offsets are not in order */
    bool walled;          /* a stonewall may stop one rank's transfers before another's */
    /* What this rank sees of the file; its transfers count offsets in it. NULL: all bytes of the file
     * (requested only where WEIR_VIEWS is set). */
    const MPI_Datatype *view;
};

/* How a file is to be opened. A write creates the file and leaves what it holds; nothing truncates. */
struct weir_open {
    const char *path;
    enum weir_access access;
    bool collective;                /* transfers are to be collective calls over comm */
    bool update;                    /* a write reads too (only requested where WEIR_UPDATE is set) */
    bool direct;                    /* bypass the page cache (only requested where WEIR_DIRECT is set) */
    bool single_attempt;            /* a transfer that moves a part of the piece is a failure */
    MPI_Comm comm;                  /* the ranks that share the file; MPI_COMM_SELF for a file of one rank */
    int rank;                       /* of this process among all that take part, whoever shares the file */
    const struct weir_hints *hints; /* never NULL */
    const void *settings;           /* the back end's own options, parsed */
    struct weir_geometry geometry;
};

struct weir_file {
    const struct weir_backend *backend;
    const struct weir_open *how;
    void *state;
    uint64_t retries; /* attempts repeated after an interruption or a short transfer */
};

/* One operation. */
struct weir_piece {
    enum weir_access access;
    unsigned char *buffer;
    size_t bytes;
    uint64_t offset;
};

/* How several transfers of a rank are done at a time. */
struct weir_queue_observed {
    const char *interface; /* NULL: one at a time */
    unsigned depth;
    bool registered; /* the kernel keeps the buffers mapped */
};

/* What is true of an open file, whatever was requested. */
struct weir_observed {
    struct weir_queue_observed queue;
    int open_flags; /* as fcntl(F_GETFL) gives them, or -1 where no descriptor can be seen */
    struct weir_hints hints;
};

/* What is stored after the file was closed. */
struct weir_stored {
    uint64_t bytes;            /* size of the file */
    uint64_t header_bytes;     /* of it in front of the data, if the format has a header */
    uint64_t first_hole_bytes; /* offset of the first byte of the data that was never written; bytes where
                                  there is none */
    uint64_t denied_holes;     /* that SEEK_HOLE reported and where a read gave data */
    uint64_t late_sizes;       /* 1: the file system first gave a smaller size, then the right one */
    bool reduced;              /* a filter made the data smaller: the size of the file shows nothing */
};

enum weir_trait {
    WEIR_COLLECTIVE = 1 << 0,       /* can do collective transfers (-c) */
    WEIR_DIRECT = 1 << 1,           /* can bypass the page cache */
    WEIR_HINTS = 1 << 2,            /* takes MPI-IO hints */
    WEIR_RANDOM = 1 << 3,           /* takes offsets in any order */
    WEIR_FILE_PER_PROCESS = 1 << 4, /* can give each rank its own file */
    WEIR_TOGETHER = 1 << 5,         /* open, sync and close are collective calls on a shared file */
    WEIR_STORES = 1 << 6,           /* what is written can be read back */
    WEIR_FORMAT = 1 << 7, /* a file format: more than data in the file, and a write begins it anew */
    WEIR_PARTS = 1 << 8,  /* where one rank fails, the others may wait in the library for ever */
    WEIR_UPDATE = 1 << 9, /* a file that is open to write can be read too */
    WEIR_VIEWS = 1 << 10, /* takes a view of the file, so that one transfer moves many pieces of it */
    WEIR_MAPS = 1 << 11,  /* keeps the pages of an open file mapped: the kernel then drops none of them */
};

/* One operation on a name instead of on the bytes of a file. */
struct weir_name {
    const char *path;
    const char *to;       /* rename only: the new name */
    const void *settings; /* the back end's own options, parsed */
    int rank;
    uint64_t bytes; /* stat leaves the size here */
};

typedef int weir_name_call(struct weir_name *name, struct weir_problem *problem);

/* What metadata is measured by. Each is the bare call: nothing is looked at first, and a name that is not
 * there is an error. */
struct weir_names {
    weir_name_call *stat;
    weir_name_call *unlink;
    weir_name_call *mkdir;
    weir_name_call *rmdir;
    weir_name_call *rename; /* NULL where the interface has none */
    weir_name_call *mknod;  /* an empty file; NULL where the interface has none */
    weir_name_call *flush;  /* all that this node holds back of the file system of the path; NULL: none */
};

/* Several transfers of a rank at a time, each in a slot with a buffer of its own. */
struct weir_queue {
    unsigned (*depth)(const struct weir_open *how); /* 0: these options want one transfer at a time */
    /* Once after the open: the buffers of all slots; NULL where the interface does not want them. */
    void (*begin)(struct weir_file *file, unsigned char *buffers, size_t bytes);
    int (*submit)(struct weir_file *file, unsigned slot, const struct weir_piece *piece,
                  struct weir_problem *problem);
    /* With `wait` until a transfer ends. Returns how many have ended and their slots, 0 where none has, -1
     * where looking failed; that a transfer itself failed is set in the problem. */
    int (*reap)(struct weir_file *file, unsigned *slots, bool wait, struct weir_problem *problem);
};

struct weir_backend {
    const char *name;    /* as -a takes it and as records show it, in capitals */
    const char *alias;   /* another name that users know, or NULL */
    const char *summary; /* one line for --help */
    unsigned traits;

    const struct weir_option *options; /* the back end's own, named --<api>.<name>; NULL for none */
    size_t settings_bytes;             /* size of the struct that the options fill; it begins as zeros */

    size_t state_bytes; /* of file->state, which begins as zeros; 0: the back end has it from elsewhere */

    void (*begin)(void); /* once in a job, before anything is timed; NULL where there is nothing to start */

    /* Required. */
    int (*open)(struct weir_file *file, struct weir_problem *problem);
    int (*transfer)(struct weir_file *file, const struct weir_piece *piece, struct weir_problem *problem);
    int (*close)(struct weir_file *file, struct weir_problem *problem);
    int (*remove)(const char *path, const void *settings, struct weir_problem *problem);

    /* Optional; NULL if there is nothing to do or to report. */
    int (*sync)(struct weir_file *file, struct weir_problem *problem);
    void (*observe)(struct weir_file *file, struct weir_observed *observed);
    int (*stored)(const char *path, const void *settings, struct weir_stored *stored,
                  struct weir_problem *problem);
    const char *(*refuse)(
        const struct weir_open *how); /* why this cannot work, or NULL; comm is not set yet */
    const struct weir_queue *queue;   /* NULL: one transfer at a time */
    const struct weir_names *names;   /* operations on names, for mdtest; NULL where there are none */

    const struct weir_backend *next; /* set by the registry */
};

/* The back end's own functions, with the state between them. */
/* Whether several ranks have the file. */
bool weir_open_shared(const struct weir_open *how);
int weir_file_open(struct weir_file *file, struct weir_problem *problem);
int weir_file_close(struct weir_file *file, struct weir_problem *problem);

void weir_backend_register(struct weir_backend *backend);
const struct weir_backend *weir_backends(void); /* sorted by name */
const struct weir_backend *weir_backend_find(const char *name);
/* How to get what this build was made without (generated from not_built.c.in); NULL for any other name.
 */
const char *weir_not_built(const char *name);

/* Put one of these at the end of a back end's file. */
#define WEIR_BACKEND(table)                                                                                  \
    __attribute__((constructor)) static void table##_register(void) {                                        \
        weir_backend_register(&(table));                                                                     \
    }
