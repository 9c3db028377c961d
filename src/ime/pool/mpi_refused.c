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

REFUSED(MPI_File_read_shared,
        (MPI_File handle, void *buffer, int count, MPI_Datatype type, MPI_Status *status),
        (handle, buffer, count, type, status))
REFUSED(MPI_File_write_shared,
        (MPI_File handle, const void *buffer, int count, MPI_Datatype type, MPI_Status *status),
        (handle, buffer, count, type, status))
REFUSED(MPI_File_read_ordered,
        (MPI_File handle, void *buffer, int count, MPI_Datatype type, MPI_Status *status),
        (handle, buffer, count, type, status))
REFUSED(MPI_File_write_ordered,
        (MPI_File handle, const void *buffer, int count, MPI_Datatype type, MPI_Status *status),
        (handle, buffer, count, type, status))
REFUSED(MPI_File_iread_shared,
        (MPI_File handle, void *buffer, int count, MPI_Datatype type, MPI_Request *request),
        (handle, buffer, count, type, request))
REFUSED(MPI_File_iwrite_shared,
        (MPI_File handle, const void *buffer, int count, MPI_Datatype type, MPI_Request *request),
        (handle, buffer, count, type, request))
REFUSED(MPI_File_seek_shared, (MPI_File handle, MPI_Offset offset, int whence), (handle, offset, whence))
REFUSED(MPI_File_get_position_shared, (MPI_File handle, MPI_Offset *offset), (handle, offset))
REFUSED(MPI_File_read_at_all_begin,
        (MPI_File handle, MPI_Offset offset, void *buffer, int count, MPI_Datatype type),
        (handle, offset, buffer, count, type))
REFUSED(MPI_File_read_at_all_end, (MPI_File handle, void *buffer, MPI_Status *status),
        (handle, buffer, status))
REFUSED(MPI_File_write_at_all_begin,
        (MPI_File handle, MPI_Offset offset, const void *buffer, int count, MPI_Datatype type),
        (handle, offset, buffer, count, type))
REFUSED(MPI_File_write_at_all_end, (MPI_File handle, const void *buffer, MPI_Status *status),
        (handle, buffer, status))
REFUSED(MPI_File_read_all_begin, (MPI_File handle, void *buffer, int count, MPI_Datatype type),
        (handle, buffer, count, type))
REFUSED(MPI_File_read_all_end, (MPI_File handle, void *buffer, MPI_Status *status), (handle, buffer, status))
REFUSED(MPI_File_write_all_begin, (MPI_File handle, const void *buffer, int count, MPI_Datatype type),
        (handle, buffer, count, type))
REFUSED(MPI_File_write_all_end, (MPI_File handle, const void *buffer, MPI_Status *status),
        (handle, buffer, status))
REFUSED(MPI_File_read_ordered_begin, (MPI_File handle, void *buffer, int count, MPI_Datatype type),
        (handle, buffer, count, type))
REFUSED(MPI_File_read_ordered_end, (MPI_File handle, void *buffer, MPI_Status *status),
        (handle, buffer, status))
REFUSED(MPI_File_write_ordered_begin, (MPI_File handle, const void *buffer, int count, MPI_Datatype type),
        (handle, buffer, count, type))
REFUSED(MPI_File_write_ordered_end, (MPI_File handle, const void *buffer, MPI_Status *status),
        (handle, buffer, status))
