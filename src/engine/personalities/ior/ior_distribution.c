/* Shared files whose ranks do not have blocks: every transfer has an offset in the segment, and an MPI type
 * shows the same offsets as one view of the file. The bytes are those that IOR writes at these offsets. */
#include "ior.h"
#include "words.h"

bool ior_distribution_find(const char *name, enum ior_distribution *distribution) {
    static const char *const names[] = {"blocks", "interleaved", "nested", "subarray", NULL};
    int place = weir_place_of(name, names);
    *distribution = place >= 0 ? (enum ior_distribution)place : IOR_BLOCKS;
    return place >= 0;
}

static int ior_per_block(const struct ior_run *run) {
    return (int)(run->requested.block_bytes / run->requested.xfer_bytes);
}

/* Factors of a number, as equal as can be and in falling order. */
static void ior_split(int number, int count, int *factors) {
    for (int i = 0; i < count; i++) {
        factors[i] = 1;
    }
    for (int prime = 2, left = number; left > 1; prime++) {
        prime = prime * prime > left ? left : prime;
        while (left % prime == 0) { /* the large primes come last, to the smallest factor */
            int least = 0;
            for (int i = 1; i < count; i++) {
                least = factors[i] < factors[least] ? i : least;
            }
            factors[least] *= prime;
            left /= prime;
        }
    }
    for (int i = 1; i < count; i++) {
        for (int k = i; k > 0 && factors[k] > factors[k - 1]; k--) {
            int kept = factors[k];
            factors[k] = factors[k - 1];
            factors[k - 1] = kept;
        }
    }
}

/* Ranks that take turns with each other, and which of these groups the owner is in. */
struct turns {
    int ranks, place;
    int group;
};

static struct turns ior_turns(const struct ior_run *run, uint64_t owner) {
    int dims[2];
    int size = run->base.job->size;
    ior_split(size, 2, dims);
    int ranks = run->distribution == IOR_NESTED ? dims[0] : size;
    return (struct turns){ranks, (int)owner % ranks, (int)owner / ranks};
}

/* The array of a segment, the box of each rank in it and where the owner's begins, in transfers. */
struct box {
    int whole[3], part[3], start[3];
};

static struct box ior_box(const struct ior_run *run, uint64_t owner) {
    struct box box = {{0}, {0}, {0}};
    int ranks[3];
    ior_split(run->base.job->size, 3, ranks);
    ior_split(ior_per_block(run), 3, box.part);
    const int place[3] = {(int)owner / (ranks[1] * ranks[2]), (int)owner / ranks[2] % ranks[1],
                          (int)owner % ranks[2]};
    for (int i = 0; i < 3; i++) {
        box.whole[i] = ranks[i] * box.part[i];
        box.start[i] = place[i] * box.part[i];
    }
    return box;
}

static uint64_t ior_group_offset(const struct ior_run *run, const struct turns *turns) {
    uint64_t group_bytes = (uint64_t)run->requested.block_bytes * (uint64_t)turns->ranks;
    return (uint64_t)turns->group * group_bytes +
           (uint64_t)turns->place * (uint64_t)run->requested.xfer_bytes;
}

uint64_t ior_distribution_offset(const struct ior_run *run, uint64_t owner, uint64_t number) {
    uint64_t xfer_bytes = (uint64_t)run->requested.xfer_bytes;
    if (run->distribution == IOR_BLOCKS) {
        return owner * (uint64_t)run->requested.block_bytes + number * xfer_bytes;
    }
    if (run->distribution != IOR_SUBARRAY) {
        struct turns turns = ior_turns(run, owner);
        return ior_group_offset(run, &turns) + number * (uint64_t)turns.ranks * xfer_bytes;
    }
    struct box box = ior_box(run, owner);
    uint64_t part[3] = {(uint64_t)box.part[0], (uint64_t)box.part[1], (uint64_t)box.part[2]};
    uint64_t at[3] = {number / (part[1] * part[2]), number / part[2] % part[1], number % part[2]};
    uint64_t place = 0;
    for (int i = 0; i < 3; i++) {
        place = place * (uint64_t)box.whole[i] + (uint64_t)box.start[i] + at[i];
    }
    return place * xfer_bytes;
}

MPI_Datatype ior_distribution_type(const struct ior_run *run, uint64_t owner) {
    MPI_Datatype transfer, pieces, placed, segment;
    MPI_Aint segment_bytes = (MPI_Aint)run->requested.block_bytes * run->base.job->size;
    MPI_Aint begin = 0;
    MPI_Type_contiguous((int)run->requested.xfer_bytes, MPI_BYTE, &transfer);
    if (run->distribution == IOR_SUBARRAY) {
        struct box box = ior_box(run, owner);
        MPI_Type_create_subarray(3, box.whole, box.part, box.start, MPI_ORDER_C, transfer, &pieces);
    } else if (run->distribution == IOR_BLOCKS) {
        MPI_Type_contiguous(ior_per_block(run), transfer, &pieces);
        begin = (MPI_Aint)(owner * (uint64_t)run->requested.block_bytes);
    } else {
        struct turns turns = ior_turns(run, owner);
        MPI_Type_vector(ior_per_block(run), 1, turns.ranks, transfer, &pieces);
        begin = (MPI_Aint)ior_group_offset(run, &turns);
    }
    MPI_Type_create_hindexed_block(1, 1, &begin, pieces, &placed);
    MPI_Type_create_resized(placed, 0, segment_bytes, &segment);
    MPI_Type_commit(&segment);
    MPI_Type_free(&transfer);
    MPI_Type_free(&pieces);
    MPI_Type_free(&placed);
    return segment;
}
