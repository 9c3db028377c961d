/* HDF5: one data set of 8-byte integers for each segment, as IOR lays it out. All of them are made in the
 * open, by calls of all ranks; a transfer that enters a segment opens its data set, which each rank does
 * alone. */
#include "hdf5_file.h"

#include "descriptor.h"
#include "stored.h"
#include "try.h"

#include <errno.h>
#include <hdf5.h>

struct hdf5_state {
    hid_t file, transfer_list, memory_space;
    hid_t data_set, file_space; /* of the segment that was entered last, -1: none */
    uint64_t segment;
    uint64_t segment_bytes;
    bool apart;     /* some transfer was not collective, though it was to be */
    uint32_t cause; /* of the first, as H5D_mpio_no_collective_cause_t */
    int mode;       /* and how it was done, as H5D_mpio_actual_io_mode_t */
};

static void hdf5_begin(void) {
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* weir-io reports what fails, once */
}

static hid_t hdf5_access_list(const struct weir_open *how) {
    const struct hdf5_settings *settings = how->settings;
    hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    WEIR_INFO info = weir_hints_to_info(how->hints);
    H5Pset_fapl_mpio(list, how->comm, info);
    if (settings->alignment_bytes > 1) {
        H5Pset_alignment(list, (hsize_t)settings->alignment_bytes, (hsize_t)settings->alignment_bytes);
    }
    if (settings->collective_metadata) {
        H5Pset_all_coll_metadata_ops(list, true);
        H5Pset_coll_metadata_write(list, true);
    }
    return list;
}

static hid_t hdf5_creation_list(const struct hdf5_settings *settings) {
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    if (settings->chunk_values > 0) {
        hsize_t values = (hsize_t)settings->chunk_values;
        H5Pset_chunk(list, 1, &values);
    }
    if (settings->no_fill) {
        H5Pset_fill_time(list, H5D_FILL_TIME_NEVER);
    }
    if (settings->shuffle) {
        H5Pset_shuffle(list);
    }
    if (settings->deflate > 0) {
        H5Pset_deflate(list, (unsigned)settings->deflate);
    }
    if (settings->fletcher32) {
        H5Pset_fletcher32(list);
    }
    return list;
}

static int hdf5_make_data_sets(const struct hdf5_state *state, const struct weir_open *how,
                               struct weir_problem *problem) {
    const char *path = how->path;
    hsize_t values = state->segment_bytes / VALUE_BYTES;
    hid_t space = H5Screate_simple(1, &values, NULL);
    hid_t list = hdf5_creation_list(how->settings);
    int status = 0;
    for (uint64_t i = 0; i < how->geometry.segments && status == 0; i++) {
        char name[40];
        weir_hdf5_name(i, name, sizeof name);
        errno = 0;
        hid_t made = H5Dcreate2(state->file, name, H5T_NATIVE_LLONG, space, H5P_DEFAULT, list, H5P_DEFAULT);
        if (made < 0 || H5Dclose(made) < 0) {
            status = weir_hdf5_failed(problem, made < 0 ? "H5Dcreate" : "H5Dclose", path, -1, errno);
        }
    }
    H5Pclose(list);
    H5Sclose(space);
    return status;
}

static int hdf5_leave_segment(struct hdf5_state *state, const char *path, struct weir_problem *problem) {
    hid_t data_set = state->data_set, space = state->file_space;
    state->data_set = state->file_space = -1;
    if (data_set >= 0) {
        H5Sclose(space);
        CALL(H5Dclose, data_set);
    }
    return 0;
}

static int hdf5_enter_segment(struct hdf5_state *state, uint64_t segment, const char *path,
                              struct weir_problem *problem) {
    char name[40];
    if (hdf5_leave_segment(state, path, problem) != 0) {
        return -1;
    }
    weir_hdf5_name(segment, name, sizeof name);
    TRY("H5Dopen", state->data_set = H5Dopen2(state->file, name, H5P_DEFAULT));
    TRY("H5Dget_space", state->file_space = H5Dget_space(state->data_set));
    state->segment = segment;
    return 0;
}

static int hdf5_prepare(struct hdf5_state *state, const struct weir_open *how, struct weir_problem *problem) {
    const char *path = how->path;
    hsize_t values = how->geometry.xfer_bytes / VALUE_BYTES;
    int sharers;
    MPI_Comm_size(how->comm, &sharers);
    state->segment_bytes = how->geometry.block_bytes * (uint64_t)sharers;
    state->data_set = state->file_space = -1;
    TRY("H5Screate_simple", state->memory_space = H5Screate_simple(1, &values, NULL));
    TRY("H5Pcreate", state->transfer_list = H5Pcreate(H5P_DATASET_XFER));
    CALL(H5Pset_dxpl_mpio, state->transfer_list,
         how->collective ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT);
    return how->access == WEIR_WRITE ? hdf5_make_data_sets(state, how, problem) : 0;
}

static int hdf5_open(struct weir_file *file, struct weir_problem *problem) {
    const struct weir_open *how = file->how;
    bool writes = how->access == WEIR_WRITE;
    struct hdf5_state *state = file->state;
    hid_t list = hdf5_access_list(how);
    errno = 0;
    state->file = writes ? H5Fcreate(how->path, H5F_ACC_TRUNC, H5P_DEFAULT, list)
                         : H5Fopen(how->path, H5F_ACC_RDONLY, list);
    int last_errno = errno;
    H5Pclose(list);
    if (state->file < 0) {
        int cause = weir_cause_plain(how->path, how->access);
        return weir_hdf5_failed(problem, writes ? "H5Fcreate" : "H5Fopen", how->path, -1,
                                cause != 0 ? cause : last_errno);
    }
    if (hdf5_prepare(state, how, problem) != 0) {
        if (!weir_open_shared(
                how)) { /* others may be elsewhere in the library: they would not close with us */
            H5Fclose(state->file);
        }
        return -1;
    }
    return 0;
}

/* HDF5 does collective transfers one by one, and reports success, where it finds it cannot do them together,
 * or chunk by chunk. */
static void hdf5_note_mode(struct hdf5_state *state) {
    H5D_mpio_actual_io_mode_t mode;
    uint32_t here = 0, anywhere = 0;
    if (H5Pget_mpio_actual_io_mode(state->transfer_list, &mode) < 0 ||
        mode == H5D_MPIO_CONTIGUOUS_COLLECTIVE || mode == H5D_MPIO_CHUNK_COLLECTIVE) {
        return;
    }
    H5Pget_mpio_no_collective_cause(state->transfer_list, &here, &anywhere);
    state->apart = true;
    state->cause = here | anywhere;
    state->mode = (int)mode;
}

static int hdf5_transfer(struct weir_file *file, const struct weir_piece *piece,
                         struct weir_problem *problem) {
    struct hdf5_state *state = file->state;
    const char *path = file->how->path;
    uint64_t segment = piece->offset / state->segment_bytes;
    hsize_t start = piece->offset % state->segment_bytes / VALUE_BYTES;
    hsize_t count = piece->bytes / VALUE_BYTES;
    if ((state->data_set < 0 || state->segment != segment) &&
        hdf5_enter_segment(state, segment, path, problem) != 0) {
        return -1;
    }
    CALL(H5Sselect_hyperslab, state->file_space, H5S_SELECT_SET, &start, NULL, &count, NULL);
    if (piece->access == WEIR_WRITE) {
        errno = 0;
        if (H5Dwrite(state->data_set, H5T_NATIVE_LLONG, state->memory_space, state->file_space,
                     state->transfer_list, piece->buffer) < 0) {
            int last_errno = errno;
            int cause = weir_cause_plain(path, WEIR_WRITE);
            return weir_hdf5_failed(problem, "H5Dwrite", path, -1, cause != 0 ? cause : last_errno);
        }
    } else {
        CALL(H5Dread, state->data_set, H5T_NATIVE_LLONG, state->memory_space, state->file_space,
             state->transfer_list, piece->buffer);
    }
    if (file->how->collective && !state->apart) {
        hdf5_note_mode(state);
    }
    return 0;
}

static int hdf5_sync(struct weir_file *file, struct weir_problem *problem) {
    const char *path = file->how->path;
    CALL(H5Fflush, ((struct hdf5_state *)file->state)->file, H5F_SCOPE_LOCAL);
    return 0;
}

static int hdf5_close(struct weir_file *file, struct weir_problem *problem) {
    struct hdf5_state *state = file->state;
    const char *path = file->how->path;
    int status = 0;
    if (state->apart) {
        status = weir_problem_set(problem, "H5Pget_mpio_actual_io_mode", path, 0,
                                  "the transfers were not collective",
                                  "mode %d of H5D_mpio_actual_io_mode_t, cause 0x%x of "
                                  "H5D_mpio_no_collective_cause_t",
                                  state->mode, state->cause);
    }
    status = hdf5_leave_segment(state, path, problem) != 0 ? -1 : status;
    H5Sclose(state->memory_space);
    H5Pclose(state->transfer_list);
    CALL(H5Fclose, state->file);
    return status;
}

static void hdf5_observe(struct weir_file *file, struct weir_observed *observed) {
    void *handle = NULL;
    if (H5Fget_vfd_handle(((struct hdf5_state *)file->state)->file, H5P_DEFAULT, &handle) >= 0) {
        weir_hints_from_file(&observed->hints, *(MPI_File *)handle);
    }
    observed->open_flags = weir_descriptor_flags(file->how->path);
}

static const char *hdf5_refuse_filters(const struct weir_open *how) {
    const struct hdf5_settings *settings = how->settings;
    if (settings->subfiling) {
        return "--hdf5.subfiling: not in this weir-io; it needs HDF5 1.14 with subfiling, and the HDF5 here "
               "is " H5_VERS_INFO;
    }
    if (!weir_hdf5_filters(settings)) {
        return NULL;
    }
    if (settings->deflate < 0 || settings->deflate > 9) {
        return "--hdf5.deflate is a level from 1 to 9";
    }
    if (settings->chunk_values == 0) {
        return "filters of HDF5 need chunks: give --hdf5.chunkSize";
    }
    if (!how->collective) {
        return "HDF5 writes filtered chunks by collective calls only: give -c";
    }
    bool there = (settings->deflate == 0 || H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) &&
                 (!settings->shuffle || H5Zfilter_avail(H5Z_FILTER_SHUFFLE) > 0) &&
                 (!settings->fletcher32 || H5Zfilter_avail(H5Z_FILTER_FLETCHER32) > 0);
    return there ? NULL
                 : "a filter of --hdf5.deflate, --hdf5.shuffle or --hdf5.fletcher32 is not in this HDF5";
}

static const char *hdf5_refuse(const struct weir_open *how) {
    const struct hdf5_settings *settings = how->settings;
    if (settings->alignment_bytes < 0 || settings->chunk_values < 0) {
        return "--hdf5.setAlignment and --hdf5.chunkSize cannot be negative";
    }
    const char *reason = hdf5_refuse_filters(how);
    if (reason != NULL) {
        return reason;
    }
    if (settings->collective_metadata && how->geometry.walled && !how->collective &&
        how->geometry.segments > 1) {
        return "--hdf5.collectiveMetadata with -D and several segments needs -c: a rank that stops at the "
               "wall "
               "would miss the calls by which the others open the next data set";
    }
    return NULL;
}

#define AT(member) offsetof(struct hdf5_settings, member)

static const struct weir_option options[] = {
    {0, "hdf5.collectiveMetadata", NULL, WEIR_FLAG, AT(collective_metadata), NULL,
     "metadata is read and written by collective calls"},
    {0, "hdf5.setAlignment", "setAlignment", WEIR_SIZE, AT(alignment_bytes), "SIZE",
     "alignment of what is in the file [1]"},
    {0, "hdf5.chunkSize", NULL, WEIR_COUNT, AT(chunk_values), "N",
     "chunks of N values of 8 bytes [contiguous]"},
    {0, "hdf5.noFill", "noFill", WEIR_FLAG, AT(no_fill), NULL, "no fill values in new data sets"},
    {0, "hdf5.deflate", NULL, WEIR_COUNT, AT(deflate), "1..9", "compress chunks by deflate"},
    {0, "hdf5.shuffle", NULL, WEIR_FLAG, AT(shuffle), NULL, "shuffle the bytes of the values of a chunk"},
    {0, "hdf5.fletcher32", NULL, WEIR_FLAG, AT(fletcher32), NULL, "a checksum for each chunk"},
    {0, "hdf5.subfiling", NULL, WEIR_FLAG, AT(subfiling), NULL, "not available: needs HDF5 1.14"},
    WEIR_OPTION_END,
};

static struct weir_backend hdf5 = {
    .name = "HDF5",
    .summary = "one data set for each segment, independent or collective (-c), with hints (-U)",
    .traits = WEIR_COLLECTIVE | WEIR_HINTS | WEIR_FILE_PER_PROCESS | WEIR_TOGETHER | WEIR_STORES |
              WEIR_FORMAT | WEIR_PARTS,
    .options = options,
    .settings_bytes = sizeof(struct hdf5_settings),
    .state_bytes = sizeof(struct hdf5_state),
    .begin = hdf5_begin,
    .open = hdf5_open,
    .transfer = hdf5_transfer,
    .close = hdf5_close,
    .remove = weir_remove_named,
    .sync = hdf5_sync,
    .observe = hdf5_observe,
    .stored = weir_hdf5_stored,
    .refuse = hdf5_refuse,
};

WEIR_BACKEND(hdf5)
