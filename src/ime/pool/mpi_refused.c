/* What the pool does not offer: shared pointers and split collectives. They are refused on its files, with a
 * message. */
#include <stdio.h>

#include "pool.h"

static int mpi_refused_refuse(const struct pool_file *file, const char *function) {
    fprintf(stderr, "weir-pool: %s: %s is not offered by the memory pool\n", file->name, function);
    return MPI_ERR_UNSUPPORTED_OPERATION;
}

#define REFUSED(name, parameters, arguments)                                                                 \
    int name parameters {                                                                                    \
        const struct pool_file *file = pool_file_of(handle);                                                 \
        return file != NULL ? mpi_refused_refuse(file, #name) : P##name arguments;                           \
    }

#define REFUSED_TRANSFER(name, memory, outcome)                                                              \
    REFUSED(name, (MPI_File handle, memory buffer, int count, MPI_Datatype type, outcome into),              \
            (handle, buffer, count, type, into))
#define REFUSED_END(name, memory)                                                                            \
    REFUSED(name, (MPI_File handle, memory buffer, MPI_Status * status), (handle, buffer, status))
#define REFUSED_SPLIT(name, memory)                                                                          \
    REFUSED(name##_begin, (MPI_File handle, memory buffer, int count, MPI_Datatype type),                    \
            (handle, buffer, count, type))                                                                   \
    REFUSED_END(name##_end, memory)
#define REFUSED_SPLIT_AT(name, memory)                                                                       \
    REFUSED(name##_begin, (MPI_File handle, MPI_Offset offset, memory buffer, int count, MPI_Datatype type), \
            (handle, offset, buffer, count, type))                                                           \
    REFUSED_END(name##_end, memory)

REFUSED_TRANSFER(MPI_File_read_shared, void *, MPI_Status *)
REFUSED_TRANSFER(MPI_File_write_shared, const void *, MPI_Status *)
REFUSED_TRANSFER(MPI_File_read_ordered, void *, MPI_Status *)
REFUSED_TRANSFER(MPI_File_write_ordered, const void *, MPI_Status *)
REFUSED_TRANSFER(MPI_File_iread_shared, void *, MPI_Request *)
REFUSED_TRANSFER(MPI_File_iwrite_shared, const void *, MPI_Request *)
REFUSED(MPI_File_seek_shared, (MPI_File handle, MPI_Offset offset, int whence), (handle, offset, whence))
REFUSED(MPI_File_get_position_shared, (MPI_File handle, MPI_Offset *offset), (handle, offset))
REFUSED_SPLIT_AT(MPI_File_read_at_all, void *)
REFUSED_SPLIT_AT(MPI_File_write_at_all, const void *)
REFUSED_SPLIT(MPI_File_read_all, void *)
REFUSED_SPLIT(MPI_File_write_all, const void *)
REFUSED_SPLIT(MPI_File_read_ordered, void *)
REFUSED_SPLIT(MPI_File_write_ordered, const void *)
