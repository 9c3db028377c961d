/* The decomposition: rank r has the slab r / ppn of x and the slab r % ppn of y, and all of time and z. */
#include "netcdf_bench.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const axes[NCB_DIMS] = {"t", "x", "y", "z"};

/* t:x:y:z, four positive numbers */
static bool ncb_parse(const char *letter, const char *text, size_t geometry[NCB_DIMS], char *complaint) {
    const char *at = text;
    int count = 0;
    for (;;) {
        char *end;
        errno = 0;
        long long number = *at >= '0' && *at <= '9' ? strtoll(at, &end, 10) : 0;
        REFUSE(number <= 0 || errno != 0 || (*end != ':' && *end != '\0'),
               "-%s=%s: '%.*s' is not a positive number; the form is t:x:y:z", letter, text,
               (int)strcspn(at, ":"), at);
        REFUSE(count == NCB_DIMS, "-%s=%s: more than four numbers; the form is t:x:y:z", letter, text);
        geometry[count++] = (size_t)number;
        if (*end == '\0') {
            break;
        }
        at = end + 1;
    }
    REFUSE(count < NCB_DIMS, "-%s=%s: %d number%s; the form is t:x:y:z", letter, text, count,
           count == 1 ? "" : "s");
    return true;
}

static bool ncb_processes(struct ncb_run *run, char *complaint) {
    struct ncb_params *a = &run->requested;
    const struct weir_job *job = run->base.job;
    REFUSE(a->nodes < 0 || a->ppn < 0, "-n=%lld -p=%lld: nodes and processes per node must be positive",
           (long long)a->nodes, (long long)a->ppn);
    if (a->nodes == 0 && a->ppn == 0) {
        a->nodes = job->nodes;
    }
    if (a->nodes == 0) {
        a->nodes = job->size / a->ppn > 0 ? job->size / a->ppn : 1;
    }
    if (a->ppn == 0) {
        a->ppn = job->size / a->nodes > 0 ? job->size / a->nodes : 1;
    }
    REFUSE(a->nodes > job->size || a->ppn > job->size || a->nodes * a->ppn != job->size,
           "-n=%lld -p=%lld: %d rank%s launched, and n times p must be as many", (long long)a->nodes,
           (long long)a->ppn, job->size, job->size == 1 ? " was" : "s were");
    return true;
}

/* What one rank has of the data, and what of it the block is. */
static bool ncb_shares(struct ncb_run *run, char *complaint) {
    const struct ncb_params *a = &run->requested;
    struct ncb_variable *v = &run->variable;
    size_t nodes = (size_t)a->nodes, ppn = (size_t)a->ppn;
    REFUSE(run->data[1] % nodes != 0, "-d=%s: x must be a multiple of the nodes, %zu", a->data, nodes);
    REFUSE(run->data[2] % ppn != 0, "-d=%s: y must be a multiple of the processes per node, %zu", a->data,
           ppn);
    size_t share[NCB_DIMS] = {run->data[0], run->data[1] / nodes, run->data[2] / ppn, run->data[3]};
    size_t automatic[NCB_DIMS] = {1, share[1], share[2], share[3]};
    memcpy(v->block, automatic, sizeof automatic);
    if (a->block != NULL && !ncb_parse("b", a->block, v->block, complaint)) {
        return false;
    }
    for (int i = 0; i < NCB_DIMS; i++) {
        REFUSE(share[i] % v->block[i] != 0,
               "-b=%s: the block does not tile what a rank has: %s is %zu there, no multiple of %zu",
               a->block, axes[i], share[i], v->block[i]);
        v->across[i] = share[i] / v->block[i];
        v->dims[i] = run->file_per_process ? share[i] : run->data[i];
    }
    return true;
}

static bool ncb_chunks(struct ncb_run *run, char *complaint) {
    const struct ncb_params *a = &run->requested;
    struct ncb_variable *v = &run->variable;
    if (a->chunk == NULL) {
        return true;
    }
    if (strcmp(a->chunk, "auto") == 0) {
        memcpy(v->chunk, v->block, sizeof v->chunk);
        v->chunk[0] = 1;
    } else if (!ncb_parse("c", a->chunk, v->chunk, complaint)) {
        return false;
    }
    size_t chunk_bytes = v->type->bytes;
    for (int i = 0; i < NCB_DIMS; i++) {
        REFUSE(v->chunk[i] > v->dims[i],
               "-c=%s: the chunk is larger than the variable: %s is %zu in the file", a->chunk, axes[i],
               v->dims[i]);
        REFUSE(__builtin_mul_overflow(chunk_bytes, v->chunk[i], &chunk_bytes) || chunk_bytes > UINT32_MAX,
               "-c=%s: HDF5 takes chunks below 4 GiB only", a->chunk);
    }
    REFUSE(v->dims[0] % v->chunk[0] != 0, "-c=%s: %zu time steps are no multiple of the chunk's", a->chunk,
           v->dims[0]);
    return true;
}

static bool ncb_sizes(struct ncb_run *run, char *complaint) {
    struct ncb_variable *v = &run->variable;
    size_t data_bytes = v->type->bytes, block_bytes = v->type->bytes, sharers = 1;
    for (int i = 0; i < NCB_DIMS; i++) {
        REFUSE(__builtin_mul_overflow(data_bytes, run->data[i], &data_bytes) || data_bytes > INT64_MAX,
               "-d=%s: more bytes than can be counted", run->requested.data);
        block_bytes *= v->block[i];
    }
    sharers = run->file_per_process ? 1 : (size_t)run->base.job->size;
    v->block_bytes = block_bytes;
    v->step_bytes = (uint64_t)block_bytes * v->across[1] * v->across[2] * v->across[3] * sharers;
    return true;
}

bool ncb_geometry_read(struct ncb_run *run, char *complaint) {
    struct ncb_params *a = &run->requested;
    if (!ncb_processes(run, complaint)) {
        return false;
    }
    size_t automatic[NCB_DIMS] = {100, 100 * (size_t)a->nodes, 100 * (size_t)a->ppn, 10};
    memcpy(run->data, automatic, sizeof automatic);
    return (a->data == NULL || ncb_parse("d", a->data, run->data, complaint)) && ncb_shares(run, complaint) &&
           ncb_chunks(run, complaint) && ncb_sizes(run, complaint);
}

struct weir_pattern ncb_pattern(struct ncb_run *run, int owner) {
    struct ncb_variable *v = &run->variable;
    uint64_t of_rank = v->across[1] * v->across[2] * v->across[3];
    bool shared = !run->file_per_process;
    size_t ppn = (size_t)run->requested.ppn, rank = (size_t)owner;
    v->origin[1] = shared ? rank / ppn * v->block[1] * v->across[1] : 0;
    v->origin[2] = shared ? rank % ppn * v->block[2] * v->across[2] : 0;
    return (struct weir_pattern){.first = shared ? (uint64_t)owner * of_rank * v->block_bytes : 0,
                                 .step = v->block_bytes,
                                 .segment_step = v->step_bytes,
                                 .per_segment = of_rank,
                                 .segments = v->across[0]};
}
