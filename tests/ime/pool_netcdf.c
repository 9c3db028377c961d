/* Parallel NetCDF-4 on one file: collective and independent access, fixed and unlimited time, strided reads;
 * written, closed, opened again and checked.
 *
 *   mpiexec -n N pool_netcdf FILE
 */
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>
#include <stdio.h>
#include <stdlib.h>

#define STEPS 5
#define X     24
#define Y     18

static int rank;
static int ranks;

static void check(int status, const char *what) {
    if (status != NC_NOERR) {
        fprintf(stderr, "rank %d: %s: %s\n", rank, what, nc_strerror(status));
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static int value_of(int variable, int step, int x, int y) {
    return ((variable * STEPS + step) * X + x) * Y + y;
}

static void write_file(const char *name) {
    int file;
    int dimensions[2][3];
    int variables[2];
    check(nc_create_par(name, NC_NETCDF4 | NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &file),
          "nc_create_par");
    for (int v = 0; v < 2; v++) {
        const char *names[2][4] = {{"t0", "x0", "y0", "fixed"}, {"t1", "x1", "y1", "growing"}};
        check(nc_def_dim(file, names[v][0], v == 0 ? STEPS : NC_UNLIMITED, &dimensions[v][0]), "nc_def_dim");
        check(nc_def_dim(file, names[v][1], X, &dimensions[v][1]), "nc_def_dim");
        check(nc_def_dim(file, names[v][2], Y, &dimensions[v][2]), "nc_def_dim");
        check(nc_def_var(file, names[v][3], NC_INT, 3, dimensions[v], &variables[v]), "nc_def_var");
    }
    check(nc_enddef(file), "nc_enddef");
    for (int v = 0; v < 2; v++) {
        /* an unlimited dimension grows collectively only */
        check(nc_var_par_access(file, variables[v], v == 0 ? NC_INDEPENDENT : NC_COLLECTIVE),
              "nc_var_par_access");
        for (int step = 0; step < STEPS; step++) {
            int rows = X / ranks;
            int values[X * Y];
            size_t start[3] = {(size_t)step, (size_t)(rank * rows), 0};
            size_t count[3] = {1, (size_t)rows, Y};
            for (int i = 0; i < rows * Y; i++) {
                values[i] = value_of(v, step, rank * rows + i / Y, i % Y);
            }
            check(nc_put_vara_int(file, variables[v], start, count, values), "nc_put_vara_int");
        }
    }
    check(nc_close(file), "nc_close");
}

static void read_file(const char *name) {
    int file;
    check(nc_open_par(name, NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &file), "nc_open_par");
    for (int v = 0; v < 2; v++) {
        int variable;
        int values[STEPS * X * Y];
        check(nc_inq_varid(file, v == 0 ? "fixed" : "growing", &variable), "nc_inq_varid");
        check(nc_var_par_access(file, variable, v == 0 ? NC_COLLECTIVE : NC_INDEPENDENT),
              "nc_var_par_access");
        size_t start[3] = {0, (size_t)rank, 0};
        size_t count[3] = {STEPS, (size_t)(X / ranks), Y / 2};
        ptrdiff_t stride[3] = {1, ranks, 2}; /* rows of all the writers */
        check(nc_get_vars_int(file, variable, start, count, stride, values), "nc_get_vars_int");
        for (int i = 0; i < (int)(count[0] * count[1] * count[2]); i++) {
            int y = i % (int)count[2] * 2;
            int x = rank + i / (int)count[2] % (int)count[1] * ranks;
            int step = i / (int)(count[2] * count[1]);
            check(values[i] == value_of(v, step, x, y) ? NC_NOERR : NC_ERANGE, "wrong value");
        }
    }
    check(nc_close(file), "nc_close");
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 2 || X % ranks != 0) {
        check(NC_EINVAL, "name a file; use 1, 2, 3, 4, 6 or 8 ranks");
    }
    write_file(argv[1]);
    read_file(argv[1]);
    if (rank == 0) {
        printf("2 variables on %d ranks are right\n", ranks);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        check(MPI_File_delete(argv[1], MPI_INFO_NULL) == MPI_SUCCESS ? NC_NOERR : NC_EACCESS, "delete");
    }
    MPI_Finalize();
    return 0;
}
