/* NETCDF4: one variable of bytes in a NetCDF-4 file, which is an HDF5 file. IOR has no such back end: names
 * and shape are those of its NCMPI, but no dimension is unlimited, so that the data lie in one piece and in
 * the order of their offsets. */
#include "netcdf4.h"

#include "descriptor.h"
#include "stored.h"

#include <errno.h>
#include <hdf5.h>
#include <limits.h>
#include <netcdf.h>
#include <netcdf_par.h>
#include <string.h>

enum { BLOCK, TRANSFER, BYTE, DIMS };

/* NetCDF reports "HDF error" for every failure below it; the errno of the system tells the cause. */
int weir_netcdf4_failed(struct weir_problem *problem, const char *call, const char *path, int code,
                        int last_errno) {
    if (code > 0) { /* an errno */
        return weir_problem_set(problem, call, path, code, NULL, "%s", "");
    }
    if ((code == NC_EHDFERR || code == NC_EMPI) && last_errno != 0) {
        return weir_problem_set(problem, call, path, last_errno, NULL, "NetCDF reports %s",
                                nc_strerror(code));
    }
    return weir_problem_set(problem, call, path, 0, nc_strerror(code), "NetCDF error %d", code);
}

void weir_netcdf4_begin(void) {
    nc_initialize(); /* else the first open is the start of two libraries too */
}

static int netcdf4_create_or_open(const struct weir_open *how, int *file, struct weir_problem *problem) {
    bool writes = how->access == WEIR_WRITE;
    WEIR_INFO info = weir_hints_to_info(how->hints);
    errno = 0;
    int code = writes ? nc_create_par(how->path, NC_CLOBBER | NC_NETCDF4, how->comm, info, file)
                      : nc_open_par(how->path, NC_NOWRITE, how->comm, info, file);
    int last_errno = errno;
    if (code == NC_NOERR) {
        return 0;
    }
    /* NetCDF reports "Permission denied" for every file that HDF5 cannot create and "Bad file descriptor" of
     * every one that it cannot open. */
    int cause = weir_cause_plain(how->path, how->access);
    return weir_netcdf4_failed(problem, writes ? "nc_create_par" : "nc_open_par", how->path,
                               cause != 0 ? cause : code, last_errno);
}

static int netcdf4_choose_access(const struct weir_netcdf_variable *state, const struct weir_open *how,
                                 struct weir_problem *problem) {
    const char *path = how->path;
    int access = how->collective ? NC_COLLECTIVE : NC_INDEPENDENT;
    CALL(nc_var_par_access, state->file, state->variable, access);
    return 0;
}

int weir_netcdf4_open(struct weir_file *file, weir_netcdf_variable_call *define,
                      weir_netcdf_variable_call *find, struct weir_problem *problem) {
    const struct weir_open *how = file->how;
    struct weir_netcdf_variable *state = file->state;
    if (netcdf4_create_or_open(how, &state->file, problem) != 0) {
        return -1;
    }
    weir_netcdf_variable_call *variable = how->access == WEIR_WRITE ? define : find;
    if (variable(state, how, problem) != 0 || netcdf4_choose_access(state, how, problem) != 0) {
        if (!weir_open_shared(
                how)) { /* others may be elsewhere in the library: they would not close with us */
            nc_close(state->file);
        }
        return -1;
    }
    return 0;
}

int weir_netcdf4_moved(const struct weir_file *file, const struct weir_piece *piece, int code,
                       struct weir_problem *problem) {
    int last_errno = errno;
    bool writes = piece->access == WEIR_WRITE;
    if (code == NC_NOERR) {
        return 0;
    }
    int cause = writes ? weir_cause_plain(file->how->path, WEIR_WRITE) : 0;
    return weir_netcdf4_failed(problem, writes ? "nc_put_vara" : "nc_get_vara", file->how->path,
                               cause != 0 ? cause : code, last_errno);
}

int weir_netcdf4_sync(struct weir_file *file, struct weir_problem *problem) {
    const char *path = file->how->path;
    CALL(nc_sync, ((struct weir_netcdf_variable *)file->state)->file);
    return 0;
}

int weir_netcdf4_close(struct weir_file *file, struct weir_problem *problem) {
    const char *path = file->how->path;
    CALL(nc_close, ((struct weir_netcdf_variable *)file->state)->file);
    return 0;
}

static void netcdf4_shape_of(const struct weir_open *how, size_t shape[DIMS]) {
    int sharers;
    MPI_Comm_size(how->comm, &sharers);
    shape[BLOCK] = (size_t)how->geometry.segments * (size_t)sharers;
    shape[TRANSFER] = (size_t)(how->geometry.block_bytes / how->geometry.xfer_bytes);
    shape[BYTE] = how->geometry.xfer_bytes;
}

static int netcdf4_define(struct weir_netcdf_variable *state, const struct weir_open *how,
                          struct weir_problem *problem) {
    static const char *const names[] = {"segments_times_np", "number_of_transfers", "transfer_size"};
    const char *path = how->path;
    size_t shape[DIMS];
    int dims[DIMS];
    netcdf4_shape_of(how, shape);
    for (int i = 0; i < DIMS; i++) {
        CALL(nc_def_dim, state->file, names[i], shape[i], &dims[i]);
    }
    CALL(nc_def_var, state->file, "data_var", NC_BYTE, DIMS, dims, &state->variable);
    CALL(nc_def_var_chunking, state->file, state->variable, NC_CONTIGUOUS, NULL);
    CALL(nc_def_var_fill, state->file, state->variable, NC_NOFILL, NULL);
    CALL(nc_enddef, state->file);
    return 0;
}

/* The transfers are a dimension of the variable: only a read with the same transfers is possible. */
static int netcdf4_find(struct weir_netcdf_variable *state, const struct weir_open *how,
                        struct weir_problem *problem) {
    const char *path = how->path;
    size_t shape[DIMS], there[DIMS] = {0};
    int count = 0, dims[DIMS];
    netcdf4_shape_of(how, shape);
    CALL(nc_inq_varid, state->file, "data_var", &state->variable);
    CALL(nc_inq_varndims, state->file, state->variable, &count);
    if (count != DIMS) {
        return weir_problem_set(problem, "nc_inq_varndims", path, 0, "it holds another geometry",
                                "data_var has %d dimensions, not 3", count);
    }
    CALL(nc_inq_vardimid, state->file, state->variable, dims);
    for (int i = 0; i < DIMS; i++) {
        CALL(nc_inq_dimlen, state->file, dims[i], &there[i]);
    }
    if (there[BYTE] == shape[BYTE] && there[TRANSFER] == shape[TRANSFER]) {
        return 0;
    }
    return weir_problem_set(problem, "nc_inq_dimlen", path, 0, "it holds another geometry",
                            "blocks of %zu transfers of %zu bytes", there[TRANSFER], there[BYTE]);
}

static int netcdf4_open(struct weir_file *file, struct weir_problem *problem) {
    return weir_netcdf4_open(file, netcdf4_define, netcdf4_find, problem);
}

static int netcdf4_transfer(struct weir_file *file, const struct weir_piece *piece,
                            struct weir_problem *problem) {
    const struct weir_netcdf_variable *s = file->state;
    const struct weir_open *how = file->how;
    const size_t count[DIMS] = {1, 1, piece->bytes};
    const size_t start[DIMS] = {
        (size_t)(piece->offset / how->geometry.block_bytes),
        (size_t)(piece->offset % how->geometry.block_bytes / how->geometry.xfer_bytes), 0};
    signed char *buffer = (signed char *)piece->buffer;
    errno = 0;
    int code = piece->access == WEIR_WRITE ? nc_put_vara_schar(s->file, s->variable, start, count, buffer)
                                           : nc_get_vara_schar(s->file, s->variable, start, count, buffer);
    return weir_netcdf4_moved(file, piece, code, problem);
}

/* NetCDF hides its HDF5 file, but HDF5 knows what is open. */
static MPI_File *netcdf4_handle_of(const char *path) {
    hid_t open[8];
    void *handle = NULL;
    ssize_t count = H5Fget_obj_ids(H5F_OBJ_ALL, H5F_OBJ_FILE, 8, open);
    for (ssize_t i = 0; i < count && i < 8 && handle == NULL; i++) {
        char name[PATH_MAX];
        if (H5Fget_name(open[i], name, sizeof name) > 0 && strcmp(name, path) == 0 &&
            H5Fget_vfd_handle(open[i], H5P_DEFAULT, &handle) < 0) {
            handle = NULL;
        }
    }
    return handle;
}

void weir_netcdf4_observe(struct weir_file *file, struct weir_observed *observed) {
    const char *path = file->how->path;
    MPI_File *handle = netcdf4_handle_of(path);
    if (handle != NULL) {
        weir_hints_from_file(&observed->hints, *handle);
    }
    observed->open_flags = weir_descriptor_flags(path);
}

/* Where the data begin and how many they are: HDF5 knows, NetCDF does not. */
static int netcdf4_find_data(const char *path, haddr_t *begin, hsize_t *bytes) {
    hid_t list = H5Pcreate(H5P_FILE_ACCESS); /* MPI-IO takes no locks, which a file system may not have */
    H5Pset_fapl_mpio(list, MPI_COMM_SELF, MPI_INFO_NULL);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, list);
    H5Pclose(list);
    if (file < 0) {
        return -1;
    }
    hid_t data_set = H5Dopen2(file, "data_var", H5P_DEFAULT);
    if (data_set >= 0) {
        *begin = H5Dget_offset(data_set);
        *bytes = H5Dget_storage_size(data_set);
        H5Dclose(data_set);
    }
    return H5Fclose(file) < 0 ? -1 : 0;
}

/* A file that lacks what its header promises does not open. The first hole is counted in the bytes of the
 * variable. */
static int netcdf4_stored(const char *path, const void *settings, struct weir_stored *stored,
                          struct weir_problem *problem) {
    haddr_t begin = HADDR_UNDEF;
    hsize_t bytes = 0;
    if (weir_stored_named(path, settings, stored, problem) != 0) {
        return -1;
    }
    errno = 0;
    if (netcdf4_find_data(path, &begin, &bytes) != 0 || begin == HADDR_UNDEF) {
        return weir_problem_set(problem, "H5Dget_offset", path, errno, errno == 0 ? "no data in it" : NULL,
                                "looking at the file after it was closed");
    }
    weir_stored_data(path, begin, bytes, stored);
    return 0;
}

static struct weir_backend netcdf4 = {
    .name = "NETCDF4",
    .summary = "NetCDF-4 on HDF5: one variable of bytes, independent or collective (-c), with hints (-U)",
    .traits = WEIR_COLLECTIVE | WEIR_HINTS | WEIR_FILE_PER_PROCESS | WEIR_TOGETHER | WEIR_STORES |
              WEIR_FORMAT | WEIR_PARTS,
    .state_bytes = sizeof(struct weir_netcdf_variable),
    .begin = weir_netcdf4_begin,
    .open = netcdf4_open,
    .transfer = netcdf4_transfer,
    .close = weir_netcdf4_close,
    .remove = weir_remove_named,
    .sync = weir_netcdf4_sync,
    .observe = weir_netcdf4_observe,
    .stored = netcdf4_stored,
};

WEIR_BACKEND(netcdf4)
