/* Classic CDF-5 by PnetCDF. */
#include "variable.h"

#include "backends/pnetcdf.h"
#include "stored.h"

#include <pnetcdf.h>
#include <string.h>

static MPI_Datatype cdf5_memory_type(nc_type type) {
    const struct {
        nc_type external;
        MPI_Datatype in_memory;
    } known[] = {
        {NC_BYTE, MPI_SIGNED_CHAR},          {NC_UBYTE, MPI_UNSIGNED_CHAR}, {NC_SHORT, MPI_SHORT},
        {NC_USHORT, MPI_UNSIGNED_SHORT},     {NC_UINT, MPI_UNSIGNED},       {NC_INT64, MPI_LONG_LONG_INT},
        {NC_UINT64, MPI_UNSIGNED_LONG_LONG}, {NC_FLOAT, MPI_FLOAT},         {NC_DOUBLE, MPI_DOUBLE}};
    MPI_Datatype found = MPI_INT;
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++) {
        found = known[i].external == type ? known[i].in_memory : found;
    }
    return found;
}

static int cdf5_define(struct weir_netcdf_variable *state, const struct weir_open *how,
                       struct weir_problem *problem) {
    const struct ncb_variable *v = how->settings;
    const char *path = how->path;
    int dims[NCB_DIMS];
    CALL(ncmpi_set_fill, state->file, v->fill ? NC_FILL : NC_NOFILL, NULL);
    for (int i = 0; i < NCB_DIMS; i++) {
        MPI_Offset length = i == 0 && v->unlimited ? NC_UNLIMITED : (MPI_Offset)v->dims[i];
        CALL(ncmpi_def_dim, state->file, ncb_dim_names[i], length, &dims[i]);
    }
    CALL(ncmpi_def_var, state->file, "data", v->type->external, NCB_DIMS, dims, &state->variable);
    CALL(ncmpi_enddef, state->file);
    return 0;
}

static int cdf5_find(struct weir_netcdf_variable *state, const struct weir_open *how,
                     struct weir_problem *problem) {
    const char *path = how->path;
    int dims[NCB_DIMS], count = 0;
    size_t lengths[NCB_DIMS];
    nc_type type;
    CALL(ncmpi_inq_varid, state->file, "data", &state->variable);
    CALL(ncmpi_inq_varndims, state->file, state->variable, &count);
    if (count != NCB_DIMS) {
        return weir_problem_set(problem, "ncmpi_inq_varndims", path, 0, "it holds another geometry",
                                "data has %d dimensions, not 4", count);
    }
    CALL(ncmpi_inq_var, state->file, state->variable, NULL, &type, &count, dims, NULL);
    for (int i = 0; i < NCB_DIMS; i++) {
        MPI_Offset length = 0;
        CALL(ncmpi_inq_dimlen, state->file, dims[i], &length);
        lengths[i] = (size_t)length;
    }
    return ncb_same_variable(how->settings, path, type, lengths, problem);
}

static int cdf5_open(struct weir_file *file, struct weir_problem *problem) {
    return weir_pnetcdf_open(file, cdf5_define, cdf5_find, problem);
}

static int cdf5_transfer(struct weir_file *file, const struct weir_piece *piece,
                         struct weir_problem *problem) {
    const struct ncb_variable *v = file->how->settings;
    size_t place[NCB_DIMS];
    MPI_Offset start[NCB_DIMS], count[NCB_DIMS], values = 1;
    ncb_place(v, piece->offset, place);
    for (int i = 0; i < NCB_DIMS; i++) {
        start[i] = (MPI_Offset)place[i];
        count[i] = (MPI_Offset)v->block[i];
        values *= count[i];
    }
    return weir_pnetcdf_transfer(file, piece, start, count, values, cdf5_memory_type(v->type->external),
                                 problem);
}

static void cdf5_observe(struct weir_file *file, struct weir_observed *observed) {
    struct ncb_found *found = ((const struct ncb_variable *)file->how->settings)->found;
    const struct weir_netcdf_variable *state = file->state;
    MPI_Offset data_at = 0;
    weir_pnetcdf_observe(file, observed);
    memset(found->chunk, 0, sizeof found->chunk);
    found->deflate_level = found->zstd_level = found->quantize_digits = 0;
    found->shuffle = false;
    found->data_at =
        ncmpi_inq_varoffset(state->file, state->variable, &data_at) == NC_NOERR ? (uint64_t)data_at : 0;
}

static int cdf5_stored(const char *path, const void *settings, struct weir_stored *stored,
                       struct weir_problem *problem) {
    int file;
    if (ncb_stored(settings, path, stored, problem) != 0) {
        return -1;
    }
    CALL(ncmpi_open, MPI_COMM_SELF, path, NC_NOWRITE, MPI_INFO_NULL, &file);
    CALL(ncmpi_close, file);
    return 0;
}

static struct weir_backend cdf5 = {
    .name = "PNETCDF",
    .alias = "cdf5",
    .summary = "classic CDF-5 by PnetCDF",
    .traits = WEIR_COLLECTIVE | WEIR_HINTS | WEIR_FILE_PER_PROCESS | WEIR_TOGETHER | WEIR_STORES |
              WEIR_FORMAT | WEIR_PARTS,
    .state_bytes = sizeof(struct weir_netcdf_variable),
    .open = cdf5_open,
    .transfer = cdf5_transfer,
    .close = weir_pnetcdf_close,
    .remove = weir_remove_named,
    .sync = weir_pnetcdf_sync,
    .observe = cdf5_observe,
    .stored = cdf5_stored,
};

NCB_FORMAT(cdf5)
