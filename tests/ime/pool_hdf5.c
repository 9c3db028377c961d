/* Parallel HDF5 on one file: collective and independent, contiguous and chunked, blocks and strides; written,
 * closed, opened again and checked element by element.
 *
 *   mpiexec -n N pool_hdf5 FILE
 */
#include <hdf5.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS    48
#define COLUMNS 60

static int rank;
static int ranks;

static void check(bool ok, const char *what) {
    if (!ok) {
        fprintf(stderr, "rank %d: %s\n", rank, what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static int value_of(hsize_t row, hsize_t column, int dataset) {
    return (int)(row * COLUMNS + column) * 8 + dataset;
}

static hid_t open_file(const char *name, bool create) {
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
    hid_t file =
        create ? H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access) : H5Fopen(name, H5F_ACC_RDONLY, access);
    check(file >= 0, "cannot open the file");
    H5Pclose(access);
    return file;
}

/* Blocks of rows, or every N-th column: the second is as far from contiguous as it gets. */
static hid_t select_mine(hid_t space, bool strided, hsize_t start[2], hsize_t stride[2], hsize_t count[2]) {
    start[0] = strided ? 0 : (hsize_t)(ROWS / ranks * rank);
    start[1] = strided ? (hsize_t)rank : 0;
    stride[0] = 1;
    stride[1] = strided ? (hsize_t)ranks : 1;
    count[0] = strided ? ROWS : (hsize_t)(ROWS / ranks);
    count[1] = strided ? (hsize_t)(COLUMNS / ranks) : COLUMNS;
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, NULL);
    return H5Screate_simple(2, count, NULL);
}

static void move(hid_t file, int number, bool write) {
    bool collective = (number & 1) != 0;
    bool chunked = (number & 2) != 0;
    bool strided = (number & 4) != 0;
    hsize_t sizes[2] = {ROWS, COLUMNS};
    hsize_t chunk[2] = {16, 20};
    hsize_t start[2];
    hsize_t stride[2];
    hsize_t count[2];
    char name[16];
    snprintf(name, sizeof name, "d%d", number);
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
    hid_t space = H5Screate_simple(2, sizes, NULL);
    if (chunked) {
        H5Pset_chunk(properties, 2, chunk);
    }
    H5Pset_dxpl_mpio(transfer, collective ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT);
    hid_t data = write ? H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, properties, H5P_DEFAULT)
                       : H5Dopen2(file, name, H5P_DEFAULT);
    check(data >= 0, name);
    hid_t memory = select_mine(space, strided, start, stride, count);
    int *values = calloc(count[0] * count[1], sizeof *values);
    for (hsize_t i = 0; write && i < count[0] * count[1]; i++) {
        values[i] =
            value_of(start[0] + i / count[1] * stride[0], start[1] + i % count[1] * stride[1], number);
    }
    herr_t result = write ? H5Dwrite(data, H5T_NATIVE_INT, memory, space, transfer, values)
                          : H5Dread(data, H5T_NATIVE_INT, memory, space, transfer, values);
    check(result >= 0, write ? "H5Dwrite" : "H5Dread");
    for (hsize_t i = 0; !write && i < count[0] * count[1]; i++) {
        check(values[i] ==
                  value_of(start[0] + i / count[1] * stride[0], start[1] + i % count[1] * stride[1], number),
              "wrong value");
    }
    free(values);
    H5Sclose(memory);
    H5Dclose(data);
    H5Sclose(space);
    H5Pclose(transfer);
    H5Pclose(properties);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    check(argc == 2 && ROWS % ranks == 0 && COLUMNS % ranks == 0,
          "name a file; use 1, 2, 3, 4, 6 or 12 ranks");
    for (int pass = 0; pass < 2; pass++) {
        hid_t file = open_file(argv[1], pass == 0);
        for (int number = 0; number < 8; number++) {
            move(file, number, pass == 0);
        }
        H5Fclose(file);
    }
    if (rank == 0) {
        printf("8 datasets on %d ranks are right\n", ranks);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        check(MPI_File_delete(argv[1], MPI_INFO_NULL) == MPI_SUCCESS, "cannot delete the file");
    }
    MPI_Finalize();
    return 0;
}
