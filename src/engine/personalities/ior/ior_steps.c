/* The steps that kinds of iterations share. */
#include "ior.h"

#include "clock.h"
#include "judge.h"
#include "personality.h"

#include <errno.h>
#include <sys/stat.h>
#include <time.h>

/* What is the same in every phase of the run. */
bool ior_phase(struct ior_run *run, struct weir_phase *phase, const char *name, enum weir_access access,
               int iteration) {
    const struct ior_params *a = &run->requested;
    uint64_t rank_bytes = (uint64_t)(a->block_bytes * a->segments);
    ior_path(run);
    *phase = weir_run_phase(&run->base, name, iteration, run->path, access,
                            a->file_per_process ? MPI_COMM_SELF : run->base.job->comm);
    phase->how.collective = a->collective;
    phase->how.direct = a->direct;
    phase->how.single_attempt = a->single_attempt != 0;
    phase->how.geometry = (struct weir_geometry){.xfer_bytes = (size_t)a->xfer_bytes,
                                                 .block_bytes = (uint64_t)a->block_bytes,
                                                 .segments = (uint64_t)a->segments,
                                                 .random = a->random != 0,
                                                 .walled = a->stonewall_s > 0,
                                                 .file_bytes = ior_file_bytes(run)};
    phase->payload = &run->payload;
    phase->barriers = a->barriers;
    phase->pace = (struct weir_pace){(double)a->rate, (double)a->rest_us * 1e-6};
    phase->stonewall_s = a->stonewall_s;
    phase->wear_out = a->wear_out;
    phase->sync_each = a->sync_each;
    phase->trace = run->trace.records != NULL ? &run->trace : NULL;
    phase->requested_bytes = rank_bytes * (uint64_t)run->base.job->size;
    if (access == WEIR_READ && run->written != NULL) {
        phase->limit = run->written[ior_owner(run)];
    } else if (access == WEIR_READ && run->status > 0) {
        phase->limit = run->status;
        uint64_t known_bytes = run->status * (uint64_t)a->xfer_bytes;
        phase->requested_bytes =
            (known_bytes < rank_bytes ? known_bytes : rank_bytes) * (uint64_t)run->base.job->size;
    }
    bool memory = ior_pattern(run, access, &phase->pattern);
    if (run->view_buffer != NULL) {
        ior_view_begin(run, phase);
    }
    return memory;
}

bool ior_has_memory(struct ior_run *run, bool good) {
    if (!good) {
        weir_problem_set(&run->base.problem, "malloc", run->requested.test_file, ENOMEM, NULL,
                         "preparing the transfers");
    }
    return weir_run_settle(&run->base);
}

/* -T: no phase begins after its time; rank 0's clock decides. */
bool ior_time_is_up(const struct ior_run *run) {
    int up = run->requested.most_minutes > 0 &&
             weir_clock_ns() - run->began_ns >= (uint64_t)(run->requested.most_minutes * 60e9);
    if (run->requested.most_minutes > 0) {
        MPI_Bcast(&up, 1, MPI_INT, 0, run->base.job->comm);
    }
    return up != 0;
}

/* Run a phase and look at what it left; false where any rank failed. */
bool ior_measured(struct ior_run *run, struct weir_phase *phase) {
    return weir_judge_phase(&run->base.document, phase, &run->base.measure) &&
           weir_judge_stored(&run->base.document, phase, &run->base.measure);
}

struct weir_result *ior_add_result(struct ior_run *run, const struct weir_phase *phase,
                                   struct weir_measure *measure) {
    struct weir_result result;
    weir_result_gather(run->base.job, phase, measure, &result);
    result.existing_bytes = phase->how.access == WEIR_WRITE ? run->existing_bytes : 0;
    return weir_document_add(&run->base.document, &result);
}

void ior_show(const struct ior_run *run, const struct weir_result *result) {
    if (result != NULL && run->requested.show_hints) {
        ior_table_hints(run, result);
    }
    if (result != NULL) {
        ior_table_row(run, result);
    }
}

void ior_judge(struct ior_run *run, const struct weir_verify *verify, struct weir_result *result,
               const char *when) {
    if (weir_judge_bytes(&run->base.document, run->path, verify, result, when)) {
        return;
    }
    run->base.exit_code = WEIR_FAILED;
    run->differs = run->ever_differed = true;
    if (result != NULL) {
        const struct ior_report *report = run->base.launch;
        fprintf(report->log, "WARNING: Incorrect data on %s (%llu errors found).\n", result->access,
                (unsigned long long)result->verify.errors);
    }
}

/* -d */
void ior_rest(const struct ior_run *run) {
    double rest_s = run->requested.delay_s;
    struct timespec rest = {(time_t)rest_s, (long)((rest_s - (double)(time_t)rest_s) * 1e9)};
    if (run->base.job->rank == 0 && rest_s > 0) {
        nanosleep(&rest, NULL);
    }
}

bool ior_clear_and_rest(struct ior_run *run) {
    struct stat facts;
    run->existing_bytes = 0;
    if (!run->requested.existing) {
        ior_remove(run);
    } else if (run->base.job->rank == 0 && stat(run->path, &facts) == 0) {
        run->existing_bytes = (uint64_t)facts.st_size;
    }
    ior_make_directory(run);
    run->made_file = true;
    ior_rest(run);
    return weir_run_settle(&run->base);
}

bool ior_empty_caches(struct ior_run *run) {
    if (!run->requested.drop_caches) {
        return true;
    }
    ior_drop_caches(run, &run->base.problem);
    return weir_run_settle(&run->base);
}
