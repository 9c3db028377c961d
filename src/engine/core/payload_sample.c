#include "reducible.h"
#include "result.h"

#include <stdlib.h>
#include <string.h>

#define JOB_BYTES  (4u << 20)  /* of all ranks together */
#define RANK_BYTES (64u << 10) /* of a rank at least, so that many ranks are compared with each other */
#define RUNS       16u         /* stretches of the pattern that a rank's sample comes from */

/* A launch measures many cells, and compressing a sample takes as long as writing 16 MiB to memory. Phases
 * that differ in signature and order only have samples alike, so each shape is sampled once. Where
 * offsets repeat, so do bytes: such a phase is always sampled. */
#define SHAPES 32u

struct shape {
    enum weir_payload_kind kind;
    struct weir_payload_control control;
    size_t bytes;
    uint64_t operations;
    int ranks;
};

static struct {
    struct shape shape;
    struct weir_payload_sample sample; /* on rank 0 */
} taken[SHAPES];
static unsigned taken_count;

static bool sample_alike(const struct shape *one, const struct shape *other) {
    return one->kind == other->kind && one->bytes == other->bytes && one->operations == other->operations &&
           one->ranks == other->ranks && one->control.compress_percent == other->control.compress_percent &&
           one->control.dedupe_percent == other->control.dedupe_percent;
}

static struct shape sample_shape_of(const struct weir_job *job, const struct weir_phase *phase) {
    return (struct shape){.kind = phase->payload->kind,
                          .control = phase->payload->control,
                          .bytes = phase->payload->bytes,
                          .operations = weir_pattern_operations(&phase->pattern),
                          .ranks = job->size};
}

/* On all ranks or on none, as the others take part in the sampling. */
static bool sample_was_taken(const struct weir_job *job, const struct weir_phase *phase,
                             struct weir_payload_sample *sample) {
    const struct shape shape = sample_shape_of(job, phase);
    unsigned i = phase->pattern.repeats ? taken_count : 0;
    while (i < taken_count && !sample_alike(&taken[i].shape, &shape)) {
        i++;
    }
    if (!weir_job_agree(job, i < taken_count)) {
        return false;
    }
    *sample = taken[i].sample;
    return true;
}

static void sample_keep(const struct weir_job *job, const struct weir_phase *phase,
                        const struct weir_payload_sample *sample) {
    if (taken_count < SHAPES && phase->payload->kind != WEIR_PAYLOAD_MADE && !phase->pattern.repeats) {
        taken[taken_count].shape = sample_shape_of(job, phase);
        taken[taken_count++].sample = *sample;
    }
}

/* Pieces of the pattern, evenly spread over it; those of a stretch follow each other. Returns the bytes. */
static size_t sample_take_pieces(const struct weir_phase *phase, unsigned char *memory, size_t most) {
    struct weir_payload *payload = phase->payload;
    uint64_t operations = weir_pattern_operations(&phase->pattern);
    if (operations == 0) {
        return 0;
    }
    uint64_t pieces = most / payload->bytes > 0 ? most / payload->bytes : 1;
    pieces = pieces < operations ? pieces : operations;
    uint64_t runs = pieces < RUNS ? pieces : RUNS;
    size_t used = 0;
    for (uint64_t run = 0; run < runs; run++) {
        uint64_t first = operations / runs * run;
        for (uint64_t i = 0; i < pieces / runs; i++) {
            size_t part = most - used < payload->bytes ? most - used : payload->bytes;
            weir_payload_place(payload, payload->buffer, weir_pattern_at(&phase->pattern, first + i));
            memcpy(memory + used, payload->buffer, part);
            used += part;
        }
    }
    return used;
}

void weir_payload_sample_take(const struct weir_job *job, const struct weir_phase *phase,
                              struct weir_payload_sample *sample) {
    *sample = (struct weir_payload_sample){0};
    if (WEIR_IS_BLIND || phase->how.access != WEIR_WRITE || phase->payload == NULL) {
        return;
    }
    /* Random offsets of a shared file may leave a rank without any: it takes part, as the others wait for it.
     */
    if (weir_job_agree(job, phase->pattern.per_segment == 0)) {
        return;
    }
    if (sample_was_taken(job, phase, sample)) {
        return;
    }
    size_t most = JOB_BYTES / (size_t)job->size > RANK_BYTES ? JOB_BYTES / (size_t)job->size : RANK_BYTES;
    size_t blocks = most / WEIR_BLOCK_BYTES;
    unsigned char *memory = malloc(most);
    uint64_t *hashes = calloc(blocks, sizeof *hashes);
    uint64_t *all = job->rank == 0 ? malloc(sizeof *all * blocks * (size_t)job->size) : NULL;
    int *counts = job->rank == 0 ? calloc((size_t)job->size, sizeof *counts) : NULL;
    bool memory_found = memory != NULL && hashes != NULL && (job->rank != 0 || (all && counts));
    if (weir_job_agree(job, memory_found)) {
        size_t bytes = sample_take_pieces(phase, memory, most);
        int count = (int)(bytes / WEIR_BLOCK_BYTES);
        for (int i = 0; i < count; i++) {
            hashes[i] = weir_block_hash(memory + (size_t)i * WEIR_BLOCK_BYTES);
        }
        MPI_Gather(&count, 1, MPI_INT, counts, 1, MPI_INT, 0, job->comm);
        MPI_Gather(hashes, (int)blocks, MPI_UINT64_T, all, (int)blocks, MPI_UINT64_T, 0, job->comm);
        size_t found = 0;
        for (int rank = 0; job->rank == 0 && rank < job->size; rank++) {
            memmove(all + found, all + (size_t)rank * blocks, (size_t)counts[rank] * sizeof *all);
            found += (size_t)counts[rank];
        }
        if (found > 0 && bytes > 0) {
            sample->sampled_bytes = found * WEIR_BLOCK_BYTES;
            sample->compressed_share = (double)weir_compressed_bytes(memory, bytes) / (double)bytes;
            sample->unique_share = (double)weir_distinct(all, found) / (double)found;
        }
        sample_keep(job, phase, sample);
    }
    free(memory);
    free(hashes);
    free(all);
    free(counts);
}
