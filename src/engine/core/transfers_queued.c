/* The hot loop of back ends that take several transfers of a rank at a time. Each is timed from its
 * submission to its end. */
#include "clock.h"
#include "loops.h"

#include <errno.h>
#include <stdlib.h>

struct slot {
    uint64_t start_ticks;
    uint64_t due_ticks; /* where there is a schedule */
    uint64_t offset;
    bool reads;
};

struct queued {
    const struct weir_phase *phase;
    struct weir_file *file;
    struct weir_measure *measure;
    struct weir_problem *problem;
    struct weir_pattern pattern;
    struct slot *slots;
    unsigned *idle, *ended; /* slots without a transfer; those whose transfer has just ended */
    unsigned depth, idle_count;
    struct weir_schedule schedule;
    uint64_t submitted;
    bool over; /* no offset is left, or a transfer failed */
};

/* In a mixed phase the second half of the buffers is for reads. */
static unsigned char *queued_buffer(const struct queued *queued, unsigned number) {
    const struct weir_phase *phase = queued->phase;
    bool second = phase->reads != NULL && queued->slots[number].reads;
    return weir_payload_slot(phase->payload, number + (second ? queued->depth : 0));
}

static void queued_submit(struct queued *queued) {
    const struct weir_phase *phase = queued->phase;
    unsigned number = queued->idle[queued->idle_count - 1];
    struct slot *slot = &queued->slots[number];
    if (!weir_pattern_next(&queued->pattern, &slot->offset)) {
        queued->over = true;
        return;
    }
    bool mixed = phase->reads != NULL;
    slot->reads =
        mixed ? weir_mixture_reads(&phase->mixture, queued->submitted) : phase->how.access == WEIR_READ;
    unsigned char *buffer = queued_buffer(queued, number);
    if (!slot->reads) {
        weir_payload_place(phase->payload, buffer, slot->offset);
    } else if (phase->verify) {
        weir_payload_spoil(phase->payload, buffer);
    }
    struct weir_piece piece = {slot->reads ? WEIR_READ : WEIR_WRITE, buffer, phase->payload->bytes,
                               slot->offset};
    slot->due_ticks = weir_schedule_due(&queued->schedule, queued->submitted);
    slot->start_ticks = weir_clock_ticks();
    queued->idle_count--;
    queued->submitted++;
    queued->over = phase->backend->queue->submit(queued->file, number, &piece, queued->problem) != 0;
}

static void queued_account(struct queued *queued, unsigned number, uint64_t stop_ticks) {
    const struct weir_phase *phase = queued->phase;
    const struct slot *slot = &queued->slots[number];
    struct weir_measure *measure = phase->reads != NULL && slot->reads ? phase->reads : queued->measure;
    size_t bytes = phase->payload->bytes;
    weir_timeline_add(&measure->timeline, slot->start_ticks, stop_ticks, bytes);
    bool scheduled = queued->schedule.kept;
    uint64_t from_ticks = scheduled ? slot->due_ticks : slot->start_ticks;
    if (scheduled) {
        weir_histogram_add(&measure->service, weir_clock_ns_of(stop_ticks - slot->start_ticks));
    }
    weir_histogram_add(&measure->latency, weir_clock_ns_of(stop_ticks - from_ticks));
    measure->operations++;
    if (slot->offset + bytes > measure->end_bytes) {
        measure->end_bytes = slot->offset + bytes;
    }
    if (phase->trace != NULL) {
        weir_trace_add(phase->trace, slot->start_ticks, stop_ticks,
                       slot->reads ? WEIR_TRACE_READ : WEIR_TRACE_WRITE, slot->offset, bytes);
    }
    if (phase->verify && slot->reads) {
        weir_payload_check(phase->payload, queued_buffer(queued, number), slot->offset, &measure->verify);
    }
}

/* Once a transfer has failed nothing more is submitted or counted; what is under way is waited for, as its
 * buffers are the kernel's until then. False where waiting itself failed. */
static bool queued_reap(struct queued *queued, bool wait, uint64_t *now_ticks) {
    int count = queued->phase->backend->queue->reap(queued->file, queued->ended, wait, queued->problem);
    *now_ticks = weir_clock_ticks();
    queued->over = queued->over || weir_problem_is_set(queued->problem);
    for (int i = 0; i < count; i++) {
        if (!weir_problem_is_set(queued->problem)) {
            queued_account(queued, queued->ended[i], *now_ticks);
        }
        queued->idle[queued->idle_count++] = queued->ended[i];
    }
    return count > 0 || (count == 0 && !wait);
}

/* On a schedule an operation may not be due yet; ends are looked for meanwhile. */
static bool queued_is_due(const struct queued *queued) {
    return !queued->schedule.kept ||
           weir_clock_ticks() >= weir_schedule_due(&queued->schedule, queued->submitted);
}

/* Until so many were submitted, or the deadline has passed, and all of them have ended. True where the
 * deadline did it. */
static bool queued_run(struct queued *queued, uint64_t limit, uint64_t deadline_ticks) {
    uint64_t now_ticks = 0;
    bool hit = false;
    do {
        bool more = !hit && !queued->over && queued->submitted < limit;
        if (more && queued->idle_count == queued->depth && queued->schedule.kept) {
            weir_wait_until(weir_schedule_due(&queued->schedule, queued->submitted));
        }
        while (more && queued->idle_count > 0 && queued_is_due(queued)) {
            queued_submit(queued);
            more = !queued->over && queued->submitted < limit;
        }
        bool wait = !more || queued->idle_count == 0;
        if (queued->idle_count == queued->depth || !queued_reap(queued, wait, &now_ticks)) {
            return hit;
        }
        hit = hit || now_ticks > deadline_ticks;
    } while (true);
}

static bool queued_run_to_the_wall(struct queued *queued) {
    const struct weir_phase *phase = queued->phase;
    uint64_t deadline_ticks =
        phase->stonewall_s > 0 ? weir_clock_ticks() + weir_clock_ticks_of(phase->stonewall_s) : UINT64_MAX;
    bool hit;
    do {
        bool endless = phase->limit > UINT64_MAX - queued->submitted;
        uint64_t limit = endless ? UINT64_MAX : queued->submitted + phase->limit;
        weir_pattern_rewind(&queued->pattern);
        queued->over = weir_problem_is_set(queued->problem);
        hit = !queued->over && queued_run(queued, limit, deadline_ticks);
    } while (weir_passes_again(phase, queued->measure, &hit, &deadline_ticks, queued->problem));
    return hit;
}

static void queued_allocate(struct queued *queued) {
    queued->slots = calloc(queued->depth, sizeof *queued->slots);
    queued->idle = calloc(queued->depth, sizeof *queued->idle);
    queued->ended = calloc(queued->depth, sizeof *queued->ended);
    if (queued->slots == NULL || queued->idle == NULL || queued->ended == NULL) {
        weir_problem_set(queued->problem, "malloc", queued->phase->how.path, ENOMEM, NULL, "%u transfers",
                         queued->depth);
        return;
    }
    for (; queued->idle_count < queued->depth; queued->idle_count++) {
        queued->idle[queued->idle_count] = queued->depth - 1 - queued->idle_count;
    }
}

void weir_transfers_queued(const struct weir_phase *phase, struct weir_file *file,
                           struct weir_measure *measure, struct weir_problem *problem) {
    struct queued queued = {.phase = phase,
                            .file = file,
                            .measure = measure,
                            .problem = problem,
                            .pattern = phase->pattern,
                            .depth = weir_phase_depth(phase)};
    queued.schedule = weir_phase_schedule(phase);
    weir_transfers_begin(phase, measure);
    queued_allocate(&queued);
    measure->wall_hit = queued_run_to_the_wall(&queued);
    measure->wall_ns = weir_phase_ns(measure);
    measure->wall_operations = measure->operations;
    if (phase->wear_out) {
        bool failed = weir_problem_is_set(problem);
        uint64_t operations = weir_transfers_goal(phase, measure->operations, failed);
        measure->wall_ns = weir_phase_ns(measure);
        if (!failed) {
            queued_run(&queued, operations, UINT64_MAX);
        }
    }
    if (weir_problem_is_set(problem)) {
        weir_phase_with_others(phase, -1, problem);
    }
    weir_transfers_end(phase, measure);
    free(queued.slots);
    free(queued.idle);
    free(queued.ended);
}
