#include "passes.h"

#include "clock.h"

/* Stonewalls that the time between the passes may take: small files would never end. */
#define MOST_RESTS 4

/* All ranks take the same time out of theirs, the shortest that one was away: none becomes faster by it than
 * it was. */
static bool passes_forget(const struct weir_phase *phase, struct weir_measure *measure,
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
    return !over && passes_forget(phase, measure, deadline_ticks, problem);
}
