/* The ranks that take part, where they run, and one time line for all of them. */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

struct weir_job {
    MPI_Comm comm;
    int rank;
    int size;
    MPI_Comm node_comm; /* ranks of this node */
    MPI_Comm leaders;   /* first rank of each node; MPI_COMM_NULL on the others */
    int nodes;
    int tasks_on_node0;
    bool block_mapping;  /* rank 1 runs beside rank 0; else ranks go round robin over the nodes */
    char (*hosts)[64];   /* one name for each node, in the order of their first ranks; rank 0 only */
    int *ranks_per_host; /* likewise */
    int64_t ahead_ns;    /* add to this rank's clock to get rank 0's */
    uint64_t doubt_ns;   /* ahead_ns of any rank is wrong by at most this; rank 0 only */
    bool original;       /* weir-io was started by the name of an original, whose exit codes it then has */
    int argument_count;  /* the whole command line, for the document */
    char **command_line;
};

static inline bool weir_job_first_on_node(const struct weir_job *job) {
    return job->leaders != MPI_COMM_NULL;
}

void weir_job_begin(struct weir_job *job, MPI_Comm comm, int argc, char **argv);
void weir_job_end(struct weir_job *job);
/* A job of the first ranks of another; on the other ranks comm is MPI_COMM_NULL. */
void weir_job_first_ranks(const struct weir_job *whole, int ranks, struct weir_job *part);
/* Measure ahead_ns again; clocks of one node are one clock, so this talks only between nodes. */
void weir_job_align_clocks(struct weir_job *job);
/* True on every rank where it is true on all. */
bool weir_job_agree(const struct weir_job *job, bool well);
/* A variable of rank 0's environment, on every rank; false where it is not set. Called by all ranks; a job
 * without a communicator is this process alone. */
bool weir_job_environment(const struct weir_job *job, const char *name, char *value, int bytes);
/* Give all ranks the same number: the time of rank 0, unless it was set. */
void weir_job_time_unless_set(const struct weir_job *job, int64_t *number, int64_t unset);
/* Wait for the others without taking a processor from those that still work. */
void weir_job_wait_idle(MPI_Comm comm);
