#include "judge.h"
#include "run.h"
#include "stored.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define LARGE_BYTES ((size_t)16 << 20)
#define SMALL_BYTES ((size_t)1 << 20)

/* A name of MPI-IO or of a burst buffer (ime://...) does not show its directory: only a run that writes
 * there may try. */
static bool warm_up_may_write(const char *path, bool writes) {
    char directory[1200];
    if (weir_has_prefix(path)) {
        return writes;
    }
    weir_directory_of(path, directory, sizeof directory);
    return strcmp(path, "/dev/null") != 0 && strcmp(path, "/dev/zero") != 0 &&
           access(directory, W_OK | X_OK) == 0;
}

/* The phase with one transfer of each rank. A format's transfers have the shape of its variable: they stay.
 */
static struct weir_phase warm_up_one_transfer(const struct weir_run *run, const struct weir_phase *first,
                                              enum weir_access access, const char *path,
                                              struct weir_payload *payload) {
    struct weir_phase phase = weir_run_phase(run, access == WEIR_WRITE ? "warm-up write" : "warm-up read",
                                             first->iteration, path, access, first->how.comm);
    struct weir_geometry *geometry = &phase.how.geometry;
    int rank, sharers;
    bool format = (first->backend->traits & WEIR_FORMAT) != 0;
    MPI_Comm_rank(first->how.comm, &rank);
    MPI_Comm_size(first->how.comm, &sharers);
    phase.how = first->how;
    phase.how.path = path;
    phase.how.access = access;
    phase.how.update = false;
    if (!format && geometry->xfer_bytes > LARGE_BYTES) {
        geometry->xfer_bytes = SMALL_BYTES;
    }
    geometry->block_bytes = format ? geometry->block_bytes : geometry->xfer_bytes;
    geometry->segments = 1;
    geometry->file_bytes = geometry->block_bytes * (uint64_t)sharers;
    geometry->view = NULL;
    phase.pattern = (struct weir_pattern){
        .first = geometry->block_bytes * (uint64_t)rank, .per_segment = 1, .segments = 1};
    phase.payload = payload;
    phase.barriers = first->barriers;
    phase.sync = access == WEIR_WRITE && first->backend->sync != NULL;
    phase.unwatched = true;
    return phase;
}

static bool warm_up_write_and_read(struct weir_run *run, const struct weir_phase *first, const char *path) {
    struct weir_problem problem = {0};
    struct weir_payload payload;
    struct weir_phase phase = warm_up_one_transfer(run, first, WEIR_WRITE, path, NULL);
    if (!weir_payload_begin(&payload, WEIR_PAYLOAD_TIMESTAMP, phase.how.geometry.xfer_bytes, false)) {
        weir_problem_set(&problem, "malloc", path, ENOMEM, NULL, "for the warm-up; hint: --no-warm-up");
    }
    bool well = weir_document_settle(&run->document, &problem);
    for (int access = WEIR_WRITE; well && access <= WEIR_READ; access++) {
        phase = warm_up_one_transfer(run, first, (enum weir_access)access, path, &payload);
        well = weir_judge_phase(&run->document, &phase, &run->measure);
    }
    weir_payload_end(&payload);
    return well;
}

bool weir_warm_up(struct weir_run *run, const struct weir_phase *first) {
    char path[1200];
    int rank_in_file;
    bool wanted =
        !run->common.no_warm_up && !run->document.warmed_up && (run->backend->traits & WEIR_STORES) != 0;
    if (!wanted ||
        !weir_job_agree(run->job, warm_up_may_write(first->how.path, first->how.access == WEIR_WRITE))) {
        return true;
    }
    snprintf(path, sizeof path, "%s.warm-up", first->how.path);
    MPI_Comm_rank(first->how.comm, &rank_in_file);
    run->document.warmed_up = true; /* before the phases, which may write the head of the document */
    bool well = warm_up_write_and_read(run, first, path);
    struct weir_problem problem = {0};
    if (rank_in_file == 0) {
        run->backend->remove(path, first->how.settings, &problem);
    }
    return weir_document_settle(&run->document, &problem) && well;
}
