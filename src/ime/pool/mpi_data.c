/* MPI_File functions that move data. In memory a collective call has nothing to gain from the other ranks, so
 * that it does what the independent one does. A collective write then waits for them: HDF5 1.14 fills the
 * chunks of a dataset by one, and a rank that went on would have its data overwritten by the fill of another
 * rank. */

#include "pool.h"

/* At the offset, or where it is NULL at the position of the handle, which moves on. */
static int mpi_data_transfer(struct pool_file *file, const MPI_Offset *offset, const void *buffer, int count,
                             MPI_Datatype type, bool write, int64_t *moved) {
    int64_t from = offset != NULL ? *offset * file->view.etype_bytes : file->position;
    int error = transfer(file, from, (void *)(uintptr_t)buffer, count, type, write, moved);
    if (offset == NULL) {
        file->position += *moved;
    }
    return error;
}

static int mpi_data_move(struct pool_file *file, const MPI_Offset *offset, const void *buffer, int count,
                         MPI_Datatype type, bool write, MPI_Status *status) {
    int64_t moved;
    int error = mpi_data_transfer(file, offset, buffer, count, type, write, &moved);
    set_status(status, moved);
    return error;
}

static int mpi_data_move_all(struct pool_file *file, const MPI_Offset *offset, const void *buffer, int count,
                             MPI_Datatype type, bool write, MPI_Status *status) {
    int error = mpi_data_move(file, offset, buffer, count, type, write, status);
    PMPI_Barrier(file->comm);
    return error;
}

static int mpi_data_begin(struct pool_file *file, const MPI_Offset *offset, const void *buffer, int count,
                          MPI_Datatype type, bool write, MPI_Request *request) {
    int64_t moved;
    int error = mpi_data_transfer(file, offset, buffer, count, type, write, &moved);
    return error != MPI_SUCCESS ? error : completed_request(moved, request);
}

/* One definition for each name of the standard: the pool's way if the handle is ours, the other library's if
 * not. */
#define AT(name, memory, outcome, move, write)                                                               \
    int name(MPI_File handle, MPI_Offset offset, memory buffer, int count, MPI_Datatype type,                \
             outcome into) {                                                                                 \
        struct pool_file *file = pool_file_of(handle);                                                       \
        return file != NULL ? move(file, &offset, buffer, count, type, write, into)                          \
                            : P##name(handle, offset, buffer, count, type, into);                            \
    }
#define ON(name, memory, outcome, move, write)                                                               \
    int name(MPI_File handle, memory buffer, int count, MPI_Datatype type, outcome into) {                   \
        struct pool_file *file = pool_file_of(handle);                                                       \
        return file != NULL ? move(file, NULL, buffer, count, type, write, into)                             \
                            : P##name(handle, buffer, count, type, into);                                    \
    }

#define EACH(name, memory, outcome, move, move_all, write)                                                   \
    AT(name##_at, memory, outcome, move, write)                                                              \
    AT(name##_at_all, memory, outcome, move_all, write)                                                      \
    ON(name, memory, outcome, move, write)                                                                   \
    ON(name##_all, memory, outcome, move_all, write)

EACH(MPI_File_read, void *, MPI_Status *, mpi_data_move, mpi_data_move, false)
EACH(MPI_File_write, const void *, MPI_Status *, mpi_data_move, mpi_data_move_all, true)
EACH(MPI_File_iread, void *, MPI_Request *, mpi_data_begin, mpi_data_begin, false)
EACH(MPI_File_iwrite, const void *, MPI_Request *, mpi_data_begin, mpi_data_begin, true)
