/* MPI_File functions on the file as a whole. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pool.h"

/* Shared memory ends at the node. */
static bool mpi_files_on_one_node(MPI_Comm comm) {
    MPI_Comm node;
    int all;
    int here;
    int same;
    PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    PMPI_Comm_size(comm, &all);
    PMPI_Comm_size(node, &here);
    PMPI_Comm_free(&node);
    same = all == here;
    PMPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, comm);
    return same != 0;
}

static int mpi_files_access_mode_problem(int amode) {
    int modes =
        ((amode & MPI_MODE_RDONLY) != 0) + ((amode & MPI_MODE_WRONLY) != 0) + ((amode & MPI_MODE_RDWR) != 0);
    bool creates_unwritable =
        (amode & MPI_MODE_RDONLY) != 0 && (amode & (MPI_MODE_CREATE | MPI_MODE_EXCL)) != 0;
    return modes != 1 || creates_unwritable ? MPI_ERR_AMODE : MPI_SUCCESS;
}

/* The first rank creates; the others open what is there then. */
static int mpi_files_open_together(struct pool_file *file) {
    int rank;
    int error = 0;
    int flags = ((file->amode & MPI_MODE_CREATE) != 0 ? O_CREAT : 0) |
                ((file->amode & MPI_MODE_EXCL) != 0 ? O_EXCL : 0);
    PMPI_Comm_rank(file->comm, &rank);
    if (rank == 0) {
        error = memory_open(file->name, flags, &file->memory);
    }
    PMPI_Bcast(&error, 1, MPI_INT, 0, file->comm);
    if (error != 0) {
        return error;
    }
    if (rank != 0) {
        error = memory_open(file->name, 0, &file->memory);
    }
    int worst = error;
    PMPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, file->comm);
    if (worst != 0 && error == 0) {
        memory_close(&file->memory);
    }
    return worst;
}

static void mpi_files_free_file(struct pool_file *file) {
    if (file->info != MPI_INFO_NULL) {
        PMPI_Info_free(&file->info);
    }
    if (file->comm != MPI_COMM_NULL) {
        PMPI_Comm_free(&file->comm);
    }
    file->magic = 0;
    free(file->name);
    free(file);
}

static int mpi_files_open_pool_file(MPI_Comm comm, const char *name, int amode, MPI_Info info,
                                    MPI_File *handle) {
    int error = mpi_files_access_mode_problem(amode);
    if (error != MPI_SUCCESS) {
        return error;
    }
    if (!mpi_files_on_one_node(comm)) {
        fprintf(stderr, "weir-pool: %s: the memory pool is on one node, this communicator spans several\n",
                name);
        return MPI_ERR_UNSUPPORTED_OPERATION;
    }
    struct pool_file *file = calloc(1, sizeof *file);
    if (file == NULL) {
        return MPI_ERR_NO_MEM;
    }
    file->magic = POOL_MAGIC;
    file->amode = amode;
    file->name = strdup(name);
    file->handler = MPI_ERRORS_RETURN;
    file->info = MPI_INFO_NULL;
    PMPI_Comm_dup(comm, &file->comm);
    if (info != MPI_INFO_NULL) {
        PMPI_Info_dup(info, &file->info);
    } else {
        PMPI_Info_create(&file->info);
    }
    error = mpi_error_of(mpi_files_open_together(file));
    if (error == MPI_SUCCESS) {
        error = view_set(&file->view, 0, MPI_BYTE, MPI_BYTE);
    }
    if (error != MPI_SUCCESS) {
        mpi_files_free_file(file);
        return error;
    }
    if ((amode & MPI_MODE_APPEND) != 0) {
        file->position = atomic_load(&file->memory.index->size_bytes);
    }
    *handle = (MPI_File)file;
    return MPI_SUCCESS;
}

int MPI_File_open(MPI_Comm comm, const char *name, int amode, MPI_Info info, MPI_File *handle) {
    return is_pool_name(name) ? mpi_files_open_pool_file(comm, name, amode, info, handle)
                              : PMPI_File_open(comm, name, amode, info, handle);
}

int MPI_File_close(MPI_File *handle) {
    struct pool_file *file = pool_file_of(*handle);
    if (file == NULL) {
        return PMPI_File_close(handle);
    }
    int rank;
    PMPI_Comm_rank(file->comm, &rank);
    PMPI_Barrier(file->comm);
    if (rank == 0 && (file->amode & MPI_MODE_DELETE_ON_CLOSE) != 0) {
        memory_delete(file->name);
    }
    memory_close(&file->memory);
    view_clear(&file->view);
    mpi_files_free_file(file);
    *handle = MPI_FILE_NULL;
    return MPI_SUCCESS;
}

int MPI_File_delete(const char *name, MPI_Info info) {
    return is_pool_name(name) ? mpi_error_of(memory_delete(name)) : PMPI_File_delete(name, info);
}

static int mpi_files_set_size(struct pool_file *file, MPI_Offset size) {
    return (file->amode & MPI_MODE_RDONLY) != 0 ? EACCES
           : size < 0                           ? EINVAL
                                                : memory_resize(&file->memory, size);
}

static int mpi_files_preallocate(struct pool_file *file, MPI_Offset size) {
    int error = memory_reserve(&file->memory, 0, size);
    bool grows = error == 0 && size > atomic_load(&file->memory.index->size_bytes);
    return grows ? memory_resize(&file->memory, size) : error;
}

/* Collective, and over when it returns: no rank writes before the others have resized. */
static int mpi_files_by_first_rank(struct pool_file *file, MPI_Offset size,
                                   int (*act)(struct pool_file *, MPI_Offset)) {
    int rank;
    PMPI_Comm_rank(file->comm, &rank);
    PMPI_Barrier(file->comm);
    int error = rank == 0 ? act(file, size) : 0;
    PMPI_Bcast(&error, 1, MPI_INT, 0, file->comm);
    return mpi_error_of(error);
}

int MPI_File_set_size(MPI_File handle, MPI_Offset size) {
    struct pool_file *file = pool_file_of(handle);
    return file == NULL ? PMPI_File_set_size(handle, size)
                        : mpi_files_by_first_rank(file, size, mpi_files_set_size);
}

int MPI_File_preallocate(MPI_File handle, MPI_Offset size) {
    struct pool_file *file = pool_file_of(handle);
    return file == NULL ? PMPI_File_preallocate(handle, size)
                        : mpi_files_by_first_rank(file, size, mpi_files_preallocate);
}

/* A getter answers from the file of the pool, and for another file by MPI. */
#define GETTER(name, type, value)                                                                            \
    int name(MPI_File handle, type *into) {                                                                  \
        struct pool_file *file = pool_file_of(handle);                                                       \
        if (file == NULL) {                                                                                  \
            return P##name(handle, into);                                                                    \
        }                                                                                                    \
        *into = value;                                                                                       \
        return MPI_SUCCESS;                                                                                  \
    }

GETTER(MPI_File_get_size, MPI_Offset, atomic_load(&file->memory.index->size_bytes))
GETTER(MPI_File_get_amode, int, file->amode)
GETTER(MPI_File_get_atomicity, int, file->atomic)
GETTER(MPI_File_get_errhandler, MPI_Errhandler, file->handler)

int MPI_File_get_group(MPI_File handle, MPI_Group *group) {
    struct pool_file *file = pool_file_of(handle);
    return file == NULL ? PMPI_File_get_group(handle, group) : PMPI_Comm_group(file->comm, group);
}

int MPI_File_get_info(MPI_File handle, MPI_Info *info) {
    struct pool_file *file = pool_file_of(handle);
    return file == NULL ? PMPI_File_get_info(handle, info) : PMPI_Info_dup(file->info, info);
}

int MPI_File_set_info(MPI_File handle, MPI_Info info) {
    struct pool_file *file = pool_file_of(handle);
    if (file == NULL) {
        return PMPI_File_set_info(handle, info);
    }
    if (info != MPI_INFO_NULL) {
        PMPI_Info_free(&file->info);
        PMPI_Info_dup(info, &file->info);
    }
    return MPI_SUCCESS;
}

int MPI_File_set_atomicity(MPI_File handle, int flag) {
    struct pool_file *file = pool_file_of(handle);
    if (file == NULL) {
        return PMPI_File_set_atomicity(handle, flag);
    }
    file->atomic = flag != 0;
    return PMPI_Barrier(file->comm);
}

int MPI_File_sync(MPI_File handle) {
    struct pool_file *file = pool_file_of(handle);
    if (file == NULL) {
        return PMPI_File_sync(handle);
    }
    atomic_thread_fence(memory_order_seq_cst); /* shared memory has nothing behind it */
    return MPI_SUCCESS;
}

int MPI_File_set_errhandler(MPI_File handle, MPI_Errhandler handler) {
    struct pool_file *file = pool_file_of(handle);
    if (file == NULL) {
        return PMPI_File_set_errhandler(handle, handler);
    }
    file->handler = handler;
    return MPI_SUCCESS;
}

int MPI_File_call_errhandler(MPI_File handle, int code) {
    return pool_file_of(handle) == NULL ? PMPI_File_call_errhandler(handle, code) : code;
}
