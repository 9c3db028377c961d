/* All that a rank does in a phase between open and close. What counts as I/O is the time of the calls and of
 * waiting for one's turn; making, comparing and busy-work do not. */
#include "clock.h"
#include "madbench.h"

#include <math.h>
#include <string.h>

#define TAG 11

struct kernel {
    const struct weir_phase *phase;
    struct weir_file *file;
    struct mad_run *run;
    struct weir_problem *problem;
};

/* One of `mod` neighbours moves at a time: wait for the one before, then wake the one behind. A rank that
 * failed still wakes the others. */
static void mad_await_turn(const struct weir_job *job, int64_t mod) {
    if (job->rank % mod != 0) {
        MPI_Recv(NULL, 0, MPI_BYTE, job->rank - 1, TAG, job->comm, MPI_STATUS_IGNORE);
    }
}

static void mad_pass_turn(const struct weir_job *job, int64_t mod) {
    if ((job->rank + 1) % mod != 0 && job->rank + 1 < job->size) {
        MPI_Send(NULL, 0, MPI_BYTE, job->rank + 1, TAG, job->comm);
    }
}

static void mad_call(struct kernel *kernel, struct weir_piece *piece, struct weir_measure *into) {
    struct mad_run *run = kernel->run;
    uint64_t start_ticks = weir_clock_ticks();
    if (kernel->file->backend->transfer(kernel->file, piece, kernel->problem) != 0) {
        run->failed = true;
        return;
    }
    uint64_t ticks = weir_clock_ticks() - start_ticks;
    uint64_t *spent = piece->access == WEIR_READ ? &run->read_ticks : &run->write_ticks;
    uint64_t from = into->timeline.begin_ticks + *spent; /* as if the calls followed each other */
    weir_timeline_add(&into->timeline, from, from + ticks, piece->bytes);
    *spent += ticks;
    weir_histogram_add(&into->latency, weir_clock_ns_of(ticks));
    into->operations++;
    into->moved_bytes += piece->bytes;
    if (piece->offset + piece->bytes > into->end_bytes) {
        into->end_bytes = piece->offset + piece->bytes;
    }
}

static void mad_move(struct kernel *kernel, enum weir_access access, uint64_t offset, uint64_t bytes,
                     struct weir_measure *into) {
    struct mad_run *run = kernel->run;
    int64_t mod = access == WEIR_READ ? run->requested.read_mod : run->requested.write_mod;
    uint64_t most = run->requested.xfer_bytes > 0 ? (uint64_t)run->requested.xfer_bytes : bytes;
    uint64_t start_ns = weir_clock_ns();
    mad_await_turn(run->base.job, mod);
    for (uint64_t done = 0; done < bytes && !run->failed; done += most) {
        struct weir_piece piece = {access, run->buffer + done, bytes - done < most ? bytes - done : most,
                                   offset + done};
        mad_call(kernel, &piece, into);
    }
    uint64_t stop_ns = weir_clock_ns();
    mad_pass_turn(run->base.job, mod);
    *(access == WEIR_READ ? &run->read_ns : &run->write_ns) += stop_ns - start_ns;
}

/* n elements cost n^alpha multiplications, which no compiler may drop. */
static void mad_busy_work(struct mad_run *run, uint64_t bytes) {
    if (run->requested.busy <= 0 || run->failed) {
        return;
    }
    uint64_t start_ns = weir_clock_ns();
    uint64_t count = (uint64_t)pow((double)(bytes / 8), run->requested.busy);
    volatile double result = 1;
    for (uint64_t i = 0; i < count; i++) {
        result = result * 1.0000001 + 1e-9;
    }
    run->busy_ns += weir_clock_ns() - start_ns;
}

/* Where a rank's part of a matrix lies that all ranks share. */
static uint64_t mad_part_of_all(const struct mad_run *run, int64_t bin) {
    uint64_t parts = run->requested.file_per_process
                         ? (uint64_t)bin
                         : (uint64_t)bin * (uint64_t)run->base.job->size + (uint64_t)run->base.job->rank;
    return parts * run->slot_bytes;
}

/* Where its part of a matrix lies that its gang has for itself; each gang takes one matrix of a round. */
static uint64_t mad_part_of_gang(const struct mad_run *run, int64_t round) {
    int64_t gangs = run->requested.gangs;
    int64_t members = run->base.job->size / gangs;
    int64_t matrix = round * gangs + run->base.job->rank / members;
    int64_t parts = run->requested.file_per_process
                        ? round * gangs
                        : matrix * run->base.job->size + run->base.job->rank % members * gangs;
    return (uint64_t)parts * run->slot_bytes;
}

static void mad_make_and_write(struct kernel *kernel, struct weir_measure *measure) {
    struct mad_run *run = kernel->run;
    for (int64_t bin = 0; bin < run->requested.bins; bin++) {
        uint64_t offset = mad_part_of_all(run, bin);
        mad_fill(run, 0, offset, run->part_bytes);
        mad_busy_work(run, run->part_bytes);
        mad_move(kernel, WEIR_WRITE, offset, run->part_bytes, measure);
    }
}

/* A round reads as many matrices as there are gangs; then each gang writes one. */
static void mad_read_and_write(struct kernel *kernel, struct weir_measure *measure) {
    struct mad_run *run = kernel->run;
    int64_t gangs = run->requested.gangs;
    uint64_t whole_bytes = run->part_bytes * (uint64_t)gangs;
    for (int64_t round = 0; round < run->requested.bins / gangs; round++) {
        for (int64_t i = 0; i < gangs; i++) {
            uint64_t offset = mad_part_of_all(run, round * gangs + i);
            memset(run->buffer, 0, kernel->phase->verify ? run->part_bytes : 0);
            mad_move(kernel, WEIR_READ, offset, run->part_bytes, &run->reads);
            if (kernel->phase->verify && !run->failed) {
                mad_compare(run, 0, offset, run->part_bytes, &run->reads.verify);
            }
        }
        if (gangs > 1) {
            MPI_Barrier(run->base.job->comm); /* the original hands the parts round here */
        }
        uint64_t offset = mad_part_of_gang(run, round);
        mad_busy_work(run, whole_bytes);
        mad_fill(run, 1, offset, whole_bytes);
        mad_move(kernel, WEIR_WRITE, offset, whole_bytes, measure);
    }
}

static void mad_read_all(struct kernel *kernel, struct weir_measure *measure) {
    struct mad_run *run = kernel->run;
    bool updated = run->runs[MAD_W];
    int64_t gangs = updated ? run->requested.gangs : 1;
    uint64_t bytes = run->part_bytes * (uint64_t)gangs;
    for (int64_t round = 0; round < run->requested.bins / gangs; round++) {
        uint64_t offset = updated ? mad_part_of_gang(run, round) : mad_part_of_all(run, round);
        memset(run->buffer, 0, kernel->phase->verify ? bytes : 0);
        mad_move(kernel, WEIR_READ, offset, bytes, measure);
        if (kernel->phase->verify && !run->failed) {
            mad_compare(run, updated, offset, bytes, &measure->verify);
        }
        mad_busy_work(run, bytes);
    }
}

void mad_transfers(const struct weir_phase *phase, struct weir_file *file, struct weir_measure *measure,
                   struct weir_problem *problem) {
    struct mad_run *run = phase->own;
    struct kernel kernel = {phase, file, run, problem};
    weir_timeline_begin(&measure->timeline);
    weir_timeline_begin(&run->reads.timeline);
    if (run->phase == MAD_S) {
        mad_make_and_write(&kernel, measure);
    } else if (run->phase == MAD_W) {
        mad_read_and_write(&kernel, measure);
    } else {
        mad_read_all(&kernel, measure);
    }
}
