#include "job.h"

#include "clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 8
#define TAG    7

static void job_find_nodes(struct weir_job *job) {
    int node_rank;
    MPI_Comm_split_type(job->comm, MPI_COMM_TYPE_SHARED, job->rank, MPI_INFO_NULL, &job->node_comm);
    MPI_Comm_rank(job->node_comm, &node_rank);
    MPI_Comm_split(job->comm, node_rank == 0 ? 0 : MPI_UNDEFINED, job->rank, &job->leaders);

    int here = 0;
    int facts[2] = {0, 0}; /* nodes, this node's number */
    MPI_Comm_size(job->node_comm, &here);
    if (job->leaders != MPI_COMM_NULL) {
        char host[64] = "unknown";
        const char *virtual_name =
            getenv("SLURMD_NODENAME"); /* differs for virtual nodes that share a machine */
        gethostname(host, sizeof host - 1);
        if (virtual_name != NULL) {
            snprintf(host, sizeof host, "%s", virtual_name);
        }
        MPI_Comm_size(job->leaders, &facts[0]);
        MPI_Comm_rank(job->leaders, &facts[1]);
        if (job->rank == 0) {
            job->hosts = calloc((size_t)facts[0], sizeof *job->hosts);
            job->ranks_per_host = calloc((size_t)facts[0], sizeof *job->ranks_per_host);
        }
        MPI_Gather(host, sizeof host, MPI_CHAR, job->hosts, sizeof host, MPI_CHAR, 0, job->leaders);
        MPI_Gather(&here, 1, MPI_INT, job->ranks_per_host, 1, MPI_INT, 0, job->leaders);
    }
    MPI_Bcast(facts, 2, MPI_INT, 0, job->node_comm);
    job->nodes = facts[0];
    job->tasks_on_node0 = here;
    MPI_Bcast(&job->tasks_on_node0, 1, MPI_INT, 0, job->comm);
    int beside = facts[1] == 0;
    MPI_Bcast(&beside, 1, MPI_INT, job->size > 1 ? 1 : 0, job->comm);
    job->block_mapping = beside;
}

void weir_job_begin(struct weir_job *job, MPI_Comm comm, int argc, char **argv) {
    memset(job, 0, sizeof *job);
    job->argument_count = argc;
    job->command_line = argv;
    MPI_Comm_dup(comm, &job->comm);
    MPI_Comm_rank(job->comm, &job->rank);
    MPI_Comm_size(job->comm, &job->size);
    job_find_nodes(job);
    weir_job_align_clocks(job);
}

void weir_job_end(struct weir_job *job) {
    free(job->hosts);
    free(job->ranks_per_host);
    if (job->leaders != MPI_COMM_NULL) {
        MPI_Comm_free(&job->leaders);
    }
    MPI_Comm_free(&job->node_comm);
    MPI_Comm_free(&job->comm);
}

void weir_job_first_ranks(const struct weir_job *whole, int ranks, struct weir_job *part) {
    MPI_Comm comm;
    MPI_Comm_split(whole->comm, whole->rank < ranks ? 0 : MPI_UNDEFINED, whole->rank, &comm);
    if (comm == MPI_COMM_NULL) {
        memset(part, 0, sizeof *part);
        part->comm = MPI_COMM_NULL;
        return;
    }
    weir_job_begin(part, comm, whole->argument_count, whole->command_line);
    MPI_Comm_free(&comm);
}

bool weir_job_environment(const struct weir_job *job, const char *name, char *value, int bytes) {
    const char *found = job->rank == 0 ? getenv(name) : NULL;
    int set = found != NULL;
    if (job->comm == MPI_COMM_NULL) {
        snprintf(value, (size_t)bytes, "%s", set != 0 ? found : "");
        return set != 0;
    }
    MPI_Bcast(&set, 1, MPI_INT, 0, job->comm);
    snprintf(value, (size_t)bytes, "%s", found != NULL ? found : "");
    if (set != 0) {
        MPI_Bcast(value, bytes, MPI_CHAR, 0, job->comm);
    }
    return set != 0;
}

/* The shortest of some round trips bounds the error of the difference by half its length. */
static int64_t job_measure_leader(MPI_Comm leaders, uint64_t *doubt_ns) {
    int64_t ahead = 0;
    uint64_t shortest = UINT64_MAX;
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t theirs;
        uint64_t sent = weir_clock_ns();
        MPI_Sendrecv(&sent, 1, MPI_UINT64_T, 0, TAG, &theirs, 1, MPI_UINT64_T, 0, TAG, leaders,
                     MPI_STATUS_IGNORE);
        uint64_t trip = weir_clock_ns() - sent;
        if (trip < shortest) {
            shortest = trip;
            ahead = (int64_t)(theirs - (sent + trip / 2));
        }
    }
    *doubt_ns = shortest / 2;
    return ahead;
}

void weir_job_align_clocks(struct weir_job *job) {
    job->ahead_ns = 0;
    job->doubt_ns = 0;
    if (job->nodes == 1) {
        return;
    }
    if (job->leaders != MPI_COMM_NULL) {
        int me;
        uint64_t doubt_ns = 0;
        MPI_Comm_rank(job->leaders, &me);
        for (int node = 1; node < job->nodes; node++) {
            if (me == node) {
                job->ahead_ns = job_measure_leader(job->leaders, &doubt_ns);
            } else if (me == 0) {
                for (int i = 0; i < ROUNDS; i++) {
                    uint64_t word;
                    MPI_Recv(&word, 1, MPI_UINT64_T, node, TAG, job->leaders, MPI_STATUS_IGNORE);
                    word = weir_clock_ns();
                    MPI_Send(&word, 1, MPI_UINT64_T, node, TAG, job->leaders);
                }
            }
        }
        MPI_Reduce(&doubt_ns, &job->doubt_ns, 1, MPI_UINT64_T, MPI_MAX, 0, job->leaders);
    }
    MPI_Bcast(&job->ahead_ns, 1, MPI_INT64_T, 0, job->node_comm);
}

bool weir_job_agree(const struct weir_job *job, bool well) {
    int mine = well;
    int all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, job->comm);
    return all != 0;
}

void weir_job_time_unless_set(const struct weir_job *job, int64_t *number, int64_t unset) {
    *number = *number == unset ? (int64_t)time(NULL) : *number;
    MPI_Bcast(number, 1, MPI_INT64_T, 0, job->comm);
}

void weir_job_wait_idle(MPI_Comm comm) {
    MPI_Request request;
    int done = 0;
    unsigned rest_us =
        20; /* a short wait shall not last much longer than it is, a long one shall cost nothing */
    MPI_Ibarrier(comm, &request);
    while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done) {
        usleep(rest_us);
        rest_us = rest_us < 1000 ? 2 * rest_us : 1000;
    }
}
