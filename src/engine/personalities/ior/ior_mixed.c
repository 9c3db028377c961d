/* --rw-mix: reads and writes in one phase, reported as a write and a read of the same time. IOR has none. */
#include "ior.h"

bool ior_lay_out(struct ior_run *run, int iteration, int64_t xfer_bytes) {
    struct weir_phase phase;
    struct ior_params requested = run->requested;
    struct weir_payload payload = run->payload;
    bool memory = true;
    /* What is compared must come from the rank that reads it. */
    bool as_read = requested.random && requested.verify_read && !requested.file_per_process;
    run->requested.random = as_read && xfer_bytes == 0;
    run->requested.zipf = run->requested.stonewall_s = 0;
    if (xfer_bytes > 0) {
        run->requested.xfer_bytes = xfer_bytes;
        memory = weir_payload_begin(&run->payload, run->packet, (size_t)xfer_bytes, false);
        run->payload.control = payload.control;
        weir_payload_fill(&run->payload, payload.signature, payload.rank);
    }
    memory = memory && ior_phase(run, &phase, "layout", WEIR_WRITE, iteration);
    bool well = ior_has_memory(run, memory);
    if (well) {
        phase.sync = run->base.backend->sync != NULL;
        phase.sync_each = phase.wear_out = false;
        phase.pace = (struct weir_pace){0};
        phase.trace = NULL;
        phase.unwatched = phase.dense = true;
        well = ior_measured(run, &phase);
    }
    if (xfer_bytes > 0) {
        weir_payload_end(&run->payload);
        run->payload = payload;
    }
    run->requested = requested;
    return well;
}

/* How much of the phase is to be read and to be written, all ranks together. */
static void ior_mixed_bytes(const struct ior_run *run, const struct weir_phase *phase, uint64_t bytes[2]) {
    uint64_t operations = weir_pattern_operations(&phase->pattern);
    bytes[WEIR_WRITE] = bytes[WEIR_READ] = 0;
    for (uint64_t i = 0; i < operations; i++) {
        bytes[weir_mixture_reads(&phase->mixture, i) ? WEIR_READ : WEIR_WRITE] += run->payload.bytes;
    }
    MPI_Allreduce(MPI_IN_PLACE, bytes, 2, MPI_UINT64_T, MPI_SUM, run->base.job->comm);
}

bool ior_mixed_iteration(struct ior_run *run, int iteration) {
    const struct ior_params *a = &run->requested;
    struct weir_phase phase;
    uint64_t bytes[2];
    run->shift = 0;
    if (!ior_clear_and_rest(run) ||
        !ior_has_memory(run, ior_phase(run, &phase, "write", WEIR_WRITE, iteration)) ||
        !weir_warm_up(&run->base, &phase) || (!a->existing && !ior_lay_out(run, iteration, 0)) ||
        !ior_empty_caches(run) ||
        !ior_has_memory(run, ior_phase(run, &phase, "write", WEIR_WRITE, iteration))) {
        return false;
    }
    phase.how.update = true;
    phase.reads = &run->reads;
    phase.mixture.read_percent = (uint64_t)a->read_percent;
    phase.mixture.seed = weir_mix((uint64_t)a->random_seed + (uint64_t)run->base.job->rank * WEIR_GOLDEN);
    phase.sync = a->sync;
    phase.verify = a->verify_read;
    ior_mixed_bytes(run, &phase, bytes);
    if (!ior_measured(run, &phase)) {
        return false;
    }
    run->reads.stored = run->base.measure.stored;
    for (int access = WEIR_WRITE; access <= WEIR_READ; access++) {
        struct weir_measure *measure = access == WEIR_WRITE ? &run->base.measure : &run->reads;
        phase.how.access = (enum weir_access)access;
        phase.name = access == WEIR_WRITE ? "write" : "read";
        phase.requested_bytes = bytes[access];
        struct weir_result *result = ior_add_result(run, &phase, measure);
        if (access == WEIR_READ && phase.verify) {
            ior_judge(run, &measure->verify, result, "in the mixed phase");
        }
        ior_show(run, result);
    }
    return true;
}
