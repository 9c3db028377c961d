/* --mpiio.useFileView: one call moves all transfers of a rank's block in a segment, wherever the distribution
 * puts them. An operation of the results is such a call. */
#include "ior.h"

#include "loops.h"

#include "clock.h"

#include <string.h>

/* The transfers of a block lie one after the other in memory: made for a write, spoilt for a read that
 * compares.
 */
static void ior_view_prepare(const struct ior_run *run, const struct weir_phase *phase, uint64_t segment) {
    struct weir_payload *payload = phase->payload;
    for (uint64_t i = 0; i < phase->pattern.per_segment; i++) {
        unsigned char *at = run->view_buffer + i * payload->bytes;
        if (phase->how.access == WEIR_WRITE) {
            uint64_t number = segment * phase->pattern.per_segment + i;
            weir_payload_place(payload, payload->buffer, weir_pattern_at(&phase->pattern, number));
            memcpy(at, payload->buffer, payload->bytes);
        } else if (phase->verify) {
            weir_payload_spoil(payload, at);
        }
    }
}

static void ior_view_check(const struct ior_run *run, const struct weir_phase *phase, uint64_t segment,
                           struct weir_verify *verify) {
    for (uint64_t i = 0; i < phase->pattern.per_segment; i++) {
        uint64_t number = segment * phase->pattern.per_segment + i;
        weir_payload_check(phase->payload, run->view_buffer + i * phase->payload->bytes,
                           weir_pattern_at(&phase->pattern, number), verify);
    }
}

static uint64_t ior_view_end_bytes(const struct weir_phase *phase, uint64_t segment) {
    uint64_t last = (segment + 1) * phase->pattern.per_segment - 1;
    return weir_pattern_at(&phase->pattern, last) + phase->payload->bytes;
}

/* False where the rank stops: with collective calls it keeps in step with the others. */
static bool ior_view_operate(const struct ior_run *run, const struct weir_phase *phase,
                             struct weir_file *file, struct weir_measure *measure,
                             struct weir_problem *problem, uint64_t segment) {
    size_t bytes = phase->pattern.per_segment * phase->payload->bytes;
    struct weir_piece piece = {phase->how.access, run->view_buffer, bytes, segment * bytes};
    ior_view_prepare(run, phase, segment);
    uint64_t start_ticks = weir_clock_ticks();
    int status = file->backend->transfer(file, &piece, problem);
    uint64_t stop_ticks = weir_clock_ticks();
    if (status != 0 || weir_problem_is_set(problem)) {
        weir_phase_with_others(phase, status, problem);
        return phase->how.collective;
    }
    weir_timeline_add(&measure->timeline, start_ticks, stop_ticks, bytes);
    weir_histogram_add(&measure->latency, weir_clock_ns_of(stop_ticks - start_ticks));
    if (phase->trace != NULL) {
        weir_trace_add(phase->trace, start_ticks, stop_ticks, (enum weir_trace_operation)piece.access,
                       piece.offset, bytes);
    }
    measure->operations++;
    measure->moved_bytes += bytes;
    measure->end_bytes = ior_view_end_bytes(phase, segment);
    if (phase->verify) {
        ior_view_check(run, phase, segment, &measure->verify);
    }
    return true;
}

static void ior_view_transfers(const struct weir_phase *phase, struct weir_file *file,
                               struct weir_measure *measure, struct weir_problem *problem) {
    const struct ior_run *run = phase->own;
    weir_timeline_begin(&measure->timeline);
    for (uint64_t segment = 0; segment < phase->pattern.segments; segment++) {
        if (!ior_view_operate(run, phase, file, measure, problem, segment)) {
            break;
        }
    }
    measure->wall_operations = measure->operations;
    measure->wall_bytes = measure->moved_bytes;
}

void ior_view_begin(struct ior_run *run, struct weir_phase *phase) {
    ior_view_end(run);
    run->view = ior_distribution_type(run, ior_owner(run));
    run->view_set = true;
    phase->how.geometry.view = &run->view;
    phase->transfers = ior_view_transfers;
    phase->own = run;
}

void ior_view_end(struct ior_run *run) {
    if (run->view_set) {
        MPI_Type_free(&run->view);
        run->view_set = false;
    }
}
