/* MPI_File functions on views and positions. */
#include <string.h>

#include "pool.h"

int MPI_File_set_view(MPI_File handle, MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype,
                      const char *representation, MPI_Info info) {
    struct pool_file *file = pool_file_of(handle);
    if (file == NULL) {
        return PMPI_File_set_view(handle, displacement, etype, filetype, representation, info);
    }
    if (strcmp(representation, "native") != 0 && strcmp(representation, "NATIVE") != 0) {
        return MPI_ERR_UNSUPPORTED_DATAREP;
    }
    struct view view;
    int error = view_set(&view, displacement, etype, filetype);
    if (error == MPI_SUCCESS) {
        view_clear(&file->view);
        file->view = view;
        file->position = 0;
    }
    return error;
}

int MPI_File_get_view(MPI_File handle, MPI_Offset *displacement, MPI_Datatype *etype, MPI_Datatype *filetype,
                      char *representation) {
    struct pool_file *file = pool_file_of(handle);
    if (file == NULL) {
        return PMPI_File_get_view(handle, displacement, etype, filetype, representation);
    }
    *displacement = file->view.displacement;
    PMPI_Type_dup(file->view.etype, etype);
    PMPI_Type_dup(file->view.filetype, filetype);
    strcpy(representation, "native");
    return MPI_SUCCESS;
}

int MPI_File_seek(MPI_File handle, MPI_Offset offset, int whence) {
    struct pool_file *file = pool_file_of(handle);
    if (file == NULL) {
        return PMPI_File_seek(handle, offset, whence);
    }
    int64_t base = 0;
    if (whence == MPI_SEEK_CUR) {
        base = file->position;
    } else if (whence == MPI_SEEK_END) {
        base = view_position(&file->view, atomic_load(&file->memory.index->size_bytes));
    }
    int64_t position = base + offset * file->view.etype_bytes;
    if (position < 0) {
        return MPI_ERR_ARG;
    }
    file->position = position;
    return MPI_SUCCESS;
}

int MPI_File_get_position(MPI_File handle, MPI_Offset *offset) {
    struct pool_file *file = pool_file_of(handle);
    if (file == NULL) {
        return PMPI_File_get_position(handle, offset);
    }
    *offset = file->position / (file->view.etype_bytes > 0 ? file->view.etype_bytes : 1);
    return MPI_SUCCESS;
}

int MPI_File_get_byte_offset(MPI_File handle, MPI_Offset offset, MPI_Offset *displacement) {
    struct pool_file *file = pool_file_of(handle);
    int64_t run;
    if (file == NULL) {
        return PMPI_File_get_byte_offset(handle, offset, displacement);
    }
    *displacement = view_offset(&file->view, offset * file->view.etype_bytes, &run);
    return MPI_SUCCESS;
}

int MPI_File_get_type_extent(MPI_File handle, MPI_Datatype type, MPI_Aint *extent) {
    MPI_Aint lower;
    return pool_file_of(handle) == NULL ? PMPI_File_get_type_extent(handle, type, extent)
                                        : PMPI_Type_get_extent(type, &lower, extent);
}
