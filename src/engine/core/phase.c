#include "phase.h"

#include "clock.h"
#include "loops.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#define LATE_LOOKS 50 /* a tenth of a second apart */

/* Whether open, sync and close need every rank of the file. */
static bool phase_in_step(const struct weir_phase *phase) {
    return weir_open_shared(&phase->how) && (phase->backend->traits & WEIR_TOGETHER) != 0;
}

/* Whether transfers go through the back end's queue; one that the personality does itself goes alone. */
static bool phase_has_queue(const struct weir_phase *phase) {
    return weir_phase_depth(phase) > 0 && phase->transfers == NULL;
}

/* Buffers beside the payload's own: each transfer of a queue has one, and a read of a mixed phase another
 * than a write, whose data would be lost. */
static unsigned phase_slots(const struct weir_phase *phase) {
    unsigned queued = phase_has_queue(phase) ? weir_phase_depth(phase) : 0;
    return phase->reads == NULL ? queued : queued > 0 ? 2 * queued : 1;
}

/* The steps and observations of a mixed phase are those of its reads and of its writes. */
static void phase_share(const struct weir_phase *phase, const struct weir_measure *measure) {
    struct weir_measure *reads = phase->reads;
    if (reads == NULL) {
        return;
    }
    memcpy(reads->began, measure->began, sizeof reads->began);
    reads->open = measure->open;
    reads->io = measure->io;
    reads->close = measure->close;
    reads->wall_hit = measure->wall_hit;
    reads->wall_ns = measure->wall_ns;
    reads->observed = measure->observed;
    reads->observed.hints = (struct weir_hints){0}; /* the writes' own */
    reads->watched = measure->watched;
}

/* Looking at the file takes time that is not the storage's: the returned time is taken out of what follows.
 */
static uint64_t phase_observe(const struct weir_phase *phase, struct weir_file *file,
                              struct weir_measure *measure) {
    uint64_t start_ns = weir_clock_ns();
    if (phase_has_queue(phase) && phase->backend->queue->begin != NULL) {
        const struct weir_payload *payload = phase->payload;
        phase->backend->queue->begin(file, payload->slots, payload->slot_bytes * payload->slot_count);
    }
    measure->observed.open_flags = -1;
    if (file->backend->observe != NULL) {
        file->backend->observe(file, &measure->observed);
    }
    return weir_clock_ns() - start_ns;
}

static void phase_transfer_and_sync(const struct weir_phase *phase, struct weir_file *file,
                                    struct weir_measure *measure, struct weir_problem *problem) {
    measure->io.start_ns = weir_clock_ns();
    (phase->transfers != NULL ? phase->transfers : weir_transfers_run)(phase, file, measure, problem);
    bool needed = !weir_problem_is_set(problem) || phase_in_step(phase);
    if (phase->sync && phase->backend->sync != NULL && needed) {
        measure->sync.start_ns = weir_clock_ns();
        if (weir_phase_with_others(phase, phase->backend->sync(file, problem), problem) == 0) {
            measure->sync_calls++;
        }
        measure->sync.stop_ns = weir_clock_ns();
    }
    measure->io.stop_ns = weir_clock_ns();
}

/* To the clock that all ranks share; a step that was never taken stays empty. */
static void phase_shift(struct weir_step *step, int64_t by_ns) {
    if (step->stop_ns != 0) {
        step->start_ns = (uint64_t)((int64_t)step->start_ns + by_ns);
        step->stop_ns = (uint64_t)((int64_t)step->stop_ns + by_ns);
    }
}

/* What the phase before left goes, and the clocks agree. */
static void phase_clear(struct weir_job *job, struct weir_measure *measure) {
    weir_hints_free(&measure->observed.hints);
    memset(measure, 0, sizeof *measure);
    weir_histogram_clear(&measure->latency);
    weir_histogram_clear(&measure->service);
    weir_job_align_clocks(job);
    weir_clock_iso8601(measure->began);
}

/* The buffers, too, are there before anybody opens. */
static void phase_prepare(struct weir_job *job, struct weir_phase *phase, struct weir_measure *measure,
                          struct weir_problem *problem) {
    phase_clear(job, measure);
    phase->job_comm = job->comm;
    if (phase->reads != NULL) {
        memset(phase->reads, 0, sizeof *phase->reads);
        weir_histogram_clear(&phase->reads->latency);
        weir_histogram_clear(&phase->reads->service);
    }
    unsigned slots = phase_slots(phase);
    if (slots > 0 && !weir_payload_slots(phase->payload, slots)) {
        weir_problem_set(problem, "malloc", phase->how.path, ENOMEM, NULL, "buffers of %u transfers", slots);
    }
    measure->watched.no_residency = phase->no_residency;
}

/* Times on the clock of the job, without those in which the storage was only looked at or nothing ran. */
static void phase_shift_steps(struct weir_measure *measure, int64_t ahead_ns, uint64_t observed_ns) {
    int64_t after_ns = ahead_ns - (int64_t)observed_ns - (int64_t)measure->passes.rests_ns;
    phase_shift(&measure->open, ahead_ns);
    phase_shift(&measure->io, ahead_ns - (int64_t)observed_ns);
    measure->io.stop_ns -= measure->passes.rests_ns;
    phase_shift(&measure->sync, after_ns);
    phase_shift(&measure->close, after_ns);
}

void weir_phase_run(struct weir_job *job, struct weir_phase *phase, struct weir_measure *measure,
                    struct weir_problem *problem) {
    struct weir_file file = {.backend = phase->backend, .how = &phase->how};
    phase_prepare(job, phase, measure, problem);
    if (!phase->unwatched) {
        weir_watch_begin(job, phase->backend, &phase->how, &measure->watched);
    }
    MPI_Barrier(job->comm);

    uint64_t cpu_ns = weir_clock_cpu_ns();
    measure->open.start_ns = weir_clock_ns();
    bool opened = !weir_problem_is_set(problem) &&
                  weir_phase_with_others(phase, weir_file_open(&file, problem), problem) == 0;
    measure->open.stop_ns = weir_clock_ns();
    bool step = phase_in_step(phase);
    bool agree = step || phase->barriers || (phase->how.collective && weir_open_shared(&phase->how));
    bool ready = agree ? weir_job_agree(job, opened) : opened;
    uint64_t observed_ns = opened ? phase_observe(phase, &file, measure) : 0;
    if (agree) {
        /* The quick ones wait for the slowest: the same time is taken out everywhere, else ranks would drift
         * apart and phases overlap that did not. */
        MPI_Allreduce(MPI_IN_PLACE, &observed_ns, 1, MPI_UINT64_T, MPI_MAX, job->comm);
    }
    if (ready) {
        phase_transfer_and_sync(phase, &file, measure, problem);
    } else if (!agree && phase->wear_out) {
        weir_transfers_abstain(phase, measure, problem);
    }
    if (phase->barriers) {
        MPI_Barrier(job->comm);
    }
    /* A shared file that not all could open cannot be closed together either: it is left to the end of the
     * run. */
    if (opened && (ready || !step)) {
        measure->close.start_ns = weir_clock_ns();
        weir_phase_with_others(phase, weir_file_close(&file, problem), problem);
        measure->close.stop_ns = weir_clock_ns();
    }
    measure->cpu_ns = weir_clock_cpu_ns() - cpu_ns;
    if (!phase->unwatched) {
        weir_watch_end(job, phase->backend, &phase->how, &measure->watched);
    }
    measure->retries = file.retries;
    phase_shift_steps(measure, job->ahead_ns, observed_ns);
    phase_share(phase, measure);
    if (phase->trace != NULL) {
        measure->traced = phase->trace->count;
        measure->dropped = phase->trace->dropped;
        weir_trace_write(phase->trace, phase->name, "", phase->iteration, job->ahead_ns, problem);
    }
}

void weir_phase_begin_names(struct weir_job *job, const struct weir_backend *backend, const char *directory,
                            struct weir_measure *measure) {
    const struct weir_open how = {.path = directory, .access = WEIR_WRITE, .comm = MPI_COMM_SELF};
    phase_clear(job, measure);
    measure->observed.open_flags = -1;
    measure->watched.directory = true;
    weir_watch_begin(job, backend, &how, &measure->watched);
    MPI_Barrier(job->comm);
    weir_timeline_begin(&measure->timeline);
    measure->io.start_ns = weir_clock_ns();
}

void weir_phase_end_names(const struct weir_job *job, const struct weir_backend *backend,
                          const char *directory, struct weir_measure *measure) {
    const struct weir_open how = {.path = directory, .access = WEIR_WRITE, .comm = MPI_COMM_SELF};
    measure->io.stop_ns = weir_clock_ns();
    weir_watch_end(job, backend, &how, &measure->watched);
    phase_shift(&measure->io, job->ahead_ns);
    phase_shift(&measure->sync, job->ahead_ns);
    measure->open = (struct weir_step){measure->io.start_ns, measure->io.start_ns};
    measure->close = (struct weir_step){measure->io.stop_ns, measure->io.stop_ns};
}

/* What is stored after the phase. The client of a network file system may keep a size from before the other
 * nodes wrote, below the system call too (GlusterFS): it is looked at again for as long as that may last. */
static int phase_look(const struct weir_phase *phase, uint64_t end_bytes, struct weir_stored *stored,
                      struct weir_problem *problem) {
    const struct timespec rest = {.tv_nsec = 100000000};
    for (int looks = 1;; looks++) {
        struct weir_problem found = {0};
        *stored = (struct weir_stored){0};
        int status = phase->backend->stored(phase->how.path, phase->how.settings, stored, &found);
        bool late = !stored->reduced && stored->bytes < stored->header_bytes + end_bytes;
        if (!late || looks == LATE_LOOKS) {
            stored->late_sizes = !late && looks > 1;
            *problem = status == 0 ? *problem : found;
            return status;
        }
        nanosleep(&rest, NULL);
    }
}

/* The end of the last piece that must be in the file, and whether there may be no hole before it. */
static void phase_compare(const struct weir_phase *phase, struct weir_measure *measure, uint64_t end_bytes,
                          bool dense, struct weir_problem *problem) {
    const struct weir_stored *stored = &measure->stored;
    const char *missing = "bytes are not there";
    if (!stored->reduced && stored->bytes < stored->header_bytes + end_bytes) {
        weir_problem_set(problem, "stat", phase->how.path, 0, missing,
                         "the %s reported success up to byte %llu, but the file ends at byte %llu",
                         phase->name, (unsigned long long)end_bytes, (unsigned long long)stored->bytes);
    } else if (phase->how.access == WEIR_WRITE && dense && !stored->reduced &&
               stored->first_hole_bytes < end_bytes) {
        weir_problem_set(problem, "lseek(SEEK_HOLE)", phase->how.path, 0, missing,
                         "every byte was written with success, but the file has a hole at byte %llu",
                         (unsigned long long)stored->first_hole_bytes);
    }
}

void weir_phase_inspect(const struct weir_job *job, const struct weir_phase *phase,
                        struct weir_measure *measure, struct weir_problem *problem) {
    int sharers, rank_in_file;
    uint64_t end_bytes = measure->end_bytes;
    int walled = measure->wall_hit && phase->stonewall_s > 0;
    MPI_Comm_size(phase->how.comm, &sharers);
    MPI_Comm_rank(phase->how.comm, &rank_in_file);
    if (sharers > 1) {
        MPI_Reduce(rank_in_file == 0 ? MPI_IN_PLACE : &end_bytes, &end_bytes, 1, MPI_UINT64_T, MPI_MAX, 0,
                   phase->how.comm);
    }
    MPI_Allreduce(MPI_IN_PLACE, &walled, 1, MPI_INT, MPI_LOR, job->comm);
    if (rank_in_file != 0 || phase->backend->stored == NULL) {
        return;
    }
    weir_file_layout_read(phase->how.path, &measure->file_layout);
    if (phase_look(phase, end_bytes, &measure->stored, problem) == 0) {
        phase_compare(phase, measure, end_bytes, phase->dense && !walled, problem);
    }
}
