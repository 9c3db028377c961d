#include "watch.h"

#include <stdlib.h>
#include <string.h>

static bool first_on_node(const struct weir_job *job) {
    return job->leaders != MPI_COMM_NULL;
}

static bool can_look(const struct weir_backend *backend, const struct weir_open *how,
                     const struct weir_watched *watched) {
    return !watched->no_residency && how->access == WEIR_READ && (backend->traits & WEIR_STORES) != 0;
}

/* The page cache is the node's: of a shared file one look a node is enough. */
static bool looks_afterwards(const struct weir_job *job, const struct weir_open *how) {
    int sharers;
    MPI_Comm_size(how->comm, &sharers);
    return sharers == 1 || first_on_node(job);
}

void weir_watch_begin(const struct weir_job *job, const struct weir_backend *backend,
                      const struct weir_open *how, struct weir_watched *watched) {
    *watched = (struct weir_watched){.directory = watched->directory, .no_residency = watched->no_residency};
    if (first_on_node(job) && (backend->traits & WEIR_STORES) != 0) {
        (watched->directory ? weir_medium_of : weir_medium_of_directory)(how->path, &watched->medium);
        weir_llite_read(&watched->medium, &watched->llite);
    }
    if (job->rank == 0 && can_look(backend, how, watched)) {
        weir_page_cache_look(how->path, &watched->before);
        watched->touched = true;
    }
    weir_process_io_read(&watched->io);
}

void weir_watch_end(const struct weir_job *job, const struct weir_backend *backend,
                    const struct weir_open *how, struct weir_watched *watched) {
    struct weir_process_io io;
    weir_process_io_read(&io);
    weir_process_io_since(&watched->io, &io);
    watched->io = io;
    MPI_Barrier(job->node_comm);
    if (can_look(backend, how, watched) && looks_afterwards(job, how)) {
        weir_page_cache_look(how->path, &watched->after);
    }
    if (first_on_node(job) && (backend->traits & WEIR_STORES) != 0) {
        weir_medium_of(how->path, &watched->medium);
    }
    if (watched->llite.instance[0] != '\0') {
        struct weir_llite llite;
        weir_llite_read(&watched->medium, &llite);
        weir_llite_since(&watched->llite, &llite);
        watched->llite = llite;
    }
}

static void gather_llite(const struct weir_job *job, const struct weir_watched *mine,
                         struct weir_watched *all) {
    struct weir_llite *nodes = NULL;
    size_t bytes = sizeof mine->llite;
    if (!first_on_node(job)) {
        return;
    }
    if (job->nodes == 1) {
        all->llite = mine->llite;
        return;
    }
    if (job->rank == 0) {
        nodes = calloc((size_t)job->nodes, bytes);
    }
    MPI_Gather(&mine->llite, (int)bytes, MPI_BYTE, nodes, (int)bytes, MPI_BYTE, 0, job->leaders);
    for (int i = 0; nodes != NULL && i < job->nodes; i++) {
        weir_llite_add(&all->llite, &nodes[i]);
    }
    free(nodes);
}

void weir_watched_gather(const struct weir_job *job, const struct weir_watched *mine,
                         struct weir_watched *all) {
    uint64_t here[WEIR_IO_COUNTS + 5], sums[WEIR_IO_COUNTS + 5] = {0};
    const uint64_t others[5] = {mine->io.known, mine->before.sampled_pages, mine->before.resident_pages,
                                mine->after.sampled_pages, mine->after.resident_pages};
    memcpy(here, mine->io.counts, sizeof mine->io.counts);
    memcpy(here + WEIR_IO_COUNTS, others, sizeof others);
    MPI_Reduce(here, sums, WEIR_IO_COUNTS + 5, MPI_UINT64_T, MPI_SUM, 0, job->comm);
    memset(all, 0, sizeof *all);
    gather_llite(job, mine, all);
    all->medium = mine->medium;
    all->no_residency = mine->no_residency;
    all->touched = mine->touched;
    memcpy(all->io.counts, sums, sizeof all->io.counts);
    const uint64_t *rest = sums + WEIR_IO_COUNTS;
    all->io.known = rest[0] == (uint64_t)job->size;
    all->before = (struct weir_residency){rest[1], rest[2]};
    all->after = (struct weir_residency){rest[3], rest[4]};
}
