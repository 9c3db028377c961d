/* The memory pool against the MPI-IO beneath it: every rank does the same random operations on a file of the
 * pool and on an ordinary one, and compares what it reads, how much, and the sizes.
 *
 *   LD_PRELOAD=libweir-pool.so mpiexec -n N pool_model ORDINARY-FILE ROUNDS SEED
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER_BYTES 400000
#define BEYOND_REACH 1000000 /* of every access: ROMIO miscounts strided reads at the end of a file */

static MPI_File files[2]; /* of the pool, ordinary */
static unsigned char buffers[2][BUFFER_BYTES];
static unsigned char pattern[BUFFER_BYTES];
static int rank;
static int ranks;
static int round_number;
static int view_kind = -1;
static uint64_t common; /* the same on every rank */
static uint64_t own;

static uint64_t draw(uint64_t *state, uint64_t limit) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*state >> 33) % limit;
}

static void fail(const char *what, long long pool, long long ordinary) {
    fprintf(stderr, "rank %d, round %d: %s: pool %lld, ordinary %lld\n", rank, round_number, what, pool,
            ordinary);
    PMPI_Abort(MPI_COMM_WORLD, 3);
}

/* Types with gaps, so that ranks that use the same one at their own displacement do not overlap: 16 bytes of
 * 16 N. */
static MPI_Datatype file_type(uint64_t kind) {
    MPI_Datatype type;
    MPI_Datatype part;
    int lengths[3] = {4, 8, 4};
    int places[3] = {16 * rank, 16 * (ranks + rank) + 2, 16 * (2 * ranks + rank) + 7};
    MPI_Aint displacements[3] = {16 * rank, 16 * (ranks + rank) + 2, 16 * (2 * ranks + rank) + 7};
    int sizes[2] = {3, 16 * ranks};
    int parts[2] = {2, 16};
    int starts[2] = {1, 16 * rank};
    MPI_Datatype types[3] = {MPI_BYTE, MPI_SHORT, MPI_INT};
    int counts[3] = {3, 2, 1};
    int dimensions[2] = {24, 16 * ranks};
    int distributions[2] = {MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK};
    int arguments[2] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};
    int grid[2] = {1, ranks};
    switch (kind) {
    case 0:
        MPI_Type_contiguous(64, MPI_BYTE, &type);
        break;
    case 1:
        MPI_Type_vector(3, 16, 16 * ranks, MPI_BYTE, &part);
        MPI_Type_create_hindexed(1, counts + 2, displacements, part, &type);
        MPI_Type_free(&part);
        part = type;
        MPI_Type_create_resized(part, 0, 48 * ranks, &type);
        MPI_Type_free(&part);
        break;
    case 2:
        MPI_Type_indexed(3, lengths, places, MPI_BYTE, &part);
        MPI_Type_create_resized(part, 0, 48 * ranks, &type);
        MPI_Type_free(&part);
        break;
    case 3:
        MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_BYTE, &type);
        break;
    case 4:
        MPI_Type_create_struct(3, counts, displacements, types, &part);
        MPI_Type_create_resized(part, 0, 48 * ranks, &type);
        MPI_Type_free(&part);
        break;
    case 5:
        MPI_Type_create_hindexed_block(3, 5, displacements, MPI_BYTE, &part);
        MPI_Type_create_resized(part, 0, 48 * ranks, &type);
        MPI_Type_free(&part);
        break;
    default:
        MPI_Type_create_darray(ranks, rank, 2, dimensions, distributions, arguments, grid, MPI_ORDER_C,
                               MPI_BYTE, &type);
        break;
    }
    MPI_Type_commit(&type);
    return type;
}

static MPI_Datatype memory_type(uint64_t kind) {
    MPI_Datatype type;
    if (kind == 0) {
        MPI_Type_vector(7, 3, 5, MPI_BYTE, &type);
    } else if (kind == 1) {
        MPI_Type_vector(4, 1, 3, MPI_INT, &type);
    } else {
        MPI_Type_contiguous(32, MPI_BYTE, &type);
    }
    MPI_Type_commit(&type);
    return type;
}

static void set_view(void) {
    uint64_t kind = draw(&common, 7);
    MPI_Offset displacement = (MPI_Offset)draw(&common, 5000);
    MPI_Datatype type = file_type(kind);
    view_kind = (int)kind;
    if (kind == 0) {
        displacement += rank * 100000; /* ranks own regions of a plain file */
    }
    for (int i = 0; i < 2; i++) {
        if (MPI_File_set_view(files[i], displacement, MPI_BYTE, type, "native", MPI_INFO_NULL) !=
            MPI_SUCCESS) {
            fail("set_view", i == 0, i == 1);
        }
    }
    MPI_Type_free(&type);
}

static void compare_sizes(void) {
    MPI_Offset sizes[2];
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 2; i++) {
        MPI_File_get_size(files[i], &sizes[i]);
    }
    if (sizes[0] != sizes[1]) {
        fail("size", sizes[0], sizes[1]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

struct access {
    MPI_Offset offset;
    int count;
    MPI_Datatype type;
    uint64_t way; /* at, at_all, pointer, pointer_all, nonblocking */
};

static void transfer(int i, bool writes, const struct access *one, MPI_Status *status) {
    MPI_File file = files[i];
    void *buffer = writes ? pattern : buffers[i];
    MPI_Request request;
    if (one->way == 2 || one->way == 3) {
        MPI_File_seek(file, one->offset, MPI_SEEK_SET);
    }
    switch (one->way) {
    case 0:
        writes ? MPI_File_write_at(file, one->offset, buffer, one->count, one->type, status)
               : MPI_File_read_at(file, one->offset, buffer, one->count, one->type, status);
        break;
    case 1:
        writes ? MPI_File_write_at_all(file, one->offset, buffer, one->count, one->type, status)
               : MPI_File_read_at_all(file, one->offset, buffer, one->count, one->type, status);
        break;
    case 2:
        writes ? MPI_File_write(file, buffer, one->count, one->type, status)
               : MPI_File_read(file, buffer, one->count, one->type, status);
        break;
    case 3:
        writes ? MPI_File_write_all(file, buffer, one->count, one->type, status)
               : MPI_File_read_all(file, buffer, one->count, one->type, status);
        break;
    default:
        writes ? MPI_File_iwrite_at(file, one->offset, buffer, one->count, one->type, &request)
               : MPI_File_iread_at(file, one->offset, buffer, one->count, one->type, &request);
        MPI_Wait(&request, status);
        break;
    }
}

static void move(void) {
    struct access access = {.way = draw(&common, 5)};
    int kind = (int)draw(&common, 3);
    access.type = memory_type((uint64_t)kind);
    access.offset = (MPI_Offset)draw(&own, 6000);
    access.count = (int)draw(&own, 120);
    int got[2];
    MPI_Offset positions[2];
    MPI_Status status;
    bool writes = draw(&common, 2) == 0;
    for (int i = 0; writes && i < BUFFER_BYTES; i++) {
        pattern[i] = (unsigned char)draw(&own, 256);
    }
    memset(buffers, 7, sizeof buffers);
    for (int i = 0; i < 2; i++) {
        transfer(i, writes, &access, &status);
        MPI_Get_elements(&status, MPI_BYTE, &got[i]);
        MPI_File_get_position(files[i], &positions[i]);
    }
    for (int i = 0; i < BUFFER_BYTES; i++) {
        if (buffers[0][i] != buffers[1][i]) {
            fprintf(stderr, "byte %d of the buffer, view %d, offset %lld, %d of memory type %d, way %d\n", i,
                    view_kind, (long long)access.offset, access.count, kind, (int)access.way);
            fail("data", buffers[0][i], buffers[1][i]);
        }
    }
    if (got[0] != got[1] || positions[0] != positions[1]) {
        fail("bytes or position", got[0], got[1]);
    }
    MPI_Type_free(&access.type);
}

static void resize(void) {
    MPI_Offset size = BEYOND_REACH + (MPI_Offset)draw(&common, 300000);
    bool grow_only = draw(&common, 2) == 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 2; i++) {
        if (grow_only) {
            MPI_File_preallocate(files[i], size);
        } else {
            MPI_File_set_size(files[i], size);
        }
    }
    compare_sizes();
}

/* At the end of the file: as many bytes as there are, none behind it. */
static void read_at_end(void) {
    MPI_Status status;
    int got[2][2];
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 2; i++) {
        MPI_File_set_view(files[i], 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
        MPI_File_set_size(files[i], BEYOND_REACH);
        MPI_File_read_at(files[i], BEYOND_REACH - 100, buffers[i], 1000, MPI_BYTE, &status);
        MPI_Get_elements(&status, MPI_BYTE, &got[i][0]);
        MPI_File_read_at(files[i], BEYOND_REACH + 100, buffers[i], 1000, MPI_BYTE, &status);
        MPI_Get_elements(&status, MPI_BYTE, &got[i][1]);
    }
    view_kind = -1;
    if (got[0][0] != 100 || got[1][0] != 100 || got[0][1] != 0 || memcmp(buffers[0], buffers[1], 100) != 0) {
        fail("read at the end", got[0][0], got[1][0]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void open_both(const char *ordinary, int mode) {
    int a = MPI_File_open(MPI_COMM_WORLD, "xpd:model/file", mode, MPI_INFO_NULL, &files[0]);
    int b = MPI_File_open(MPI_COMM_WORLD, ordinary, mode, MPI_INFO_NULL, &files[1]);
    if (a != MPI_SUCCESS || b != MPI_SUCCESS) {
        fail("open", a, b);
    }
    MPI_File_set_atomicity(files[0], draw(&common, 2) == 0);
}

static void close_both(void) {
    for (int i = 0; i < 2; i++) {
        MPI_File_sync(files[i]);
        MPI_File_close(&files[i]);
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int rounds = atoi(argv[2]);
    common = strtoull(argv[3], NULL, 10);
    own = common * 31 + (uint64_t)rank;
    open_both(argv[1], MPI_MODE_RDWR | MPI_MODE_CREATE);
    resize();
    set_view();
    for (round_number = 0; round_number < rounds; round_number++) {
        uint64_t what = draw(&common, 10);
        if (what == 0) {
            resize();
            read_at_end();
            set_view();
        } else if (what == 1) {
            close_both();
            open_both(argv[1], MPI_MODE_RDWR);
            set_view();
        } else if (what < 4) {
            set_view();
        } else {
            move();
        }
        compare_sizes();
    }
    close_both();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_File_delete(argv[1], MPI_INFO_NULL);
        if (MPI_File_delete("xpd:model/file", MPI_INFO_NULL) != MPI_SUCCESS ||
            MPI_File_delete("xpd:model/file", MPI_INFO_NULL) == MPI_SUCCESS) {
            fail("delete", 1, 0);
        }
        printf("%d rounds on %d ranks, no difference\n", rounds, ranks);
    }
    MPI_Finalize();
    return 0;
}
