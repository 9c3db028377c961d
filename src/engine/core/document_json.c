/* The layout of the document; docs/engine/document.md and config/schemas/engine.schema.yaml describe it. */
#include "clock.h"
#include "document.h"

#include <fcntl.h>
#include <math.h>
#include <string.h>

static void document_write_ranks(struct weir_json *json, const struct weir_job *job) {
    weir_json_list(json, "ranks_per_host");
    for (int i = 0; i < job->nodes; i++) {
        weir_json_integer(json, NULL, job->ranks_per_host[i]);
    }
    weir_json_list_end(json);
}

static void document_write_job(struct weir_json *json, const struct weir_document *document) {
    const struct weir_job *job = document->job;
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(library, &length);
    library[strcspn(library, "\n")] = '\0';
    weir_json_object(json, "job");
    weir_json_integer(json, "tasks", job->size);
    weir_json_integer(json, "nodes", job->nodes);
    weir_json_integer(json, "tasks_per_node", job->tasks_on_node0);
    weir_json_list(json, "hosts");
    for (int i = 0; i < job->nodes; i++) {
        weir_json_text(json, NULL, job->hosts[i]);
    }
    weir_json_list_end(json);
    document_write_ranks(json, job);
    weir_json_text(json, "mpi_library", library);
    weir_json_bool(json, "warmed_up", document->warmed_up);
    weir_json_text(json, "clock", weir_clock_name());
    weir_json_number(json, "clock_resolution_ns", weir_clock_resolution_ns());
    weir_interposed_write(json, document->interposed);
    weir_json_object_end(json);
}

static void document_write_extremes(struct weir_json *json, const struct weir_result *result) {
    static const char *const names[WEIR_EXTREMES] = {"open_s", "io_s", "sync_s", "close_s", "moved_bytes"};
    weir_json_object(json, "rank_extremes");
    for (int i = 0; i < WEIR_EXTREMES; i++) {
        const struct weir_extreme *extreme = &result->extremes[i];
        weir_json_object(json, names[i]);
        weir_json_number(json, "min", extreme->min);
        weir_json_integer(json, "min_rank", extreme->min_rank);
        weir_json_number(json, "max", extreme->max);
        weir_json_integer(json, "max_rank", extreme->max_rank);
        weir_json_object_end(json);
    }
    weir_json_object_end(json);
}

static void document_write_stonewall(struct weir_json *json, const struct weir_result *result) {
    if (!weir_json_object_known(json, "stonewall", result->walled)) {
        return;
    }
    weir_json_bool(json, "hit", result->wall_hit);
    weir_json_number(json, "time_s", result->wall_s);
    weir_json_count(json, "moved_bytes", result->wall_bytes);
    weir_json_count(json, "pairs_min", result->wall_pairs_min);
    weir_json_count(json, "pairs_max", result->wall_pairs_max);
    weir_json_bool(json, "wear_out", result->wear_out);
    weir_json_object_end(json);
}

static void document_write_latency(struct weir_json *json, const char *key,
                                   const struct weir_latency *latency) {
    weir_json_object(json, key);
    weir_json_count(json, "count", latency->count);
    const char *keys[] = {"min_us", "mean_us", "p50_us", "p90_us", "p99_us", "p999_us", "max_us"};
    const double values[] = {latency->min_us, latency->mean_us, latency->p50_us, latency->p90_us,
                             latency->p99_us, latency->p999_us, latency->max_us};
    for (int i = 0; i < 7; i++) {
        weir_json_number(json, keys[i], latency->count > 0 ? values[i] : NAN);
    }
    weir_json_integer(json, "slowest_rank", latency->slowest_rank);
    weir_json_list(json, "buckets");
    for (int i = 0; i < latency->bucket_count; i++) {
        weir_json_pair(json, (double)latency->buckets[i].upper_ns * 1e-3, latency->buckets[i].count);
    }
    weir_json_list_end(json);
    weir_json_object_end(json);
}

static void document_write_verify(struct weir_json *json, const struct weir_verdict *verify) {
    if (!weir_json_object_known(json, "verify", verify->requested)) {
        return;
    }
    weir_json_count(json, "checked_bytes", verify->checked_bytes);
    weir_json_count(json, "errors", verify->errors);
    if (weir_json_object_known(json, "first_error", verify->errors > 0)) {
        char word[32];
        weir_json_integer(json, "rank", verify->rank);
        weir_json_text(json, "path", verify->path);
        weir_json_count(json, "offset", verify->offset);
        snprintf(word, sizeof word, "0x%016llx", (unsigned long long)verify->expected);
        weir_json_text(json, "expected", word);
        snprintf(word, sizeof word, "0x%016llx", (unsigned long long)verify->found);
        weir_json_text(json, "found", word);
        weir_json_object_end(json);
    }
    weir_json_object_end(json);
}

static void document_write_flags(struct weir_json *json, int flags) {
    static const struct {
        int bit;
        const char *name;
    } names[] = {
        {O_APPEND, "O_APPEND"}, {O_DIRECT, "O_DIRECT"}, {O_DSYNC, "O_DSYNC"}, {O_NONBLOCK, "O_NONBLOCK"}};
    weir_json_list(json, "open_flags");
    if (flags >= 0) {
        int mode = flags & O_ACCMODE;
        weir_json_text(json, NULL, mode == O_RDONLY ? "O_RDONLY" : mode == O_WRONLY ? "O_WRONLY" : "O_RDWR");
        for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
            if ((flags & names[i].bit) == names[i].bit) {
                weir_json_text(json, NULL, names[i].name);
            }
        }
    }
    weir_json_list_end(json);
    weir_json_bool(json, "direct", flags >= 0 && (flags & O_DIRECT) != 0);
}

static void document_write_observed(struct weir_json *json, const struct weir_result *result,
                                    const struct weir_job *job) {
    weir_json_object(json, "observed");
    document_write_flags(json, result->observed.open_flags);
    weir_json_count(json, "sync_calls", result->sync_calls);
    weir_json_count(json, "retries", result->retries);
    if (result->passes > 0) {
        weir_json_object(json, "passes");
        weir_json_count(json, "count", result->passes);
        weir_json_count(json, "first_bytes", result->first_pass_bytes);
        weir_json_number(json, "first_s", result->first_pass_s);
        weir_json_number(json, "rests_s", result->rests_s);
        weir_json_object_end(json);
    }
    const struct weir_queue_observed *queue = &result->observed.queue;
    if (queue->interface != NULL) {
        weir_json_object(json, "queue");
        weir_json_text(json, "interface", queue->interface);
        weir_json_count(json, "depth", queue->depth);
        weir_json_bool(json, "registered_buffers", queue->registered);
        weir_json_object_end(json);
    }
    if (result->cpu_ns > 0) {
        weir_json_number(json, "cpu_s", (double)result->cpu_ns * 1e-9);
    }
    if (result->traced + result->dropped > 0) {
        weir_json_object(json, "trace");
        weir_json_count(json, "records", result->traced);
        weir_json_count(json, "dropped", result->dropped);
        weir_json_object_end(json);
    }
    weir_hints_write(json, &result->observed.hints);
    document_write_ranks(json, job);
    weir_document_write_observed(json, result);
    weir_json_object_end(json);
}

void weir_document_write_result(struct weir_json *json, const struct weir_document *document,
                                const struct weir_result *result) {
    weir_json_object(json, NULL);
    weir_json_text(json, "access", result->access);
    weir_json_integer(json, "iteration", result->iteration);
    weir_json_text(json, "began", result->began);
    weir_json_number(json, "open_s", result->open_s);
    weir_json_number(json, "io_s", result->io_s);
    weir_json_number(json, "sync_s", result->sync_s);
    weir_json_number(json, "close_s", result->close_s);
    weir_json_number(json, "total_s", result->total_s);
    weir_json_number(json, "bw_mib_s", result->bw_mib_s);
    weir_json_number(json, "ops_s", result->ops_s);
    weir_json_count(json, "requested_bytes", result->requested_bytes);
    weir_json_count(json, "moved_bytes", result->moved_bytes);
    weir_json_count(json, "file_bytes", result->file_bytes);
    weir_json_count(json, "operations", result->operations);
    document_write_stonewall(json, result);
    document_write_extremes(json, result);
    document_write_latency(json, "latency", &result->latency);
    if (result->service.count > 0) {
        document_write_latency(json, "service", &result->service);
    }
    weir_document_write_timeline(json, result);
    document_write_verify(json, &result->verify);
    document_write_observed(json, result, document->job);
    if (document->more != NULL) {
        document->more(json, result, document->context);
    }
    weir_json_object_end(json);
}

static void document_write_problem(struct weir_json *json, const struct weir_problem *problem) {
    char line[2048];
    weir_problem_sentence(problem, 0, line, sizeof line);
    weir_json_object(json, NULL);
    weir_json_integer(json, "rank", problem->rank);
    weir_json_text(json, "call", problem->call);
    weir_json_text(json, "path", problem->path);
    weir_json_integer(json, "errno", problem->errnum);
    weir_json_text(json, "error", problem->error);
    weir_json_text(json, "text", line);
    weir_json_object_end(json);
}

void weir_document_write_head(struct weir_json *json, const struct weir_document *document) {
    const struct weir_job *job = document->job;
    weir_json_object(json, NULL);
    weir_json_integer(json, "schema", 1);
    weir_json_text(json, "program", "weir-io");
    weir_json_text(json, "version", WEIR_VERSION);
    weir_json_text(json, "personality", document->personality);
    weir_json_text(json, "began", document->began);
    weir_json_texts(json, "command_line", (const char *const *)job->command_line, job->argument_count);
    weir_json_object(json, "requested");
    document->requested(json, document->context);
    weir_json_object_end(json);
    document_write_job(json, document);
    weir_json_list(json, "results");
}

void weir_document_write_tail(struct weir_json *json, const struct weir_problem *problems, int count,
                              bool done) {
    char ended[40];
    weir_clock_iso8601(ended);
    weir_json_list_end(json);
    weir_json_list(json, "errors");
    for (int i = 0; i < count; i++) {
        document_write_problem(json, &problems[i]);
    }
    weir_json_list_end(json);
    weir_json_text(json, "status", done ? "done" : "failed");
    weir_json_text(json, "ended", ended);
    weir_json_object_end(json);
}
