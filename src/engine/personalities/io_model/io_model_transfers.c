/* The hot loop. Nothing here allocates or locks. */
#include "clock.h"
#include "io_model.h"
#include "mix.h"

#include <endian.h>
#include <string.h>

/* The word's bytes, the lowest first, whatever the order of the machine's. */
static uint64_t iom_word_at(const struct iom_run *run, uint64_t index) {
    uint64_t key = (uint64_t)run->requested.seed << 32 | (uint32_t)run->base.job->rank;
    return htole64(weir_mix(key + index * WEIR_GOLDEN));
}

void iom_bytes(const struct iom_run *run, uint64_t offset, unsigned char *into, size_t bytes) {
    while (bytes > 0) {
        uint64_t word = iom_word_at(run, offset / 8);
        size_t skip = offset % 8;
        size_t take = 8 - skip < bytes ? 8 - skip : bytes;
        if (take == 8) {
            memcpy(into, &word, 8); /* a size that the compiler knows is a store */
        } else {
            memcpy(into, (const unsigned char *)&word + skip, take);
        }
        into += take;
        offset += take;
        bytes -= take;
    }
}

/* Offsets are drawn before the phase, not in it. A write and the read after it draw different ones. */
void iom_operations_plan(struct iom_run *run, int iteration, bool write) {
    const struct iom_params *a = &run->requested;
    uint64_t seed = (uint64_t)a->seed << 24 ^ (uint64_t)run->base.job->rank << 2 ^ (uint64_t)iteration << 44;
    iom_locality_begin(&run->in_file, a->file_bytes, a->xfer_bytes, a->align_bytes, seed | write);
    iom_locality_begin(&run->in_memory, a->memory_bytes, a->xfer_bytes, a->align_bytes, seed | 2 | write);
    for (int64_t i = 0; i < a->operations; i++) {
        uint64_t offset = (uint64_t)iom_locality_next(&run->in_file);
        uint64_t memory = (uint64_t)iom_locality_next(&run->in_memory);
        run->operations[i] = (struct iom_operation){0, 0, offset, memory};
    }
    if (run->original && a->align_bytes == 1) {
        iom_original_plan(run, iteration);
    }
}

void iom_transfers(const struct weir_phase *phase, struct weir_file *file, struct weir_measure *measure,
                   struct weir_problem *problem) {
    struct iom_run *run = phase->own;
    bool write = phase->how.access == WEIR_WRITE;
    size_t bytes = (size_t)run->requested.xfer_bytes;
    struct weir_piece piece = {phase->how.access, NULL, bytes, 0};
    weir_timeline_begin(&measure->timeline);
    for (int64_t i = 0; i < run->requested.operations; i++) {
        struct iom_operation *operation = &run->operations[i];
        piece.buffer = run->buffer + operation->memory;
        piece.offset = operation->offset;
        if (phase->verify && write) {
            iom_bytes(run, piece.offset, piece.buffer, bytes);
        } else if (phase->verify) {
            piece.buffer[0] = (unsigned char)~piece.buffer[0];
        }
        uint64_t start_ticks = weir_clock_ticks();
        int status = file->backend->transfer(file, &piece, problem);
        operation->start_ticks = start_ticks;
        uint64_t stop_ticks = weir_clock_ticks();
        operation->ticks = stop_ticks - start_ticks;
        if (status != 0) {
            break;
        }
        weir_timeline_add(&measure->timeline, start_ticks, stop_ticks, bytes);
        weir_histogram_add(&measure->latency, weir_clock_ns_of(operation->ticks));
        measure->operations++;
        if (piece.offset + bytes > measure->end_bytes) {
            measure->end_bytes = piece.offset + bytes;
        }
        if (phase->verify && !write) {
            iom_bytes(run, piece.offset, run->expected, bytes);
            weir_verify_compare(&measure->verify, piece.offset, piece.buffer, run->expected, bytes);
        }
    }
    measure->moved_bytes = measure->operations * bytes;
}
