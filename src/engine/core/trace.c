#include "trace.h"

#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct trace_head {
    char magic[8];
    uint32_t rank, record_bytes;
};

/* Before the records of each phase. */
struct trace_phase {
    char name[16], item[16];
    uint64_t iteration, count, dropped;
};

static int trace_put(const struct weir_trace *trace, const void *memory, size_t bytes,
                     struct weir_problem *problem) {
    const unsigned char *at = memory;
    while (bytes > 0) {
        ssize_t written = write(trace->descriptor, at, bytes);
        if (written < 0 && errno != EINTR) {
            return weir_problem_set(problem, "write", trace->path, errno, NULL, "the trace");
        }
        at += written > 0 ? written : 0;
        bytes -= written > 0 ? (size_t)written : 0;
    }
    return 0;
}

int weir_trace_begin(struct weir_trace *trace, const char *path, int rank, int64_t records,
                     struct weir_problem *problem) {
    struct trace_head head = {"weirtrc1", (uint32_t)rank, sizeof(struct weir_trace_record)};
    if (path == NULL) {
        return 0;
    }
    snprintf(trace->path, sizeof trace->path, "%s.%d", path, rank);
    size_t bytes = (size_t)records * sizeof *trace->records;
    trace->records = malloc(bytes);
    if (trace->records == NULL) {
        return weir_problem_set(problem, "malloc", trace->path, ENOMEM, NULL, "%zu bytes for the trace",
                                bytes);
    }
    memset(trace->records, 0xff, bytes); /* else the first operations would wait for their pages */
    trace->descriptor = open(trace->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0664);
    if (trace->descriptor < 0) {
        weir_problem_set(problem, "open", trace->path, errno, NULL, "the trace");
        free(trace->records);
        trace->records = NULL;
        return -1;
    }
    trace->capacity = (uint64_t)records;
    return trace_put(trace, &head, sizeof head, problem);
}

int weir_trace_write(struct weir_trace *trace, const char *phase, const char *item, int iteration,
                     int64_t ahead_ns, struct weir_problem *problem) {
    struct trace_phase head = {
        .iteration = (uint64_t)iteration, .count = trace->count, .dropped = trace->dropped};
    if (trace->records == NULL) {
        return 0;
    }
    snprintf(head.name, sizeof head.name, "%s", phase);
    snprintf(head.item, sizeof head.item, "%s", item);
    for (uint64_t i = 0; i < trace->count; i++) {
        struct weir_trace_record *record = &trace->records[i];
        uint64_t duration_ns = weir_clock_ns_of(record->stop - record->start);
        uint64_t since_ns = weir_clock_ns_of(record->start - weir_clock.begin_ticks);
        record->start = (uint64_t)((int64_t)(weir_clock.begin_ns + since_ns) + ahead_ns);
        record->stop = duration_ns;
    }
    size_t bytes = (size_t)trace->count * sizeof *trace->records;
    trace->count = trace->dropped = 0;
    return trace_put(trace, &head, sizeof head, problem) != 0
               ? -1
               : trace_put(trace, trace->records, bytes, problem);
}

int weir_trace_end(struct weir_trace *trace, struct weir_problem *problem) {
    if (trace->records == NULL) {
        return 0;
    }
    free(trace->records);
    trace->records = NULL;
    trace->capacity = 0;
    return close(trace->descriptor) == 0
               ? 0
               : weir_problem_set(problem, "close", trace->path, errno, NULL, "the trace");
}
