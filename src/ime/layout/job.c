/* Which job a process is a rank of. Each launcher has its own variables for that. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layout/store.h"

static const struct {
    const char *names[2]; /* of the job; the second may be NULL */
    const char *rank;
} launchers[] = {
    {{"PMIX_NAMESPACE", NULL}, "PMIX_RANK"},
    {{"OMPI_MCA_ess_base_jobid", NULL}, "OMPI_COMM_WORLD_RANK"},
    {{"SLURM_JOB_ID", "SLURM_STEP_ID"}, "SLURM_PROCID"},
    {{"PMI_JOBID", NULL}, "PMI_RANK"},
};

/* FNV-1a */
static uint64_t job_add_to_hash(uint64_t hash, const void *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static bool job_read_rank(const char *variable, uint32_t *rank) {
    const char *text = getenv(variable);
    char *end;
    if (text == NULL) {
        return false;
    }
    *rank = (uint32_t)strtoul(text, &end, 10);
    return end != text && *end == '\0';
}

bool job_of_environment(uint64_t *job, uint32_t *rank) {
    const uint64_t basis = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; i++) {
        const char *first = getenv(launchers[i].names[0]);
        const char *second = launchers[i].names[1] != NULL ? getenv(launchers[i].names[1]) : "";
        if (first != NULL && second != NULL && job_read_rank(launchers[i].rank, rank)) {
            *job =
                job_add_to_hash(job_add_to_hash(basis, first, strlen(first) + 1), second, strlen(second)) | 1;
            return true;
        }
    }
    if (job_read_rank("PMI_RANK",
                      rank)) { /* Hydra names no job: its proxy is the parent of all ranks of a node */
        int parent = (int)getppid();
        uint64_t started = process_start_ticks(parent);
        *job = job_add_to_hash(job_add_to_hash(basis, &parent, sizeof parent), &started, sizeof started) | 1;
        return true;
    }
    return false;
}
