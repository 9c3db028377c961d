/* SPDX-License-Identifier: Apache-2.0
 * Every rank writes 1 MiB of a shared file by MPI-IO, reads that of its neighbour and compares. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PART_BYTES = 1 << 20 };

static void check(int code, const char *what) {
    if (code != MPI_SUCCESS) {
        fprintf(stderr, "%s failed\n", what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

int main(int argc, char **argv) {
    static unsigned char part[PART_BYTES];
    int rank, ranks;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 2) {
        fprintf(stderr, "usage: ime_file PATH\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    memset(part, rank + 1, sizeof part);
    check(MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
          "open");
    check(
        MPI_File_write_at(file, (MPI_Offset)rank * PART_BYTES, part, PART_BYTES, MPI_BYTE, MPI_STATUS_IGNORE),
        "write");
    check(MPI_File_sync(file), "sync");
    MPI_Barrier(MPI_COMM_WORLD);
    int other = (rank + 1) % ranks;
    check(
        MPI_File_read_at(file, (MPI_Offset)other * PART_BYTES, part, PART_BYTES, MPI_BYTE, MPI_STATUS_IGNORE),
        "read");
    for (int i = 0; i < PART_BYTES; i++)
        if (part[i] != other + 1) {
            fprintf(stderr, "rank %d: byte %d of rank %d is %d\n", rank, i, other, part[i]);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    check(MPI_File_close(&file), "close");
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d ranks wrote and read %d bytes\n", ranks, ranks * PART_BYTES);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
