/* MPI_File functions that move data. In memory a collective call has nothing to gain from the other ranks, so
 * that it does what the independent one does. A collective write then waits for them: HDF5 1.14 fills the
 * chunks of a dataset by one, and a rank that went on would have its data overwritten by the fill of another
 * rank. */
#include <stdio.h>

#include "pool.h"

static int mpi_data_move_at(struct pool_file *file, MPI_Offset offset, void *buffer, int count,
                            MPI_Datatype type, bool write, MPI_Status *status) {
    int64_t moved;
    int error = transfer(file, offset * file->view.etype_bytes, buffer, count, type, write, &moved);
    set_status(status, moved);
    return error;
}

static int mpi_data_move_on(struct pool_file *file, void *buffer, int count, MPI_Datatype type, bool write,
                            MPI_Status *status) {
    int64_t moved;
    int error = transfer(file, file->position, buffer, count, type, write, &moved);
    file->position += moved;
    set_status(status, moved);
    return error;
}

static int mpi_data_begin_at(struct pool_file *file, MPI_Offset offset, void *buffer, int count,
                             MPI_Datatype type, bool write, MPI_Request *request) {
    int64_t moved;
    int error = transfer(file, offset * file->view.etype_bytes, buffer, count, type, write, &moved);
    return error != MPI_SUCCESS ? error : completed_request(moved, request);
}

static int mpi_data_begin_on(struct pool_file *file, void *buffer, int count, MPI_Datatype type, bool write,
                             MPI_Request *request) {
    int64_t moved;
    int error = transfer(file, file->position, buffer, count, type, write, &moved);
    file->position += moved;
    return error != MPI_SUCCESS ? error : completed_request(moved, request);
}

static int mpi_data_write_all(struct pool_file *file, int error) {
    PMPI_Barrier(file->comm);
    return error;
}

/* One definition for each name of the standard: the pool's way if the handle is ours, the other library's if
 * not. */
#define READ_AT(name, p_name)                                                                                \
    int name(MPI_File handle, MPI_Offset offset, void *buffer, int count, MPI_Datatype type,                 \
             MPI_Status *status) {                                                                           \
        struct pool_file *file = pool_file_of(handle);                                                       \
        return file != NULL ? mpi_data_move_at(file, offset, buffer, count, type, false, status)             \
                            : p_name(handle, offset, buffer, count, type, status);                           \
    }
#define WRITE_AT(name, p_name)                                                                               \
    int name(MPI_File handle, MPI_Offset offset, const void *buffer, int count, MPI_Datatype type,           \
             MPI_Status *status) {                                                                           \
        struct pool_file *file = pool_file_of(handle);                                                       \
        return file != NULL                                                                                  \
                   ? mpi_data_move_at(file, offset, (void *)(uintptr_t)buffer, count, type, true, status)    \
                   : p_name(handle, offset, buffer, count, type, status);                                    \
    }
#define WRITE_AT_ALL(name, p_name)                                                                           \
    int name(MPI_File handle, MPI_Offset offset, const void *buffer, int count, MPI_Datatype type,           \
             MPI_Status *status) {                                                                           \
        struct pool_file *file = pool_file_of(handle);                                                       \
        return file != NULL                                                                                  \
                   ? mpi_data_write_all(file, mpi_data_move_at(file, offset, (void *)(uintptr_t)buffer,      \
                                                               count, type, true, status))                   \
                   : p_name(handle, offset, buffer, count, type, status);                                    \
    }
#define READ_ON(name, p_name)                                                                                \
    int name(MPI_File handle, void *buffer, int count, MPI_Datatype type, MPI_Status *status) {              \
        struct pool_file *file = pool_file_of(handle);                                                       \
        return file != NULL ? mpi_data_move_on(file, buffer, count, type, false, status)                     \
                            : p_name(handle, buffer, count, type, status);                                   \
    }
#define WRITE_ON(name, p_name)                                                                               \
    int name(MPI_File handle, const void *buffer, int count, MPI_Datatype type, MPI_Status *status) {        \
        struct pool_file *file = pool_file_of(handle);                                                       \
        return file != NULL ? mpi_data_move_on(file, (void *)(uintptr_t)buffer, count, type, true, status)   \
                            : p_name(handle, buffer, count, type, status);                                   \
    }
#define WRITE_ON_ALL(name, p_name)                                                                           \
    int name(MPI_File handle, const void *buffer, int count, MPI_Datatype type, MPI_Status *status) {        \
        struct pool_file *file = pool_file_of(handle);                                                       \
        return file != NULL ? mpi_data_write_all(file, mpi_data_move_on(file, (void *)(uintptr_t)buffer,     \
                                                                        count, type, true, status))          \
                            : p_name(handle, buffer, count, type, status);                                   \
    }
#define BEGIN_READ_AT(name, p_name)                                                                          \
    int name(MPI_File handle, MPI_Offset offset, void *buffer, int count, MPI_Datatype type,                 \
             MPI_Request *request) {                                                                         \
        struct pool_file *file = pool_file_of(handle);                                                       \
        return file != NULL ? mpi_data_begin_at(file, offset, buffer, count, type, false, request)           \
                            : p_name(handle, offset, buffer, count, type, request);                          \
    }
#define BEGIN_WRITE_AT(name, p_name)                                                                         \
    int name(MPI_File handle, MPI_Offset offset, const void *buffer, int count, MPI_Datatype type,           \
             MPI_Request *request) {                                                                         \
        struct pool_file *file = pool_file_of(handle);                                                       \
        return file != NULL                                                                                  \
                   ? mpi_data_begin_at(file, offset, (void *)(uintptr_t)buffer, count, type, true, request)  \
                   : p_name(handle, offset, buffer, count, type, request);                                   \
    }
#define BEGIN_READ_ON(name, p_name)                                                                          \
    int name(MPI_File handle, void *buffer, int count, MPI_Datatype type, MPI_Request *request) {            \
        struct pool_file *file = pool_file_of(handle);                                                       \
        return file != NULL ? mpi_data_begin_on(file, buffer, count, type, false, request)                   \
                            : p_name(handle, buffer, count, type, request);                                  \
    }
#define BEGIN_WRITE_ON(name, p_name)                                                                         \
    int name(MPI_File handle, const void *buffer, int count, MPI_Datatype type, MPI_Request *request) {      \
        struct pool_file *file = pool_file_of(handle);                                                       \
        return file != NULL ? mpi_data_begin_on(file, (void *)(uintptr_t)buffer, count, type, true, request) \
                            : p_name(handle, buffer, count, type, request);                                  \
    }

READ_AT(MPI_File_read_at, PMPI_File_read_at)
READ_AT(MPI_File_read_at_all, PMPI_File_read_at_all)
WRITE_AT(MPI_File_write_at, PMPI_File_write_at)
WRITE_AT_ALL(MPI_File_write_at_all, PMPI_File_write_at_all)
READ_ON(MPI_File_read, PMPI_File_read)
READ_ON(MPI_File_read_all, PMPI_File_read_all)
WRITE_ON(MPI_File_write, PMPI_File_write)
WRITE_ON_ALL(MPI_File_write_all, PMPI_File_write_all)
BEGIN_READ_AT(MPI_File_iread_at, PMPI_File_iread_at)
BEGIN_READ_AT(MPI_File_iread_at_all, PMPI_File_iread_at_all)
BEGIN_WRITE_AT(MPI_File_iwrite_at, PMPI_File_iwrite_at)
BEGIN_WRITE_AT(MPI_File_iwrite_at_all, PMPI_File_iwrite_at_all)
BEGIN_READ_ON(MPI_File_iread, PMPI_File_iread)
BEGIN_READ_ON(MPI_File_iread_all, PMPI_File_iread_all)
BEGIN_WRITE_ON(MPI_File_iwrite, PMPI_File_iwrite)
BEGIN_WRITE_ON(MPI_File_iwrite_all, PMPI_File_iwrite_all)
