#include "watch.h"
#include "clock.h"
#include "cpu_waits.h"
#include "host_clock.h"
#include "pauses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct weir_mounts watch_mounts = WEIR_MOUNTS_UNREAD;

static bool watch_can_look(const struct weir_backend *backend, const struct weir_open *how,
                           const struct weir_watched *watched) {
    return !watched->no_residency && how->access == WEIR_READ && (backend->traits & WEIR_STORES) != 0;
}

/* What a write left unwritten, once all ranks of the node have closed. */
static void watch_unwritten(const struct weir_backend *backend, const struct weir_open *how,
                            struct weir_watched *watched) {
    bool stores = (backend->traits & WEIR_STORES) != 0;
    if (how->access == WEIR_WRITE && stores && !watched->no_residency && !watched->directory) {
        weir_cachestat_add(how->path, &watched->unwritten);
    }
}

/* The page cache is the node's: of a shared file one look a node is enough. */
static bool watch_looks_afterwards(const struct weir_job *job, const struct weir_open *how) {
    int sharers;
    MPI_Comm_size(how->comm, &sharers);
    return sharers == 1 || weir_job_first_on_node(job);
}

#define CLOSE_NS   10000u   /* nothing came between two readings */
#define TELLING_NS 1000000u /* the least time that shows a clock that runs wrong by a percent */

/* The same moment by both clocks; again where the process was interrupted between them. What is returned is
 * how far apart the two readings may be all the same: a guest or a busy node may interrupt each attempt. */
static uint64_t watch_read_clocks(uint64_t *clock_ns, uint64_t *raw_ns) {
    uint64_t before, after = 0;
    int attempts = 0;
    do {
        before = weir_raw_clock_ns();
        *clock_ns = weir_clock_ns();
        after = weir_raw_clock_ns();
    } while (after - before > CLOSE_NS && ++attempts < 8);
    *raw_ns = before + (after - before) / 2;
    return (after - before + 1) / 2;
}

static double watch_clock_error(const struct weir_watched *begin) {
    uint64_t clock_ns, raw_ns, apart_ns = watch_read_clocks(&clock_ns, &raw_ns) + begin->apart_ns;
    double clock = (double)(clock_ns - begin->clock_ns), raw = (double)(raw_ns - begin->raw_ns);
    if (raw < TELLING_NS) {
        return -1;
    }
    double off = fabs(clock - raw) - (double)apart_ns;
    return off > 0 ? off / raw : 0;
}

void weir_watch_begin(const struct weir_job *job, const struct weir_backend *backend,
                      const struct weir_open *how, struct weir_watched *watched) {
    *watched = (struct weir_watched){.directory = watched->directory, .no_residency = watched->no_residency};
    if (WEIR_IS_BLIND) {
        return;
    }
    if (job->rank == 0 && how->access == WEIR_READ) {
        weir_server_drop_caches();
    }
    if (weir_job_first_on_node(job) && (backend->traits & WEIR_STORES) != 0) {
        (watched->directory ? weir_medium_of : weir_medium_of_directory)(how->path, &watch_mounts,
                                                                         &watched->medium);
        weir_llite_read(&watched->medium, &watched->llite);
        weir_device_begin(how->path, &watched->medium, &watched->device);
        weir_servers_begin(&watched->medium, &watched->servers);
    }
    watched->in_memory = weir_medium_is_memory(&watched->medium);
    MPI_Bcast(&watched->in_memory, 1, MPI_INT, 0, job->node_comm);
    if (job->rank == 0 && watch_can_look(backend, how, watched)) {
        weir_page_cache_look(how->path, &watched->before);
        watched->touched = true;
    }
    MPI_Barrier(job->comm); /* so that what moves meanwhile is not of these ranks */
    if (weir_job_first_on_node(job)) {
        weir_servers_rest(&watched->medium, &watched->servers);
    }
    watched->servers.cpu_waited_us = watched->servers.any ? weir_cpu_waited_us() : WEIR_SERVERS_UNKNOWN;
    weir_control_group_read(&watched->group);
    watched->paused_ns = weir_pauses_ns();
    watched->apart_ns = watch_read_clocks(&watched->clock_ns, &watched->raw_ns);
    weir_process_io_read(&watched->io);
}

void weir_watch_look_again(const char *path, struct weir_watched *watched) {
    struct weir_residency now, *before = &watched->before;
    if (!watched->touched) {
        return; /* this rank does not look */
    }
    weir_page_cache_look(path, &now);
    if (now.resident_pages * before->sampled_pages > before->resident_pages * now.sampled_pages) {
        *before = now;
    }
}

void weir_watch_end(const struct weir_job *job, const struct weir_backend *backend,
                    const struct weir_open *how, struct weir_watched *watched) {
    struct weir_process_io io;
    struct weir_control_group group;
    if (WEIR_IS_BLIND) {
        return;
    }
    watched->clock_error = watch_clock_error(watched);
    watched->paused_ns = weir_pauses_ns() - watched->paused_ns;
    weir_process_io_read(&io);
    weir_process_io_since(&watched->io, &io);
    watched->io = io;
    weir_control_group_read(&group);
    weir_control_group_since(&watched->group, &group);
    watched->group = group;
    MPI_Barrier(job->node_comm);
    weir_device_end(&watched->device);
    if (weir_job_first_on_node(job)) {
        weir_servers_end(&watched->medium, &watched->servers);
        uint64_t *waited_us = &watched->servers.cpu_waited_us;
        *waited_us =
            *waited_us != WEIR_SERVERS_UNKNOWN ? weir_cpu_waited_us() - *waited_us : WEIR_SERVERS_UNKNOWN;
    }
    if (watch_looks_afterwards(job, how)) {
        watch_unwritten(backend, how, watched);
        if (watch_can_look(backend, how, watched)) {
            weir_page_cache_look(how->path, &watched->after);
        }
    }
    if ((backend->traits & WEIR_STORES) != 0) {
        weir_medium_of(how->path, &watch_mounts, &watched->medium);
    }
    if (watched->llite.instance[0] != '\0') {
        struct weir_llite llite;
        weir_llite_read(&watched->medium, &llite);
        weir_llite_since(&watched->llite, &llite);
        watched->llite = llite;
    }
}

/* Rank 0 gets what each rank of the communicator has, and frees it; the others get NULL. */
static void *watch_gather(const struct weir_job *job, MPI_Comm comm, int count, const void *mine,
                          size_t bytes) {
    void *all = job->rank == 0 ? calloc((size_t)count, bytes) : NULL;
    MPI_Gather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, 0, comm);
    return all;
}

/* What the first ranks of the nodes counted for them. */
static void watch_gather_nodes(const struct weir_job *job, const struct weir_watched *mine,
                               struct weir_watched *all) {
    if (!weir_job_first_on_node(job)) {
        return;
    }
    all->llite = mine->llite;
    all->device = mine->device;
    all->servers = mine->servers;
    if (job->nodes == 1) {
        return;
    }
    struct weir_llite *llites = watch_gather(job, job->leaders, job->nodes, &mine->llite, sizeof mine->llite);
    struct weir_device *devices =
        watch_gather(job, job->leaders, job->nodes, &mine->device, sizeof mine->device);
    struct weir_servers *servers =
        watch_gather(job, job->leaders, job->nodes, &mine->servers, sizeof mine->servers);
    for (int i = 1; llites != NULL && i < job->nodes; i++) {
        weir_llite_add(&all->llite, &llites[i]);
    }
    for (int i = 1; servers != NULL && i < job->nodes; i++) {
        weir_servers_add(&all->servers, &servers[i]);
    }
    if (devices != NULL) {
        weir_device_join(devices, job->nodes, &all->device);
    }
    free(llites);
    free(devices);
    free(servers);
}

static void watch_gather_types(const struct weir_job *job, const struct weir_watched *mine,
                               struct weir_watched *all) {
    char(*types)[WEIR_MEDIUM_TYPE] =
        watch_gather(job, job->comm, job->size, mine->medium.file_system, WEIR_MEDIUM_TYPE);
    for (int rank = 0; types != NULL && rank < job->size; rank++) {
        int at = 0;
        while (at < WEIR_WATCH_TYPES && all->types[at][0] != '\0' &&
               strcmp(all->types[at], types[rank]) != 0) {
            at++;
        }
        if (at < WEIR_WATCH_TYPES) {
            memcpy(all->types[at], types[rank], WEIR_MEDIUM_TYPE);
        }
    }
    free(types);
}

/* Only where a rank has something to tell, which is rare. */
static void watch_gather_groups(const struct weir_job *job, const struct weir_watched *mine,
                                struct weir_watched *all) {
    const struct weir_control_group *own = &mine->group;
    int tells = own->throttled_periods > 0 || own->limit_count > 0, any = 0;
    MPI_Allreduce(&tells, &any, 1, MPI_INT, MPI_LOR, job->comm);
    all->group.known = own->known;
    if (!any) {
        return;
    }
    struct weir_control_group *ranks = watch_gather(job, job->comm, job->size, own, sizeof *own);
    for (int rank = 0; ranks != NULL && rank < job->size; rank++) {
        weir_control_group_join(&ranks[rank], &all->group);
    }
    free(ranks);
}

/* Each rank may be bound to a processor of its own, or all of them to one. */
static void watch_gather_processors(const struct weir_job *job, struct weir_watched *all) {
    struct weir_processors own, node = {{0}};
    unsigned here[2];
    int ranks = 0;
    weir_processors_read(&own);
    MPI_Reduce(own.words, node.words, WEIR_PROCESSORS_WORDS, MPI_UINT64_T, MPI_BOR, 0, job->node_comm);
    if (!weir_job_first_on_node(job)) {
        return;
    }
    MPI_Comm_size(job->node_comm, &ranks);
    here[0] = (unsigned)ranks;
    here[1] = weir_processors_count(&node);
    unsigned *nodes = watch_gather(job, job->leaders, job->nodes, here, sizeof here);
    for (int i = 0; nodes != NULL && i < job->nodes; i++) {
        unsigned count = nodes[2 * i], allowed = nodes[2 * i + 1];
        if (i == 0 || (uint64_t)count * all->processors > (uint64_t)all->ranks * allowed) {
            all->ranks = count;
            all->processors = allowed;
        }
    }
    free(nodes);
}

/* Adds up all ranks; both hold numbers of 64 bits and nothing else. */
static void watch_sum(const struct weir_job *job, const void *mine, void *all, size_t bytes) {
    MPI_Reduce(mine, all, (int)(bytes / sizeof(uint64_t)), MPI_UINT64_T, MPI_SUM, 0, job->comm);
}

void weir_watched_gather(const struct weir_job *job, const struct weir_watched *mine,
                         struct weir_watched *all) {
    memset(all, 0, sizeof *all);
    watch_sum(job, mine->io.counts, all->io.counts, sizeof mine->io.counts);
    watch_sum(job, &mine->before, &all->before, sizeof mine->before);
    watch_sum(job, &mine->after, &all->after, sizeof mine->after);
    watch_sum(job, &mine->unwritten, &all->unwritten, sizeof mine->unwritten);
    MPI_Reduce(&mine->io.known, &all->io.known, 1, MPI_C_BOOL, MPI_LAND, 0, job->comm);
    watch_gather_nodes(job, mine, all);
    watch_gather_types(job, mine, all);
    watch_gather_groups(job, mine, all);
    if (!WEIR_IS_BLIND) {
        watch_gather_processors(job, all);
    }
    MPI_Reduce(&mine->clock_error, &all->clock_error, 1, MPI_DOUBLE, MPI_MAX, 0, job->comm);
    MPI_Reduce(&mine->paused_ns, &all->paused_ns, 1, MPI_UINT64_T, MPI_MAX, 0, job->comm);
    all->medium = mine->medium;
    all->no_residency = mine->no_residency;
    all->touched = mine->touched;
}
