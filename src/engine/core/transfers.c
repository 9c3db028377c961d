/* The hot loop. Nothing here allocates, locks or calls the system beyond the transfer itself. */
#include "clock.h"
#include "contents.h"
#include "loops.h"

struct loop {
    const struct weir_phase *phase;
    struct weir_file *file;
    struct weir_measure *measure;
    struct weir_problem *problem;
    struct weir_pattern pattern;
    struct weir_piece piece;
    bool place; /* the payload depends on the offset */
    bool paced; /* there is a rest or a schedule */
    struct weir_schedule schedule;
    struct weir_contents contents;
    uint64_t begun;  /* operations */
    uint64_t drawn;  /* operations of a mixed phase */
    bool collective; /* transfers are in step with the other ranks */
    bool failed;
};

/* Returns when the operation was due, where there is a schedule. */
static uint64_t transfers_wait_for_turn(struct loop *loop) {
    uint64_t number = loop->begun++;
    uint64_t due_ticks = weir_schedule_due(&loop->schedule, number);
    if (loop->schedule.rest_ticks > 0 && number > 0) {
        weir_wait_until(weir_clock_ticks() + loop->schedule.rest_ticks);
    }
    if (loop->schedule.kept) {
        weir_wait_until(due_ticks);
    }
    return due_ticks;
}

/* Whether the next operation of a mixed phase is a read, and where it is counted. */
static struct weir_measure *transfers_choose_access(struct loop *loop) {
    const struct weir_phase *phase = loop->phase;
    bool reads = weir_mixture_reads(&phase->mixture, loop->drawn++);
    loop->piece.access = reads ? WEIR_READ : WEIR_WRITE;
    loop->piece.buffer = reads ? weir_payload_slot(phase->payload, 0) : phase->payload->buffer;
    return reads ? phase->reads : loop->measure;
}

/* One operation; false where the rank has to stop. */
static inline bool transfers_operate(struct loop *loop, uint64_t *stop_ticks) {
    const struct weir_phase *phase = loop->phase;
    struct weir_measure *measure = loop->measure;
    if (__builtin_expect(phase->reads != NULL, 0)) {
        measure = transfers_choose_access(loop);
    }
    bool reads = loop->piece.access == WEIR_READ;
    if (loop->place && !reads) {
        weir_payload_place(phase->payload, phase->payload->buffer, loop->piece.offset);
    } else if (phase->verify && reads) {
        weir_payload_spoil(phase->payload, loop->piece.buffer);
    }
    uint64_t due_ticks = loop->paced ? transfers_wait_for_turn(loop) : 0;
    uint64_t start_ticks = weir_clock_ticks();
    int status = loop->file->backend->transfer(loop->file, &loop->piece, loop->problem);
    if (phase->sync_each && !reads && (status == 0 || loop->collective)) {
        weir_phase_with_others(phase, status, loop->problem); /* after a failure, too: others wait in it */
        int synced = loop->file->backend->sync(loop->file, loop->problem);
        status = status != 0 ? status : synced;
        measure->sync_calls++;
    }
    *stop_ticks = weir_clock_ticks();
    if (status != 0) {
        loop->failed = true;
        weir_phase_with_others(phase, status, loop->problem);
    }
    if (loop->failed) {
        /* Others wait in their collective calls: keep in step with them, count nothing more. */
        return loop->collective;
    }
    weir_timeline_add(&measure->timeline, start_ticks, *stop_ticks, loop->piece.bytes);
    uint64_t traced_ticks = start_ticks;
    if (__builtin_expect(loop->schedule.kept, 0)) {
        weir_histogram_add(&measure->service, weir_clock_ns_of(*stop_ticks - start_ticks));
        start_ticks = due_ticks;
    }
    weir_histogram_add(&measure->latency, weir_clock_ns_of(*stop_ticks - start_ticks));
    measure->operations++;
    uint64_t end_bytes = loop->piece.offset + loop->piece.bytes;
    if (end_bytes > measure->end_bytes) {
        measure->end_bytes = end_bytes;
    }
    if (__builtin_expect(phase->trace != NULL, 0)) {
        weir_trace_add(phase->trace, traced_ticks, *stop_ticks, (enum weir_trace_operation)loop->piece.access,
                       loop->piece.offset, loop->piece.bytes);
    }
    if (__builtin_expect(loop->contents.descriptor >= 0, 0)) {
        weir_contents_seen(&loop->contents, &loop->piece, measure);
    }
    if (phase->verify && reads) {
        weir_payload_check(phase->payload, loop->piece.buffer, loop->piece.offset, &measure->verify);
    }
    return true;
}

/* With collective transfers all ranks stop after the same operation: rank 0 of the file decides when. */
static bool transfers_wall_together(const struct loop *loop, bool hit) {
    int all_hit = hit;
    MPI_Bcast(&all_hit, 1, MPI_INT, 0, loop->phase->how.comm);
    return all_hit != 0;
}

/* True where the deadline ended the pass. */
static bool transfers_pass(struct loop *loop, uint64_t deadline_ticks) {
    const struct weir_phase *phase = loop->phase;
    bool rank_0_decides = loop->collective && phase->stonewall_s > 0;
    uint64_t now_ticks = 0;
    weir_pattern_rewind(&loop->pattern);
    for (uint64_t done = 0; done < phase->limit; done++) {
        if (!weir_pattern_next(&loop->pattern, &loop->piece.offset) || !transfers_operate(loop, &now_ticks)) {
            return false;
        }
        bool hit = now_ticks > deadline_ticks;
        if (rank_0_decides) {
            hit = transfers_wall_together(loop, hit);
        }
        if (hit) {
            return true;
        }
    }
    return false;
}

static bool transfers_run_to_the_wall(struct loop *loop) {
    double stonewall_s = loop->phase->stonewall_s;
    uint64_t deadline_ticks =
        stonewall_s > 0 ? weir_clock_ticks() + weir_clock_ticks_of(stonewall_s) : UINT64_MAX;
    bool hit;
    do {
        hit = transfers_pass(loop, deadline_ticks);
    } while (weir_passes_again(loop->phase, loop->measure, &hit, &deadline_ticks, loop->problem));
    return hit;
}

void weir_transfers_abstain(const struct weir_phase *phase, struct weir_measure *measure,
                            struct weir_problem *problem) {
    uint64_t deadline_ticks = 0;
    bool hit = true;
    weir_passes_again(phase, measure, &hit, &deadline_ticks, problem);
    weir_transfers_goal(phase, 0, true);
}

static void transfers_wear_out(struct loop *loop) {
    uint64_t ignored_ticks;
    uint64_t operations = weir_transfers_goal(loop->phase, loop->measure->operations, loop->failed);
    loop->measure->wall_ns = weir_phase_ns(loop->measure);
    while (loop->measure->operations < operations && weir_pattern_next(&loop->pattern, &loop->piece.offset)) {
        if (!transfers_operate(loop, &ignored_ticks)) {
            return;
        }
    }
}

void weir_transfers_run(const struct weir_phase *phase, struct weir_file *file, struct weir_measure *measure,
                        struct weir_problem *problem) {
    if (weir_phase_depth(phase) > 0) {
        weir_transfers_queued(phase, file, measure, problem);
        return;
    }
    struct loop loop = {
        .phase = phase,
        .file = file,
        .measure = measure,
        .problem = problem,
        .pattern = phase->pattern,
        .piece = {phase->how.access, phase->payload->buffer, phase->payload->bytes, 0},
        .place = phase->how.access == WEIR_WRITE && phase->payload->kind != WEIR_PAYLOAD_TIMESTAMP,
        .collective = phase->how.collective,
    };
    loop.paced = phase->pace.operations_s > 0 || phase->pace.rest_s > 0;
    loop.schedule = weir_phase_schedule(phase);
    weir_contents_begin(phase, measure, &loop.contents);
    weir_transfers_begin(phase, measure);
    measure->wall_hit = transfers_run_to_the_wall(&loop);
    measure->wall_ns = weir_phase_ns(measure);
    measure->wall_operations = measure->operations;
    if (phase->wear_out) {
        transfers_wear_out(&loop);
    }
    weir_contents_end(&loop.contents);
    weir_transfers_end(phase, measure);
}
