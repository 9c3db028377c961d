#include "loops.h"

#include "clock.h"
#include "stuck.h"

#include <time.h>

/* Stonewalls that the time between the passes may take: small files would never end. */
#define MOST_RESTS         4
#define SLEEP_ENDS_LATE_NS 80000

/* All ranks take the same time out of theirs, the shortest that one was away: none becomes faster by it than
 * it was. */
static bool loops_forget(const struct weir_phase *phase, struct weir_measure *measure,
                         uint64_t *deadline_ticks, struct weir_problem *problem) {
    uint64_t start_ticks = weir_clock_ticks();
    phase->forget(phase->forgetful, problem);
    int failed = weir_problem_is_set(problem);
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, phase->job_comm);
    weir_watch_look_again(phase->how.path, &measure->watched); /* after all have let go */
    MPI_Barrier(phase->job_comm);
    uint64_t away_ticks = weir_clock_ticks() - start_ticks;
    MPI_Allreduce(MPI_IN_PLACE, &away_ticks, 1, MPI_UINT64_T, MPI_MIN, phase->job_comm);
    measure->passes.rests_ns += weir_clock_ns_of(away_ticks);
    measure->timeline.begin_ticks += away_ticks;
    *deadline_ticks += away_ticks;
    return !failed;
}

bool weir_passes_again(const struct weir_phase *phase, struct weir_measure *measure, bool *hit,
                       uint64_t *deadline_ticks, struct weir_problem *problem) {
    if (phase->forget == NULL) {
        return false;
    }
    struct weir_passes *passes = &measure->passes;
    double rests_s = (double)passes->rests_ns * 1e-9;
    /* Also where it passed between the last transfer of the pass and here. */
    *hit = *hit || weir_clock_ticks() > *deadline_ticks;
    /* A rank without transfers would never meet the stonewall. */
    int over = *hit || weir_problem_is_set(problem) || measure->operations == 0 ||
               rests_s > MOST_RESTS * phase->stonewall_s;
    MPI_Allreduce(MPI_IN_PLACE, &over, 1, MPI_INT, MPI_MAX, phase->job_comm);
    if (passes->count++ == 0) {
        passes->first_ns = weir_phase_ns(measure);
        passes->first_operations = measure->operations;
    }
    return !over && loops_forget(phase, measure, deadline_ticks, problem);
}

int weir_phase_with_others(const struct weir_phase *phase, int status, const struct weir_problem *problem) {
    if (status != 0 && (phase->backend->traits & WEIR_PARTS) != 0) {
        weir_stuck_skip_finalize();
        if (weir_open_shared(&phase->how) && phase->stuck != NULL) {
            weir_stuck_arm(phase->stuck, problem);
        }
    }
    return status;
}

/* Operations of the quickest rank at the wall; 0 if any rank failed, so that no rank goes on for nothing. */
uint64_t weir_transfers_goal(const struct weir_phase *phase, uint64_t operations, bool failed) {
    uint64_t mine[2] = {operations, failed};
    uint64_t all[2];
    MPI_Allreduce(mine, all, 2, MPI_UINT64_T, MPI_MAX, phase->job_comm);
    return all[1] != 0 ? 0 : all[0];
}

void weir_wait_until(uint64_t due_ticks) {
    for (uint64_t now_ticks = weir_clock_ticks(); now_ticks < due_ticks; now_ticks = weir_clock_ticks()) {
        uint64_t left_ns = weir_clock_ns_of(due_ticks - now_ticks);
        if (left_ns > 2 * SLEEP_ENDS_LATE_NS) {
            left_ns -= SLEEP_ENDS_LATE_NS;
            struct timespec rest = {(time_t)(left_ns / 1000000000u), (long)(left_ns % 1000000000u)};
            nanosleep(&rest, NULL);
        }
    }
}

/* The ranks take turns. */
struct weir_schedule weir_phase_schedule(const struct weir_phase *phase) {
    const struct weir_pace *pace = &phase->pace;
    struct weir_schedule schedule = {.first_ticks = weir_clock_ticks(),
                                     .rest_ticks = pace->rest_s > 0 ? weir_clock_ticks_of(pace->rest_s) : 0};
    if (pace->operations_s > 0) {
        double between_s = 1 / pace->operations_s;
        int rank, ranks;
        MPI_Comm_rank(phase->job_comm, &rank);
        MPI_Comm_size(phase->job_comm, &ranks);
        schedule.kept = true;
        schedule.step_ticks = (double)weir_clock_ticks_of(between_s * ranks);
        schedule.first_ticks += weir_clock_ticks_of(between_s * rank);
    }
    return schedule;
}

uint64_t weir_phase_ns(const struct weir_measure *measure) {
    return weir_clock_ns() - measure->io.start_ns - measure->passes.rests_ns;
}

void weir_transfers_begin(const struct weir_phase *phase, struct weir_measure *measure) {
    weir_timeline_begin(&measure->timeline);
    if (phase->reads != NULL) {
        weir_timeline_begin(&phase->reads->timeline);
    }
}

/* All transfers of a phase have the same size. */
static void loops_count_bytes(const struct weir_phase *phase, struct weir_measure *measure) {
    measure->moved_bytes = measure->operations * phase->payload->bytes;
    measure->wall_bytes = measure->wall_operations * phase->payload->bytes;
}

void weir_transfers_end(const struct weir_phase *phase, struct weir_measure *measure) {
    loops_count_bytes(phase, measure);
    if (phase->reads != NULL) {
        phase->reads->wall_operations = phase->reads->operations;
        loops_count_bytes(phase, phase->reads);
    }
}
