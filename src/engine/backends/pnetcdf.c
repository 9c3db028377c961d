/* PNETCDF: classic CDF-5, laid out as IOR does: one variable of bytes whose records are the blocks of the
 * ranks, one segment after the other, so that the data lie in the file in the order of their offsets. */
#include "pnetcdf.h"

#include "descriptor.h"
#include "stored.h"

#include <errno.h>
#include <pnetcdf.h>
#include <stdlib.h>

enum { BLOCK, TRANSFER, BYTE, DIMS };

#define REQUESTS_MAX 4096

struct pnetcdf_settings {
    int64_t requests; /* 0: each transfer waits */
};

/* What IOR's file adds to that of other users: requests that wait for their call, and their slots. */
struct pnetcdf_requests {
    struct weir_netcdf_variable variable; /* first: the functions above know no more */
    int *requests, *statuses;
    unsigned *slots;
    unsigned posted;
};

int weir_pnetcdf_failed(struct weir_problem *problem, const char *call, const char *path, int code,
                        int last_errno) {
    static const struct {
        int code, errnum;
    } known[] = {{NC_ENO_SPACE, ENOSPC}, {NC_EQUOTA, EDQUOT}, {NC_ENOENT, ENOENT},
                 {NC_EACCESS, EACCES},   {NC_EEXIST, EEXIST}, {NC_EBAD_FILE, EINVAL}};
    int errnum = code == NC_EFILE || code == NC_EWRITE || code == NC_EREAD ? last_errno : 0;
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++) {
        errnum = known[i].code == code ? known[i].errnum : errnum;
    }
    const char *message = ncmpi_strerror(code);
    return weir_problem_set(problem, call, path, errnum, errnum != 0 ? NULL : message, "PnetCDF reports %s",
                            message);
}

static int pnetcdf_create_or_open(const struct weir_open *how, int *file, struct weir_problem *problem) {
    const char *path = how->path;
    WEIR_INFO info = weir_hints_to_info(how->hints);
    if (how->access == WEIR_WRITE) {
        CALL(ncmpi_create, how->comm, path, NC_CLOBBER | NC_64BIT_DATA, info, file);
    } else {
        CALL(ncmpi_open, how->comm, path, NC_NOWRITE, info, file);
    }
    return 0;
}

static int pnetcdf_choose_access(const struct weir_netcdf_variable *state, const struct weir_open *how,
                                 struct weir_problem *problem) {
    const char *path = how->path;
    if (!how->collective) {
        CALL(ncmpi_begin_indep_data, state->file);
    }
    return 0;
}

int weir_pnetcdf_open(struct weir_file *file, weir_netcdf_variable_call *define,
                      weir_netcdf_variable_call *find, struct weir_problem *problem) {
    const struct weir_open *how = file->how;
    struct weir_netcdf_variable *state = file->state;
    if (pnetcdf_create_or_open(how, &state->file, problem) != 0) {
        return -1;
    }
    weir_netcdf_variable_call *variable = how->access == WEIR_WRITE ? define : find;
    if (variable(state, how, problem) != 0 || pnetcdf_choose_access(state, how, problem) != 0) {
        if (!weir_open_shared(
                how)) { /* others may be elsewhere in the library: they would not close with us */
            ncmpi_close(state->file);
        }
        return -1;
    }
    return 0;
}

int weir_pnetcdf_transfer(struct weir_file *file, const struct weir_piece *piece, const MPI_Offset *start,
                          const MPI_Offset *count, MPI_Offset values, MPI_Datatype type,
                          struct weir_problem *problem) {
    const struct weir_netcdf_variable *s = file->state;
    const char *path = file->how->path;
    unsigned char *buffer = piece->buffer;
    if (piece->access == WEIR_WRITE && file->how->collective) {
        CALL(ncmpi_put_vara_all, s->file, s->variable, start, count, buffer, values, type);
    } else if (piece->access == WEIR_WRITE) {
        CALL(ncmpi_put_vara, s->file, s->variable, start, count, buffer, values, type);
    } else if (file->how->collective) {
        CALL(ncmpi_get_vara_all, s->file, s->variable, start, count, buffer, values, type);
    } else {
        CALL(ncmpi_get_vara, s->file, s->variable, start, count, buffer, values, type);
    }
    return 0;
}

int weir_pnetcdf_sync(struct weir_file *file, struct weir_problem *problem) {
    const char *path = file->how->path;
    CALL(ncmpi_sync, ((struct weir_netcdf_variable *)file->state)->file);
    return 0;
}

int weir_pnetcdf_close(struct weir_file *file, struct weir_problem *problem) {
    const char *path = file->how->path;
    CALL(ncmpi_close, ((struct weir_netcdf_variable *)file->state)->file);
    return 0;
}

void weir_pnetcdf_observe(struct weir_file *file, struct weir_observed *observed) {
    MPI_Info info = MPI_INFO_NULL;
    if (ncmpi_inq_file_info(((struct weir_netcdf_variable *)file->state)->file, &info) == NC_NOERR) {
        weir_hints_from_info(&observed->hints, info);
    }
    observed->open_flags = weir_descriptor_flags(file->how->path);
}

static int pnetcdf_define(struct weir_netcdf_variable *state, const struct weir_open *how,
                          struct weir_problem *problem) {
    const char *path = how->path;
    MPI_Offset transfers = (MPI_Offset)(how->geometry.block_bytes / how->geometry.xfer_bytes);
    int dims[DIMS];
    CALL(ncmpi_def_dim, state->file, "segments_times_np", NC_UNLIMITED, &dims[BLOCK]);
    CALL(ncmpi_def_dim, state->file, "number_of_transfers", transfers, &dims[TRANSFER]);
    CALL(ncmpi_def_dim, state->file, "transfer_size", (MPI_Offset)how->geometry.xfer_bytes, &dims[BYTE]);
    CALL(ncmpi_def_var, state->file, "data_var", NC_BYTE, DIMS, dims, &state->variable);
    CALL(ncmpi_enddef, state->file);
    return 0;
}

/* The transfers are a dimension of the variable: only a read with the same transfers is possible. */
static int pnetcdf_find(struct weir_netcdf_variable *state, const struct weir_open *how,
                        struct weir_problem *problem) {
    const char *path = how->path;
    int count = 0, dims[DIMS];
    MPI_Offset lengths[DIMS] = {0};
    CALL(ncmpi_inq_varid, state->file, "data_var", &state->variable);
    CALL(ncmpi_inq_varndims, state->file, state->variable, &count);
    if (count != DIMS) {
        return weir_problem_set(problem, "ncmpi_inq_varndims", path, 0, "it holds another geometry",
                                "data_var has %d dimensions, not 3", count);
    }
    CALL(ncmpi_inq_vardimid, state->file, state->variable, dims);
    for (int i = 0; i < DIMS; i++) {
        CALL(ncmpi_inq_dimlen, state->file, dims[i], &lengths[i]);
    }
    if (lengths[BYTE] == (MPI_Offset)how->geometry.xfer_bytes &&
        lengths[TRANSFER] == (MPI_Offset)(how->geometry.block_bytes / how->geometry.xfer_bytes)) {
        return 0;
    }
    return weir_problem_set(problem, "ncmpi_inq_dimlen", path, 0, "it holds another geometry",
                            "blocks of %lld transfers of %lld bytes", (long long)lengths[TRANSFER],
                            (long long)lengths[BYTE]);
}

static unsigned pnetcdf_depth(const struct weir_open *how) {
    return (unsigned)((const struct pnetcdf_settings *)how->settings)->requests;
}

static void pnetcdf_free_requests(struct pnetcdf_requests *state) {
    free(state->requests);
    free(state->statuses);
    free(state->slots);
}

static int pnetcdf_open(struct weir_file *file, struct weir_problem *problem) {
    unsigned depth = pnetcdf_depth(file->how);
    struct pnetcdf_requests *state = file->state;
    state->requests = calloc(depth, sizeof *state->requests);
    state->statuses = calloc(depth, sizeof *state->statuses);
    state->slots = calloc(depth, sizeof *state->slots);
    if (depth > 0 && (state->requests == NULL || state->statuses == NULL || state->slots == NULL)) {
        weir_problem_set(problem, "malloc", file->how->path, ENOMEM, NULL, "%u requests", depth);
    } else if (weir_pnetcdf_open(file, pnetcdf_define, pnetcdf_find, problem) == 0) {
        return 0;
    }
    pnetcdf_free_requests(state);
    return -1;
}

static int pnetcdf_close(struct weir_file *file, struct weir_problem *problem) {
    pnetcdf_free_requests(file->state);
    return weir_pnetcdf_close(file, problem);
}

static void pnetcdf_place(const struct weir_file *file, const struct weir_piece *piece,
                          MPI_Offset start[DIMS], MPI_Offset count[DIMS]) {
    const struct weir_geometry *geometry = &file->how->geometry;
    start[BLOCK] = (MPI_Offset)(piece->offset / geometry->block_bytes);
    start[TRANSFER] = (MPI_Offset)(piece->offset % geometry->block_bytes / geometry->xfer_bytes);
    start[BYTE] = 0;
    count[BLOCK] = count[TRANSFER] = 1;
    count[BYTE] = (MPI_Offset)piece->bytes;
}

static int pnetcdf_transfer(struct weir_file *file, const struct weir_piece *piece,
                            struct weir_problem *problem) {
    MPI_Offset start[DIMS], count[DIMS];
    pnetcdf_place(file, piece, start, count);
    return weir_pnetcdf_transfer(file, piece, start, count, count[BYTE], MPI_SIGNED_CHAR, problem);
}

static int pnetcdf_submit(struct weir_file *file, unsigned slot, const struct weir_piece *piece,
                          struct weir_problem *problem) {
    struct pnetcdf_requests *s = file->state;
    const char *path = file->how->path;
    MPI_Offset start[DIMS], count[DIMS];
    pnetcdf_place(file, piece, start, count);
    int *request = &s->requests[s->posted];
    if (piece->access == WEIR_WRITE) {
        CALL(ncmpi_iput_vara, s->variable.file, s->variable.variable, start, count, piece->buffer,
             count[BYTE], MPI_SIGNED_CHAR, request);
    } else {
        CALL(ncmpi_iget_vara, s->variable.file, s->variable.variable, start, count, piece->buffer,
             count[BYTE], MPI_SIGNED_CHAR, request);
    }
    s->slots[s->posted++] = slot;
    return 0;
}

/* The library does nothing until it is waited for, and then all requests at once. */
static int pnetcdf_reap(struct weir_file *file, unsigned *slots, bool wait, struct weir_problem *problem) {
    struct pnetcdf_requests *s = file->state;
    const char *path = file->how->path;
    int count = (int)s->posted;
    if (!wait || count == 0) {
        return 0;
    }
    s->posted = 0;
    if (file->how->collective) {
        CALL(ncmpi_wait_all, s->variable.file, count, s->requests, s->statuses);
    } else {
        CALL(ncmpi_wait, s->variable.file, count, s->requests, s->statuses);
    }
    for (int i = 0; i < count; i++) {
        slots[i] = s->slots[i];
        TRY("ncmpi_wait", s->statuses[i]);
    }
    return count;
}

static void pnetcdf_observe(struct weir_file *file, struct weir_observed *observed) {
    unsigned depth = pnetcdf_depth(file->how);
    weir_pnetcdf_observe(file, observed);
    if (depth > 0) {
        observed->queue = (struct weir_queue_observed){.interface = "ncmpi_iput", .depth = depth};
    }
}

static const char *pnetcdf_refuse(const struct weir_open *how) {
    const struct pnetcdf_settings *settings = how->settings;
    if (settings->requests < 0 || settings->requests > REQUESTS_MAX) {
        return "--pnetcdf.nonblocking is between 1 and 4096";
    }
    return settings->requests > 0 && how->collective && how->geometry.walled
               ? "--pnetcdf.nonblocking with -c and -D: ranks that stop early would not wait with the others"
               : NULL;
}

static const struct weir_option options[] = {
    {0, "pnetcdf.nonblocking", NULL, WEIR_COUNT, offsetof(struct pnetcdf_settings, requests), "N",
     "post N transfers of a rank by ncmpi_iput or iget, then wait for them at once"},
    WEIR_OPTION_END,
};

static const struct weir_queue queue = {
    .depth = pnetcdf_depth,
    .submit = pnetcdf_submit,
    .reap = pnetcdf_reap,
};

/* Where the data begin and how many bytes of them the header promises. */
static int pnetcdf_find_data(const char *path, MPI_Offset *begin, MPI_Offset *bytes,
                             struct weir_problem *problem) {
    int file, variable = 0;
    MPI_Offset records = 0, record_bytes = 0;
    CALL(ncmpi_open, MPI_COMM_SELF, path, NC_NOWRITE, MPI_INFO_NULL, &file);
    int status = ncmpi_inq_varid(file, "data_var", &variable);
    status = status == NC_NOERR ? ncmpi_inq_varoffset(file, variable, begin) : status;
    status = status == NC_NOERR ? ncmpi_inq_dimlen(file, 0, &records) : status;
    status = status == NC_NOERR ? ncmpi_inq_recsize(file, &record_bytes) : status;
    *bytes = records * record_bytes;
    CALL(ncmpi_close, file);
    TRY("ncmpi_inq_varoffset", status);
    return 0;
}

/* The first hole is counted in the bytes of the variable: between the header and it there may be room. */
static int pnetcdf_stored(const char *path, const void *settings, struct weir_stored *stored,
                          struct weir_problem *problem) {
    MPI_Offset begin = 0, bytes = 0;
    if (weir_stored_named(path, settings, stored, problem) != 0 ||
        pnetcdf_find_data(path, &begin, &bytes, problem) != 0) {
        return -1;
    }
    weir_stored_data(path, (uint64_t)begin, (uint64_t)bytes, stored);
    return 0;
}

static struct weir_backend pnetcdf = {
    .name = "PNETCDF",
    .alias = "NCMPI",
    .summary = "classic CDF-5: one variable of bytes, independent or collective (-c), with hints (-U)",
    .traits = WEIR_COLLECTIVE | WEIR_HINTS | WEIR_TOGETHER | WEIR_STORES | WEIR_FORMAT | WEIR_PARTS,
    .options = options,
    .settings_bytes = sizeof(struct pnetcdf_settings),
    .state_bytes = sizeof(struct pnetcdf_requests),
    .open = pnetcdf_open,
    .transfer = pnetcdf_transfer,
    .close = pnetcdf_close,
    .remove = weir_remove_named,
    .sync = weir_pnetcdf_sync,
    .observe = pnetcdf_observe,
    .stored = pnetcdf_stored,
    .refuse = pnetcdf_refuse,
    .queue = &queue,
};

WEIR_BACKEND(pnetcdf)
