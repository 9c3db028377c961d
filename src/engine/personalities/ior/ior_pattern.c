/* IOR's arithmetic: which rank's data a rank reads, and at which offsets that data lies. The pseudo-random
 * numbers are those of the C library, as in IOR, so that the same seed gives the same offsets on the same
 * library. */
#include "ior.h"

#include "mix.h"
#include "zipf.h"

#include <stdlib.h>

static int ior_ranks_per_node(const struct ior_run *run) {
    return run->requested.tasks_per_node > 0 ? (int)run->requested.tasks_per_node
                                             : run->base.job->tasks_on_node0;
}

/* With ranks placed node by node the next node is a node's worth of ranks away, with round robin one rank. */
static int ior_constant_shift(const struct ior_run *run, int64_t nodes_away) {
    int64_t stride = run->base.job->block_mapping ? ior_ranks_per_node(run) : 1;
    return (int)(nodes_away * stride % run->base.job->size);
}

int ior_shift_to_check(const struct ior_run *run) {
    return run->requested.reorder_constant ? ior_constant_shift(run, run->requested.shift_nodes + 1) : 0;
}

static int ior_shuffled_shift(const struct ior_run *run, unsigned seed) {
    int size = run->base.job->size;
    int shift = 0;
    int *place = malloc(sizeof *place * (size_t)size);
    if (place == NULL) {
        return 0;
    }
    srandom(seed);
    for (int i = 0; i < size; i++) {
        place[i] = i;
    }
    for (int i = 0; i < size; i++) {
        int other = i + (int)(random() % (size - i));
        int kept = place[other];
        place[other] = place[i];
        place[i] = kept;
    }
    shift = (place[run->base.job->rank] - run->base.job->rank + size) % size;
    free(place);
    return shift;
}

static int ior_random_shift(const struct ior_run *run, unsigned seed) {
    int nodes = run->requested.shift_nodes_of > 0 ? (int)run->requested.shift_nodes_of : run->base.job->nodes;
    int64_t away = run->requested.shift_nodes < nodes ? run->requested.shift_nodes : nodes - 1;
    int64_t least = away * ior_ranks_per_node(run);
    int shift;
    if (least >= run->base.job->size) {
        least = run->base.job->size - 1; /* IOR would search for ever */
    }
    srandom((unsigned)run->base.job->rank + seed);
    do {
        shift = (int)(random() % run->base.job->size);
    } while (shift < least);
    return shift;
}

int ior_shift_to_read(const struct ior_run *run, int iteration) {
    int64_t requested = run->requested.reorder_seed;
    unsigned seed = requested < 0 ? 0u - (unsigned)requested + (unsigned)iteration : (unsigned)requested;
    if (run->requested.reorder_constant) {
        return ior_constant_shift(run, run->requested.shift_nodes);
    }
    if (run->requested.reorder_random == 1) {
        return ior_random_shift(run, seed);
    }
    return run->requested.reorder_random > 1 ? ior_shuffled_shift(run, seed) : 0;
}

uint64_t ior_owner(const struct ior_run *run) {
    return (uint64_t)((run->base.job->rank + run->shift) % run->base.job->size);
}

/* In a shared file every transfer of a segment is dealt to a random rank; all ranks draw the same numbers. */
static uint64_t ior_deal(const struct ior_run *run, uint64_t transfers, uint64_t *table) {
    uint64_t mine = 0;
    for (uint64_t i = 0; i < transfers; i++) {
        if ((uint64_t)(random() % run->base.job->size) == ior_owner(run)) {
            if (table != NULL) {
                table[mine] = i * (uint64_t)run->requested.xfer_bytes;
            }
            mine++;
        }
    }
    return mine;
}

/* Room for so many offsets; those of the phase before are gone. NULL without memory. */
static uint64_t *ior_new_table(struct ior_run *run, uint64_t count) {
    free(run->table);
    run->table = malloc(sizeof *run->table * count);
    return run->table;
}

static bool ior_random_table(struct ior_run *run, struct weir_pattern *pattern) {
    bool own_file = run->requested.file_per_process;
    uint64_t per_block = (uint64_t)(run->requested.block_bytes / run->requested.xfer_bytes);
    uint64_t transfers = own_file ? per_block : per_block * (uint64_t)run->base.job->size;
    unsigned seed = (unsigned)run->requested.random_seed + (own_file ? (unsigned)ior_owner(run) : 0);
    uint64_t mine = transfers;
    if (!own_file) {
        srandom(seed);
        mine = ior_deal(run, transfers, NULL);
    }
    if (ior_new_table(run, mine + 1) == NULL) {
        return false;
    }
    srandom(seed);
    if (own_file) {
        for (uint64_t i = 0; i < mine; i++) {
            run->table[i] = i * (uint64_t)run->requested.xfer_bytes;
        }
    } else {
        ior_deal(run, transfers, run->table);
    }
    for (uint64_t i = 0; i < mine; i++) {
        uint64_t other = (uint64_t)random() % mine;
        uint64_t kept = run->table[other];
        run->table[other] = run->table[i];
        run->table[i] = kept;
    }
    pattern->table = run->table;
    pattern->per_segment = mine;
    pattern->first = 0;
    return true;
}

/* As many transfers as the rank has offsets, most of them at few of these. */
static bool ior_zipf_table(struct ior_run *run, struct weir_pattern *pattern) {
    __extension__ typedef unsigned __int128 wide;
    uint64_t count = weir_pattern_operations(pattern);
    uint64_t seed = weir_mix((uint64_t)run->requested.random_seed + ior_owner(run) * WEIR_GOLDEN);
    struct weir_zipf zipf = weir_zipf_begin(count, run->requested.zipf, seed);
    uint64_t *table = ior_new_table(run, count);
    uint64_t step = weir_zipf_step(count);
    if (table == NULL) {
        return false;
    }
    for (uint64_t i = 0; i < count; i++) {
        uint64_t hot = weir_zipf_next(&zipf) - 1;
        table[i] = weir_pattern_at(pattern, (uint64_t)((wide)hot * step % count));
    }
    *pattern = (struct weir_pattern){.table = table, .repeats = true, .per_segment = count, .segments = 1};
    return true;
}

static bool ior_distribution_table(struct ior_run *run, struct weir_pattern *pattern) {
    if (ior_new_table(run, pattern->per_segment) == NULL) {
        return false;
    }
    for (uint64_t i = 0; i < pattern->per_segment; i++) {
        run->table[i] = ior_distribution_offset(run, ior_owner(run), i);
    }
    pattern->table = run->table;
    pattern->first = 0;
    return true;
}

uint64_t ior_file_bytes(const struct ior_run *run) {
    const struct ior_params *a = &run->requested;
    uint64_t sharers = a->file_per_process ? 1 : (uint64_t)run->base.job->size;
    uint64_t requested = (uint64_t)a->block_bytes * (uint64_t)a->segments * sharers;
    return run->read_file_bytes > 0 ? run->read_file_bytes : requested;
}

/* As many blocks as the rank has, each drawn from the whole file: some come again, others never. */
static bool ior_drawn_table(struct ior_run *run, enum weir_access access, struct weir_pattern *pattern) {
    uint64_t block_bytes = (uint64_t)run->requested.block_bytes;
    uint64_t blocks = ior_file_bytes(run) / block_bytes;
    uint64_t count = weir_pattern_operations(pattern);
    uint64_t seed = (uint64_t)run->requested.random_seed + (uint64_t)access;
    uint64_t state = weir_mix(seed + ior_owner(run) * WEIR_GOLDEN);
    uint64_t *table = ior_new_table(run, count);
    uint64_t base = 0;
    if (table == NULL) {
        return false;
    }
    for (uint64_t i = 0; i < count; i++) {
        if (i % pattern->per_segment == 0) {
            base = weir_mix_next(&state) % blocks * block_bytes;
        }
        table[i] = base + i % pattern->per_segment * pattern->step;
    }
    *pattern = (struct weir_pattern){.table = table, .repeats = true, .per_segment = count, .segments = 1};
    return true;
}

bool ior_pattern(struct ior_run *run, enum weir_access access, struct weir_pattern *pattern) {
    uint64_t block_bytes = (uint64_t)run->requested.block_bytes;
    uint64_t sharers = run->requested.file_per_process ? 1 : (uint64_t)run->base.job->size;
    *pattern = (struct weir_pattern){
        .first = run->requested.file_per_process ? 0 : ior_owner(run) * block_bytes,
        .step = (uint64_t)run->requested.xfer_bytes,
        .segment_step = block_bytes * sharers,
        .per_segment = block_bytes / (uint64_t)run->requested.xfer_bytes,
        .segments = (uint64_t)run->requested.segments,
    };
    if (run->requested.zipf > 0) {
        return ior_zipf_table(run, pattern);
    }
    if (run->distribution != IOR_BLOCKS) {
        return ior_distribution_table(run, pattern);
    }
    if (run->requested.random > 1) {
        return ior_drawn_table(run, access, pattern);
    }
    return run->requested.random ? ior_random_table(run, pattern) : true;
}
