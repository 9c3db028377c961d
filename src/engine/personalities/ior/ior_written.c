/* How much was written, where a stonewall or a run before this one decides what there is to read. */
#include "ior.h"

#include "shared_text.h"

#include <stdlib.h>

/* A stonewall may end the ranks' writes early: who reads their data must stop where they stopped. */
void ior_written_remember(struct ior_run *run) {
    if (run->requested.stonewall_s <= 0) {
        return;
    }
    if (run->written == NULL) {
        run->written = malloc(sizeof *run->written * (size_t)run->base.job->size);
    }
    MPI_Allgather(&run->base.measure.operations, 1, MPI_UINT64_T, run->written, 1, MPI_UINT64_T,
                  run->base.job->comm);
}

/* What the runs after this one may read; the wear-out made it one number for all ranks. */
bool ior_written_tell(struct ior_run *run) {
    if (run->requested.status_file != NULL) {
        uint64_t most = 0;
        for (int i = 0; i < run->base.job->size; i++) {
            most = run->written[i] > most ? run->written[i] : most;
        }
        weir_status_write(run->base.job, run->requested.status_file, most, &run->base.problem);
    }
    return weir_run_settle(&run->base);
}

/* How much the run before this one wrote. */
bool ior_written_learn(struct ior_run *run) {
    if (run->requested.status_file != NULL && !run->requested.write) {
        int64_t operations = weir_status_read(run->base.job, run->requested.status_file, &run->base.problem);
        run->status = operations > 0 ? (uint64_t)operations : 0;
    }
    return weir_run_settle(&run->base);
}

bool ior_find_file_bytes(struct ior_run *run) {
    const struct weir_backend *backend = run->base.backend;
    struct weir_stored stored = {0};
    bool alone = run->requested.file_per_process;
    if (run->requested.random <= 1 || run->requested.write || backend->stored == NULL) {
        return true;
    }
    ior_path(run);
    if (alone || run->base.job->rank == 0) {
        backend->stored(run->path, run->base.settings, &stored, &run->base.problem);
    }
    if (!alone) {
        MPI_Bcast(&stored.bytes, 1, MPI_UINT64_T, 0, run->base.job->comm);
    }
    if (!weir_problem_is_set(&run->base.problem) && stored.bytes < (uint64_t)run->requested.block_bytes) {
        weir_problem_set(&run->base.problem, "stat", run->path, 0, "no block to draw",
                         "%llu bytes, but -z -z reads blocks of -b %lld", (unsigned long long)stored.bytes,
                         (long long)run->requested.block_bytes);
    }
    run->read_file_bytes = stored.bytes;
    return weir_run_settle(&run->base);
}
