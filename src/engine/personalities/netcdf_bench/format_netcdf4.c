/* NetCDF-4: an HDF5 file by parallel NetCDF. */
#include "variable.h"

#include "backends/netcdf4.h"
#include "stored.h"

#include <netcdf.h>
#include <netcdf_filter.h>
#include <netcdf_meta.h>
#include <netcdf_par.h>
#include <string.h>

static int format_netcdf4_define(struct weir_netcdf_variable *state, const struct weir_open *how,
                                 struct weir_problem *problem) {
    const struct ncb_variable *v = how->settings;
    const char *path = how->path;
    int dims[NCB_DIMS], old_mode;
    if (!v->fill) {
        CALL(nc_set_fill, state->file, NC_NOFILL, &old_mode);
    }
    for (int i = 0; i < NCB_DIMS; i++) {
        size_t length = i == 0 && v->unlimited ? NC_UNLIMITED : v->dims[i];
        CALL(nc_def_dim, state->file, ncb_dim_names[i], length, &dims[i]);
    }
    CALL(nc_def_var, state->file, "data", v->type->external, NCB_DIMS, dims, &state->variable);
    if (v->chunk[0] != 0) {
        CALL(nc_def_var_chunking, state->file, state->variable, NC_CHUNKED, v->chunk);
    }
    if (v->deflate_level > 0) {
        CALL(nc_def_var_deflate, state->file, state->variable, v->shuffle, 1, v->deflate_level);
    }
    if (v->zstd_level > 0) {
        CALL(nc_def_var_zstandard, state->file, state->variable, v->zstd_level);
    }
    if (v->zstd_level > 0 && v->shuffle) {
        CALL(nc_def_var_deflate, state->file, state->variable, 1, 0, 0);
    }
    if (v->quantize_digits > 0) {
        CALL(nc_def_var_quantize, state->file, state->variable, NC_QUANTIZE_BITGROOM, v->quantize_digits);
    }
    if (!v->fill) {
        CALL(nc_def_var_fill, state->file, state->variable, NC_NOFILL, NULL);
    }
    CALL(nc_enddef, state->file);
    return 0;
}

static int format_netcdf4_find(struct weir_netcdf_variable *state, const struct weir_open *how,
                               struct weir_problem *problem) {
    const char *path = how->path;
    int dims[NC_MAX_VAR_DIMS], count = 0;
    size_t lengths[NCB_DIMS];
    nc_type type;
    CALL(nc_inq_varid, state->file, "data", &state->variable);
    CALL(nc_inq_var, state->file, state->variable, NULL, &type, &count, dims, NULL);
    if (count != NCB_DIMS) {
        return weir_problem_set(problem, "nc_inq_var", path, 0, "it holds another geometry",
                                "data has %d dimensions, not 4", count);
    }
    for (int i = 0; i < NCB_DIMS; i++) {
        CALL(nc_inq_dimlen, state->file, dims[i], &lengths[i]);
    }
    return ncb_same_variable(how->settings, path, type, lengths, problem);
}

static int format_netcdf4_open(struct weir_file *file, struct weir_problem *problem) {
    return weir_netcdf4_open(file, format_netcdf4_define, format_netcdf4_find, problem);
}

static int format_netcdf4_transfer(struct weir_file *file, const struct weir_piece *piece,
                                   struct weir_problem *problem) {
    const struct ncb_variable *v = file->how->settings;
    const struct weir_netcdf_variable *s = file->state;
    size_t start[NCB_DIMS];
    ncb_place(v, piece->offset, start);
    errno = 0;
    int code = piece->access == WEIR_WRITE
                   ? nc_put_vara(s->file, s->variable, start, v->block, piece->buffer)
                   : nc_get_vara(s->file, s->variable, start, v->block, piece->buffer);
    return weir_netcdf4_moved(file, piece, code, problem);
}

static void netcdf4_observe(struct weir_file *file, struct weir_observed *observed) {
    struct ncb_found *found = ((const struct ncb_variable *)file->how->settings)->found;
    const struct weir_netcdf_variable *state = file->state;
    int storage = NC_CONTIGUOUS, shuffle = 0, deflate = 0, level = 0;
    weir_netcdf4_observe(file, observed);
    memset(found->chunk, 0, sizeof found->chunk);
    nc_inq_var_chunking(state->file, state->variable, &storage, found->chunk);
    if (storage != NC_CHUNKED) {
        memset(found->chunk, 0, sizeof found->chunk);
    }
    nc_inq_var_deflate(state->file, state->variable, &shuffle, &deflate, &level);
    found->deflate_level = deflate ? level : 0;
    found->shuffle = shuffle != 0;
    int zstd = 0, mode = NC_NOQUANTIZE, digits = 0;
    level = 0;
    nc_inq_var_zstandard(state->file, state->variable, &zstd, &level);
    found->zstd_level = zstd ? level : 0;
    nc_inq_var_quantize(state->file, state->variable, &mode, &digits);
    found->quantize_digits = mode != NC_NOQUANTIZE ? digits : 0;
    found->data_at = 0;
}

/* A file that lacks what its header promises does not open. */
static int format_netcdf4_stored(const char *path, const void *settings, struct weir_stored *stored,
                                 struct weir_problem *problem) {
    int file;
    if (ncb_stored(settings, path, stored, problem) != 0) {
        return -1;
    }
    if (weir_has_prefix(path)) {
        CALL(nc_open_par, path, NC_NOWRITE, MPI_COMM_SELF, MPI_INFO_NULL, &file);
    } else {
        CALL(nc_open, path, NC_NOWRITE, &file);
    }
    CALL(nc_close, file);
    return 0;
}

static const char *netcdf4_refuse(const struct weir_open *how) {
    const struct ncb_variable *v = how->settings;
    bool zstd = NC_HAS_ZSTD != 0;
    return v->zstd_level > 0 && !zstd ? "--zstd: the NetCDF here, " NC_VERSION
                                        ", was built without zstd; give -z"
                                      : NULL;
}

static struct weir_backend netcdf4 = {
    .name = "NETCDF4",
    .alias = "netcdf4",
    .summary = "NetCDF-4 by parallel NetCDF and HDF5",
    .traits = WEIR_COLLECTIVE | WEIR_HINTS | WEIR_FILE_PER_PROCESS | WEIR_TOGETHER | WEIR_STORES |
              WEIR_FORMAT | WEIR_PARTS,
    .state_bytes = sizeof(struct weir_netcdf_variable),
    .begin = weir_netcdf4_begin,
    .open = format_netcdf4_open,
    .transfer = format_netcdf4_transfer,
    .close = weir_netcdf4_close,
    .remove = weir_remove_named,
    .sync = weir_netcdf4_sync,
    .observe = netcdf4_observe,
    .stored = format_netcdf4_stored,
    .refuse = netcdf4_refuse,
};

NCB_FORMAT(netcdf4)
