/* An MPI-IO driver for files in the memory of the node: a library to preload. Files named xpd:NAME live in a
 * pool of shared memory, all others go to the MPI-IO beneath. */
#pragma once

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define POOL_PREFIX      "xpd:"
#define POOL_MAGIC       UINT64_C(0x786c6f6f70726977)
#define POOL_CHUNK_BYTES (INT64_C(2) << 20)
#define POOL_MAX_BYTES   (INT64_C(256) << 30)
#define POOL_CHUNKS      (POOL_MAX_BYTES / POOL_CHUNK_BYTES)

/* A datatype as runs of bytes, in the order of its typemap, for one instance. */
struct segment {
    MPI_Aint offset;
    int64_t bytes;
    int64_t before; /* bytes of the runs in front of it */
};

struct flat {
    struct segment *segments;
    size_t count;
    size_t room;
    int64_t bytes; /* of data in one instance */
    MPI_Aint extent;
};

/* flatten.c: an MPI error class */
int flatten(MPI_Datatype type, struct flat *flat);
void flat_free(struct flat *flat);

/* memory.c: a file of the pool, mapped. The index lies in front of the data. */
struct pool_index {
    _Atomic int64_t size_bytes;
    _Atomic uint8_t allocated[POOL_CHUNKS]; /* chunks that have memory; the others read as zeros */
};

struct memory {
    int fd;
    struct pool_index *index;
    char *data;
};

int memory_open(const char *name, int flags, struct memory *memory); /* 0 or errno */
void memory_close(struct memory *memory);
int memory_delete(const char *name);
int memory_resize(struct memory *memory, int64_t size_bytes);
int memory_reserve(struct memory *memory, int64_t low, int64_t high);
void memory_set_lock(const struct memory *memory, short type); /* F_WRLCK or F_UNLCK, for atomic mode */

struct view {
    MPI_Offset displacement;
    MPI_Datatype etype;
    MPI_Datatype filetype;
    int64_t etype_bytes;
    struct flat flat;
};

struct pool_file {
    uint64_t magic;
    struct memory memory;
    MPI_Comm comm;
    MPI_Info info;
    MPI_Errhandler handler;
    struct view view;
    int64_t position; /* of the individual pointer: bytes of the view's data */
    int amode;
    bool atomic;
    char *name;
};

/* The pool's file of a handle, or NULL. */
static inline struct pool_file *pool_file_of(MPI_File handle) {
    struct pool_file *file = (struct pool_file *)handle;
    return handle != MPI_FILE_NULL && file != NULL && file->magic == POOL_MAGIC ? file : NULL;
}

static inline bool is_pool_name(const char *name) {
    return name[0] == 'x' && name[1] == 'p' && name[2] == 'd' && name[3] == ':';
}

/* view.c */
int view_set(struct view *view, MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype);
void view_clear(struct view *view);
int64_t view_offset(const struct view *view, int64_t position, int64_t *run_bytes); /* in the file */
int64_t view_position(const struct view *view, int64_t offset); /* the first one at or behind offset */

/* transfer.c: at a position of the view's data, in bytes */
int transfer(struct pool_file *file, int64_t position, void *buffer, int count, MPI_Datatype type, bool write,
             int64_t *moved_bytes);
void set_status(MPI_Status *status, int64_t bytes);
int completed_request(int64_t bytes, MPI_Request *request);

int mpi_error_of(int error_number);
