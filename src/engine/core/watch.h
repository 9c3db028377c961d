/* What the operating system reports about a phase: looked at before its clock starts and after it stopped. */
#pragma once

#include "backend.h"
#include "cachestat.h"
#include "control_group.h"
#include "device.h"
#include "job.h"
#include "llite.h"
#include "medium.h"
#include "page_cache.h"
#include "process_io.h"
#include "processors.h"
#include "servers.h"

/* Built so by bench/evidence.py, to compare with; its records lack all evidence. */
#ifdef WEIR_BLIND
#define WEIR_IS_BLIND true
#else
#define WEIR_IS_BLIND false
#endif

#define WEIR_WATCH_TYPES 4

/* What one rank has seen; on rank 0 all, after weir_watched_gather. Each part has a value for unknown. */
struct weir_watched {
    bool directory;            /* set by the caller: the path is a directory */
    bool no_residency;         /* set by the caller: never look at the page cache, nor open the file for it */
    bool touched;              /* the file was opened by its name before the clock started */
    struct weir_medium medium; /* from the end on of every rank, before it on the first rank of each node */
    /* Once gathered, distinct types of the ranks' file systems: a node, or a rank in a namespace of its own,
     * may lack the mount. */
    char types[WEIR_WATCH_TYPES][WEIR_MEDIUM_TYPE];
    int in_memory; /* the files of this node are pages of its memory */
    struct weir_process_io io;
    struct weir_control_group group; /* once gathered, of the rank that was held back most, with all limits */
    /* Once gathered, of the node where most ranks share a processor: how many they are, and how many
     * processors they may run on together; 0: not known. */
    unsigned ranks, processors;
    struct weir_residency before, after; /* of a read, on the ranks that sampled */
    struct weir_cachestat unwritten;     /* after a write, on the ranks that looked */
    struct weir_llite llite;             /* on the first rank of each node */
    struct weir_device device;           /* likewise */
    struct weir_servers servers;         /* likewise */
    uint64_t clock_ns, raw_ns;           /* the clock of the phases, and the kernel's own past any library */
    uint64_t apart_ns;                   /* how far apart the two may have been read */
    uint64_t paused_ns;                  /* of the rank where it is most */
    double clock_error;                  /* how far the first is off, as a share; negative: unknown */
};

/* Before the clock starts only the directory is looked up, so that the timed open finds what it would find
 * without the probe; but the page cache of the node of rank 0 cannot be queried without opening the file
 * there.
 */
void weir_watch_begin(const struct weir_job *job, const struct weir_backend *backend,
                      const struct weir_open *how, struct weir_watched *watched);
/* Before another pass over the file: what the page cache holds of it counts where it is more than before. */
void weir_watch_look_again(const char *path, struct weir_watched *watched);
/* Turns what was seen at the begin into differences. Called by all ranks: those of a node wait for each
 * other, as its counters and caches are those of all. */
void weir_watch_end(const struct weir_job *job, const struct weir_backend *backend,
                    const struct weir_open *how, struct weir_watched *watched);
/* Called by all ranks. */
void weir_watched_gather(const struct weir_job *job, const struct weir_watched *mine,
                         struct weir_watched *all);
