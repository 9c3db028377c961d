/* What an HDF5 file holds after it was closed: its size, and the first byte of its data sets that was never
 * written. */
#include "hdf5_file.h"

#include "stored.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define CHUNKS_LOOKED_AT 64 /* finding one takes as long as there are chunks */

/* Bytes of a chunked data set before the first hole, as far as its chunks are looked at. */
static uint64_t hdf5_chunked_bytes(hid_t data_set, hid_t list, int descriptor, uint64_t bytes,
                                   struct weir_stored *stored) {
    hsize_t chunk_values = 0, count = 0, first = 0, chunk_bytes = 0;
    haddr_t address = HADDR_UNDEF;
    unsigned filters;
    hid_t space = H5Dget_space(data_set);
    uint64_t whole = bytes;
    H5Pget_chunk(list, 1, &chunk_values);
    uint64_t full_bytes = (uint64_t)chunk_values * VALUE_BYTES;
    uint64_t chunks = (bytes + full_bytes - 1) / full_bytes;
    if (H5Dget_num_chunks(data_set, space, &count) < 0 || count < chunks) {
        whole = count * full_bytes;
        chunks = 0;
    }
    uint64_t step = chunks / CHUNKS_LOOKED_AT + 1;
    for (uint64_t i = 0; i < chunks && whole == bytes; i += step) {
        H5Dget_chunk_info(data_set, space, i, &first, &filters, &address, &chunk_bytes);
        uint64_t begin = first * VALUE_BYTES;
        uint64_t wanted = bytes - begin < full_bytes ? bytes - begin : full_bytes;
        uint64_t there =
            address == HADDR_UNDEF ? 0 : weir_bytes_before_hole(descriptor, address, wanted, stored);
        whole = there < wanted ? begin + there : whole;
    }
    H5Sclose(space);
    return whole;
}

/* Bytes of a data set, and how many of them lie before its first hole. */
static void hdf5_measure_data_set(hid_t data_set, int descriptor, uint64_t *bytes, uint64_t *whole,
                                  struct weir_stored *stored) {
    hid_t list = H5Dget_create_plist(data_set);
    hid_t space = H5Dget_space(data_set);
    *bytes = (uint64_t)H5Sget_simple_extent_npoints(space) * VALUE_BYTES;
    if (H5Pget_layout(list) == H5D_CHUNKED) {
        *whole = hdf5_chunked_bytes(data_set, list, descriptor, *bytes, stored);
    } else {
        haddr_t begin = H5Dget_offset(data_set);
        *whole = begin == HADDR_UNDEF ? 0 : weir_bytes_before_hole(descriptor, begin, *bytes, stored);
    }
    H5Sclose(space);
    H5Pclose(list);
}

/* The first hole is counted in the bytes of the data sets, one after the other: what lies between them may be
 * empty. */
static void hdf5_find_hole(hid_t file, int descriptor, struct weir_stored *stored) {
    uint64_t before = 0;
    for (uint64_t i = 0;; i++) {
        char name[40];
        uint64_t bytes = 0, whole = 0;
        weir_hdf5_name(i, name, sizeof name);
        hid_t data_set = H5Lexists(file, name, H5P_DEFAULT) > 0 ? H5Dopen2(file, name, H5P_DEFAULT) : -1;
        if (data_set < 0) {
            return;
        }
        hdf5_measure_data_set(data_set, descriptor, &bytes, &whole, stored);
        H5Dclose(data_set);
        if (whole < bytes) {
            stored->first_hole_bytes = before + whole;
            return;
        }
        before += bytes;
    }
}

/* A file that lacks what its header promises does not open. */
int weir_hdf5_stored(const char *path, const void *settings, struct weir_stored *stored,
                     struct weir_problem *problem) {
    if (weir_stored_named(path, settings, stored, problem) != 0) {
        return -1;
    }
    stored->first_hole_bytes = stored->bytes;
    stored->reduced = weir_hdf5_filters(settings);
    hid_t list = H5Pcreate(H5P_FILE_ACCESS); /* MPI-IO takes no locks, which a file system may not have */
    H5Pset_fapl_mpio(list, MPI_COMM_SELF, MPI_INFO_NULL);
    errno = 0;
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, list);
    int last_errno = errno;
    H5Pclose(list);
    if (file < 0) {
        return weir_hdf5_failed(problem, "H5Fopen", path, -1, last_errno);
    }
    /* None for a name that only MPI-IO knows; behind a filter the chunks have sizes of their own. */
    int descriptor = stored->reduced ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0) {
        hdf5_find_hole(file, descriptor, stored);
        close(descriptor);
    }
    CALL(H5Fclose, file);
    return 0;
}
