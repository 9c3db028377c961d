/* Classic CDF-5 by PnetCDF. */
#include "variable.h"

#include "backends/pnetcdf.h"
#include "stored.h"

#include <errno.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cdf5_state {
    int file;
    int variable;
    MPI_Datatype memory;
    MPI_Offset count[NCB_DIMS];
    MPI_Offset values;
};

static const struct ncb_variable *asked_of(const struct weir_file *file) {
    return file->how->settings;
}

#define TRY(call_text, expression)                                                                           \
    do {                                                                                                     \
        errno = 0;                                                                                           \
        int code = (expression);                                                                             \
        if (code != NC_NOERR) {                                                                              \
            return weir_pnetcdf_failed(problem, call_text, path, code, errno);                               \
        }                                                                                                    \
    } while (0)

static MPI_Datatype memory_type(nc_type type) {
    switch (type) {
    case NC_BYTE:
        return MPI_SIGNED_CHAR;
    case NC_UBYTE:
        return MPI_UNSIGNED_CHAR;
    case NC_SHORT:
        return MPI_SHORT;
    case NC_USHORT:
        return MPI_UNSIGNED_SHORT;
    case NC_UINT:
        return MPI_UNSIGNED;
    case NC_INT64:
        return MPI_LONG_LONG_INT;
    case NC_UINT64:
        return MPI_UNSIGNED_LONG_LONG;
    case NC_FLOAT:
        return MPI_FLOAT;
    case NC_DOUBLE:
        return MPI_DOUBLE;
    default:
        return MPI_INT;
    }
}

static int define(struct cdf5_state *state, const struct ncb_variable *v, const char *path,
                  struct weir_problem *problem) {
    int dims[NCB_DIMS];
    MPI_Offset time = v->unlimited ? NC_UNLIMITED : (MPI_Offset)v->dims[0];
    TRY("ncmpi_set_fill", ncmpi_set_fill(state->file, v->fill ? NC_FILL : NC_NOFILL, NULL));
    TRY("ncmpi_def_dim", ncmpi_def_dim(state->file, "time", time, &dims[0]));
    for (int i = 1; i < NCB_DIMS; i++) {
        char name[16];
        snprintf(name, sizeof name, "dim_%d", i);
        TRY("ncmpi_def_dim", ncmpi_def_dim(state->file, name, (MPI_Offset)v->dims[i], &dims[i]));
    }
    TRY("ncmpi_def_var",
        ncmpi_def_var(state->file, "data", v->type->external, NCB_DIMS, dims, &state->variable));
    TRY("ncmpi_enddef", ncmpi_enddef(state->file));
    return 0;
}

static int find(struct cdf5_state *state, const struct ncb_variable *v, const char *path,
                struct weir_problem *problem) {
    int dims[NCB_DIMS], count = 0;
    size_t lengths[NCB_DIMS];
    nc_type type;
    TRY("ncmpi_inq_varid", ncmpi_inq_varid(state->file, "data", &state->variable));
    TRY("ncmpi_inq_varndims", ncmpi_inq_varndims(state->file, state->variable, &count));
    if (count != NCB_DIMS) {
        return weir_problem_set(problem, "ncmpi_inq_varndims", path, 0, "it holds another geometry",
                                "data has %d dimensions, not 4", count);
    }
    TRY("ncmpi_inq_var", ncmpi_inq_var(state->file, state->variable, NULL, &type, &count, dims, NULL));
    for (int i = 0; i < NCB_DIMS; i++) {
        MPI_Offset length = 0;
        TRY("ncmpi_inq_dimlen", ncmpi_inq_dimlen(state->file, dims[i], &length));
        lengths[i] = (size_t)length;
    }
    return ncb_same_variable(v, path, type, lengths, problem);
}

static int prepare(struct weir_file *file, struct cdf5_state *state, struct weir_problem *problem) {
    const struct ncb_variable *v = asked_of(file);
    const char *path = file->how->path;
    if ((file->how->access == WEIR_WRITE ? define : find)(state, v, path, problem) != 0) {
        return -1;
    }
    if (!file->how->collective) {
        TRY("ncmpi_begin_indep_data", ncmpi_begin_indep_data(state->file));
    }
    state->memory = memory_type(v->type->external);
    state->values = 1;
    for (int i = 0; i < NCB_DIMS; i++) {
        state->count[i] = (MPI_Offset)v->block[i];
        state->values *= state->count[i];
    }
    return 0;
}

static int cdf5_open(struct weir_file *file, struct weir_problem *problem) {
    const struct weir_open *how = file->how;
    struct cdf5_state *state = calloc(1, sizeof *state);
    if (state == NULL) {
        return weir_problem_set(problem, "malloc", how->path, ENOMEM, NULL, "%s", "");
    }
    if (weir_pnetcdf_open(how, &state->file, problem) != 0) {
        free(state);
        return -1;
    }
    if (prepare(file, state, problem) != 0) {
        weir_pnetcdf_give_up(how, state->file);
        free(state);
        return -1;
    }
    file->state = state;
    return 0;
}

static int put_or_get(const struct cdf5_state *s, bool put, bool collective, const MPI_Offset *start,
                      void *buffer) {
    if (put) {
        return collective
                   ? ncmpi_put_vara_all(s->file, s->variable, start, s->count, buffer, s->values, s->memory)
                   : ncmpi_put_vara(s->file, s->variable, start, s->count, buffer, s->values, s->memory);
    }
    return collective
               ? ncmpi_get_vara_all(s->file, s->variable, start, s->count, buffer, s->values, s->memory)
               : ncmpi_get_vara(s->file, s->variable, start, s->count, buffer, s->values, s->memory);
}

static int cdf5_transfer(struct weir_file *file, const struct weir_piece *piece,
                         struct weir_problem *problem) {
    size_t place[NCB_DIMS];
    MPI_Offset start[NCB_DIMS];
    bool put = piece->access == WEIR_WRITE, collective = file->how->collective;
    ncb_place(asked_of(file), piece->offset, place);
    for (int i = 0; i < NCB_DIMS; i++) {
        start[i] = (MPI_Offset)place[i];
    }
    errno = 0;
    int code = put_or_get(file->state, put, collective, start, piece->buffer);
    if (code == NC_NOERR) {
        return 0;
    }
    static const char *const calls[2][2] = {{"ncmpi_get_vara", "ncmpi_get_vara_all"},
                                            {"ncmpi_put_vara", "ncmpi_put_vara_all"}};
    return weir_pnetcdf_failed(problem, calls[put][collective], file->how->path, code, errno);
}

static int cdf5_sync(struct weir_file *file, struct weir_problem *problem) {
    const char *path = file->how->path;
    TRY("ncmpi_sync", ncmpi_sync(((struct cdf5_state *)file->state)->file));
    return 0;
}

static int cdf5_close(struct weir_file *file, struct weir_problem *problem) {
    struct cdf5_state *state = file->state;
    int handle = state->file;
    const char *path = file->how->path;
    free(state);
    file->state = NULL;
    TRY("ncmpi_close", ncmpi_close(handle));
    return 0;
}

static int cdf5_remove(const char *path, const void *settings, struct weir_problem *problem) {
    (void)settings;
    return weir_remove_named(path, problem);
}

static void cdf5_observe(struct weir_file *file, struct weir_observed *observed) {
    struct ncb_found *found = asked_of(file)->found;
    const struct cdf5_state *state = file->state;
    MPI_Offset data_at = 0;
    weir_pnetcdf_observe(state->file, file->how->path, observed);
    memset(found->chunk, 0, sizeof found->chunk);
    found->deflate_level = 0;
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
    TRY("ncmpi_open", ncmpi_open(MPI_COMM_SELF, path, NC_NOWRITE, MPI_INFO_NULL, &file));
    TRY("ncmpi_close", ncmpi_close(file));
    return 0;
}

static const struct weir_backend cdf5 = {
    .name = "PNETCDF",
    .alias = "cdf5",
    .summary = "classic CDF-5 by PnetCDF",
    .traits = WEIR_COLLECTIVE | WEIR_HINTS | WEIR_FILE_PER_PROCESS | WEIR_TOGETHER | WEIR_STORES |
              WEIR_FORMAT | WEIR_PARTS,
    .open = cdf5_open,
    .transfer = cdf5_transfer,
    .close = cdf5_close,
    .remove = cdf5_remove,
    .sync = cdf5_sync,
    .observe = cdf5_observe,
    .stored = cdf5_stored,
};

NCB_FORMAT(cdf5)
