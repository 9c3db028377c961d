#include "result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double result_seconds(const struct weir_step *step) {
    return (double)(step->stop_ns - step->start_ns) * 1e-9;
}

/* First start and last stop of each step; a step that no rank took lasts 0. */
static void result_spans(const struct weir_job *job, const struct weir_measure *measure,
                         struct weir_result *result) {
    const struct weir_step *steps[4] = {&measure->open, &measure->io, &measure->sync, &measure->close};
    uint64_t starts[4], stops[4];
    for (int i = 0; i < 4; i++) {
        starts[i] = steps[i]->stop_ns != 0 ? steps[i]->start_ns : UINT64_MAX;
        stops[i] = steps[i]->stop_ns;
    }
    uint64_t first[4], last[4];
    MPI_Reduce(starts, first, 4, MPI_UINT64_T, MPI_MIN, 0, job->comm);
    MPI_Reduce(stops, last, 4, MPI_UINT64_T, MPI_MAX, 0, job->comm);
    if (job->rank != 0) {
        return;
    }
    double *spans_s[4] = {&result->open_s, &result->io_s, &result->sync_s, &result->close_s};
    for (int i = 0; i < 4; i++) {
        *spans_s[i] = last[i] != 0 ? (double)(last[i] - first[i]) * 1e-9 : 0;
    }
    result->total_s = (double)(last[3] - first[0]) * 1e-9;
    result->clock_doubt_s = (double)job->doubt_ns * 1e-9;
}

static void result_extremes(const struct weir_job *job, const struct weir_measure *measure,
                            struct weir_result *result) {
    struct {
        double value;
        int rank;
    } mine[WEIR_EXTREMES], low[WEIR_EXTREMES], high[WEIR_EXTREMES];
    memset(mine, 0, sizeof mine);
    mine[WEIR_EXTREME_OPEN].value = result_seconds(&measure->open);
    mine[WEIR_EXTREME_IO].value = result_seconds(&measure->io);
    mine[WEIR_EXTREME_SYNC].value = result_seconds(&measure->sync);
    mine[WEIR_EXTREME_CLOSE].value = result_seconds(&measure->close);
    mine[WEIR_EXTREME_MOVED].value = (double)measure->moved_bytes;
    for (int i = 0; i < WEIR_EXTREMES; i++) {
        mine[i].rank = job->rank;
    }
    MPI_Reduce(mine, low, WEIR_EXTREMES, MPI_DOUBLE_INT, MPI_MINLOC, 0, job->comm);
    MPI_Reduce(mine, high, WEIR_EXTREMES, MPI_DOUBLE_INT, MPI_MAXLOC, 0, job->comm);
    for (int i = 0; job->rank == 0 && i < WEIR_EXTREMES; i++) {
        result->extremes[i] = (struct weir_extreme){low[i].value, low[i].rank, high[i].value, high[i].rank};
    }
}

static void result_latencies(const struct weir_job *job, const struct weir_measure *measure,
                             struct weir_histogram *all, struct weir_latency *latency) {
    struct {
        double value;
        int rank;
    } mine = {(double)measure->io.stop_ns, job->rank}, last = {0, 0};
    bool root = job->rank == 0;
    MPI_Reduce(&mine, &last, 1, MPI_DOUBLE_INT, MPI_MAXLOC, 0, job->comm);
    /* count, sum and buckets add up; min and max do not */
    MPI_Reduce(root ? MPI_IN_PLACE : &all->min_ns, &all->min_ns, 1, MPI_UINT64_T, MPI_MIN, 0, job->comm);
    MPI_Reduce(root ? MPI_IN_PLACE : &all->max_ns, &all->max_ns, 1, MPI_UINT64_T, MPI_MAX, 0, job->comm);
    MPI_Reduce(root ? MPI_IN_PLACE : &all->count, &all->count, 1, MPI_UINT64_T, MPI_SUM, 0, job->comm);
    MPI_Reduce(root ? MPI_IN_PLACE : &all->sum_ns, &all->sum_ns, 1, MPI_UINT64_T, MPI_SUM, 0, job->comm);
    MPI_Reduce(root ? MPI_IN_PLACE : all->buckets, all->buckets, WEIR_HISTOGRAM_BUCKETS, MPI_UINT64_T,
               MPI_SUM, 0, job->comm);
    if (!root) {
        return;
    }
    latency->count = all->count;
    latency->slowest_rank = last.rank;
    if (all->count == 0) {
        return;
    }
    latency->min_us = (double)all->min_ns * 1e-3;
    latency->mean_us = (double)all->sum_ns * 1e-3 / (double)all->count;
    latency->p50_us = (double)weir_histogram_quantile_ns(all, 0.5) * 1e-3;
    latency->p90_us = (double)weir_histogram_quantile_ns(all, 0.9) * 1e-3;
    latency->p99_us = (double)weir_histogram_quantile_ns(all, 0.99) * 1e-3;
    latency->p999_us = (double)weir_histogram_quantile_ns(all, 0.999) * 1e-3;
    latency->max_us = (double)all->max_ns * 1e-3;
    latency->buckets = malloc(sizeof *latency->buckets * WEIR_HISTOGRAM_BUCKETS);
    for (unsigned i = 0; latency->buckets != NULL && i < WEIR_HISTOGRAM_BUCKETS; i++) {
        if (all->buckets[i] != 0) {
            latency->buckets[latency->bucket_count++] =
                (struct weir_bucket){weir_histogram_upper_ns(i), all->buckets[i]};
        }
    }
    struct weir_bucket *fitted =
        realloc(latency->buckets, sizeof *latency->buckets * (size_t)(latency->bucket_count + 1));
    latency->buckets = fitted != NULL ? fitted : latency->buckets;
}

static void result_stonewall(const struct weir_job *job, const struct weir_phase *phase,
                             const struct weir_measure *measure, struct weir_result *result) {
    uint64_t high[3] = {measure->wall_hit, measure->wall_ns, measure->wall_operations};
    uint64_t all_high[3];
    MPI_Reduce(high, all_high, 3, MPI_UINT64_T, MPI_MAX, 0, job->comm);
    MPI_Reduce(&measure->wall_operations, &result->wall_pairs_min, 1, MPI_UINT64_T, MPI_MIN, 0, job->comm);
    if (job->rank != 0) {
        return;
    }
    result->walled = phase->stonewall_s > 0;
    result->wear_out = phase->wear_out;
    result->wall_hit = all_high[0] != 0;
    result->wall_s = (double)all_high[1] * 1e-9;
    result->wall_pairs_max = all_high[2];
}

static void result_totals(const struct weir_job *job, const struct weir_phase *phase,
                          struct weir_measure *measure, struct weir_result *result) {
    const struct {
        const uint64_t *mine;
        uint64_t *all;
    } totals[] = {{&measure->moved_bytes, &result->moved_bytes},
                  {&measure->operations, &result->operations},
                  {&measure->sync_calls, &result->sync_calls},
                  {&measure->retries, &result->retries},
                  {&measure->wall_bytes, &result->wall_bytes},
                  {&measure->stored.bytes, &result->file_bytes},
                  {&measure->cpu_ns, &result->cpu_ns},
                  {&measure->traced, &result->traced},
                  {&measure->dropped, &result->dropped},
                  {&measure->stored.denied_holes, &result->denied_holes},
                  {&measure->stored.late_sizes, &result->late_sizes},
                  {&measure->looked, &result->looked},
                  {&measure->differing, &result->differing}};
    double least_s =
        measure->operations > 0 ? result_seconds(&measure->io) / (double)measure->operations : 1e300;
    enum { COUNT = sizeof totals / sizeof totals[0] };
    uint64_t mine[COUNT], all[COUNT] = {0};
    int flags = 0;
    for (int i = 0; i < COUNT; i++) {
        mine[i] = *totals[i].mine;
    }
    MPI_Reduce(mine, all, COUNT, MPI_UINT64_T, MPI_SUM, 0, job->comm);
    MPI_Reduce(&least_s, &result->rank_latency_s, 1, MPI_DOUBLE, MPI_MIN, 0, job->comm);
    MPI_Reduce(&measure->observed.open_flags, &flags, 1, MPI_INT, MPI_BAND, 0, job->comm);
    if (job->rank != 0) {
        return;
    }
    for (int i = 0; i < COUNT; i++) {
        *totals[i].all = all[i];
    }
    result->requested_bytes = phase->requested_bytes;
    result->observed.open_flags = flags;
    result->observed.hints = measure->observed.hints;
    result->observed.queue = measure->observed.queue;
    measure->observed.hints = (struct weir_hints){0};
    result->bw_mib_s = result->total_s > 0 ? (double)result->moved_bytes / result->total_s / 1048576.0 : 0;
    result->ops_s = result->io_s > 0 ? (double)result->operations / result->io_s : 0;
}

static void result_gather_layouts(const struct weir_job *job, const struct weir_file_layout *mine,
                                  struct weir_result *result) {
    result->layout_counts = weir_file_layouts_gather(job, mine);
    if (result->layout_counts != NULL && mine->source != NULL) {
        result->file_layout = malloc(sizeof *mine);
    }
    if (result->file_layout != NULL) {
        *result->file_layout = *mine;
    }
}

/* Where a later pass is quicker than the first, caches below this machine answer. */
static void result_passes(const struct weir_job *job, const struct weir_phase *phase,
                          const struct weir_measure *measure, struct weir_result *result) {
    const struct weir_passes *mine = &measure->passes;
    uint64_t operations = 0, first_ns = 0;
    if (phase->forget == NULL) {
        return;
    }
    MPI_Reduce(&mine->first_operations, &operations, 1, MPI_UINT64_T, MPI_SUM, 0, job->comm);
    MPI_Reduce(&mine->first_ns, &first_ns, 1, MPI_UINT64_T, MPI_MAX, 0, job->comm);
    result->passes = mine->count;
    result->first_pass_bytes = operations * phase->payload->bytes;
    result->first_pass_s = (double)first_ns * 1e-9;
    result->rests_s = (double)mine->rests_ns * 1e-9;
}

void weir_result_gather(const struct weir_job *job, const struct weir_phase *phase,
                        struct weir_measure *measure, struct weir_result *result) {
    memset(result, 0, sizeof *result);
    result->iteration = phase->iteration;
    snprintf(result->access, sizeof result->access, "%s", phase->name);
    snprintf(result->began, sizeof result->began, "%s", measure->began);
    result_spans(job, measure, result);
    result_extremes(job, measure, result);
    result_latencies(job, measure, &measure->latency, &result->latency);
    if (phase->pace.operations_s > 0) {
        result_latencies(job, measure, &measure->service, &result->service);
    }
    result_stonewall(job, phase, measure, result);
    result_totals(job, phase, measure, result);
    result_passes(job, phase, measure, result);
    weir_timeline_gather(job->comm, &measure->timeline, measure->io.start_ns, measure->io.stop_ns,
                         &result->timeline);
    weir_watched_gather(job, &measure->watched, &result->watched);
    weir_payload_sample_take(job, phase, &result->payload);
    result_gather_layouts(job, &measure->file_layout, result);
}

uint64_t weir_result_verify(const struct weir_job *job, const char *path, const struct weir_verify *verify,
                            struct weir_result *result) {
    uint64_t mine[2] = {verify->checked_bytes, verify->errors};
    uint64_t all[2];
    int first = verify->errors > 0 ? job->rank : job->size;
    MPI_Allreduce(mine, all, 2, MPI_UINT64_T, MPI_SUM, job->comm);
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, job->comm);
    struct weir_verdict *verdict = &result->verify;
    struct weir_verdict found = {
        true, 0, 0, job->rank, "", verify->first_offset, verify->first_expected, verify->first_found};
    snprintf(found.path, sizeof found.path, "%s", path);
    if (first < job->size && first != 0) {
        if (job->rank == first) {
            MPI_Send(&found, sizeof found, MPI_BYTE, 0, 0, job->comm);
        } else if (job->rank == 0) {
            MPI_Recv(&found, sizeof found, MPI_BYTE, first, 0, job->comm, MPI_STATUS_IGNORE);
        }
    }
    if (job->rank == 0) {
        bool earlier = verdict->requested && verdict->errors > 0;
        uint64_t checked = verdict->checked_bytes + all[0];
        uint64_t errors = verdict->errors + all[1];
        if (!earlier) {
            *verdict = found;
            verdict->rank = first < job->size ? first : -1;
        }
        verdict->checked_bytes = checked;
        verdict->errors = errors;
    }
    return all[1];
}

void weir_result_free(struct weir_result *result) {
    free(result->latency.buckets);
    free(result->service.buckets);
    free(result->file_layout);
    free(result->layout_counts);
    weir_hints_free(&result->observed.hints);
}
