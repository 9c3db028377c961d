/* Counters of the system, read before a phase, again and again while it runs, and after it. They are kept in
 * memory until all is measured: nothing is written while something is timed. */
#include "closing.h"
#include "io_model.h"
#include "words.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define COLUMNS_MAX 512
#define SOURCES_MAX 16
#define ABSENT      INT64_MIN

struct source {
    char path[512];
    char label[64];
    const char *const *only; /* the names that matter, NULL: all */
    bool device;             /* numbers without names, as the kernel documents them for block devices */
};

struct row {
    char access[8];
    int iteration;
    double time_s;
    int64_t values[COLUMNS_MAX];
};

struct iom_sampler {
    struct source sources[SOURCES_MAX];
    int source_count;
    char columns[COLUMNS_MAX][96];
    int column_count;
    struct row *rows;
    size_t row_count;
    bool lost; /* no memory for a row */
    /* the phase that runs */
    const char *access;
    int iteration;
    uint64_t begin_ns;
    double every_s;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    bool running, over;
};

static const char *const memory_names[] = {"Buffers", "Cached", "Dirty", "Writeback", NULL};
static const char *const device_names[] = {"read_ios",  "read_merges",  "read_sectors",     "read_ticks_ms",
                                           "write_ios", "write_merges", "write_sectors",    "write_ticks_ms",
                                           "in_flight", "io_ticks_ms",  "time_in_queue_ms", NULL};

bool iom_counters_check(const struct iom_run *run, char *complaint) {
    const struct iom_params *requested = &run->requested;
    char list[2048], path[512];
    bool more =
        requested->counters != NULL || (requested->device != NULL && strcmp(requested->device, "") != 0);
    REFUSE(more && requested->samples == NULL,
           "--counters and a device need --samples PREFIX, where the samples go");
    REFUSE(requested->device != NULL && strchr(requested->device, '/') != NULL,
           "--device %s: the name without /dev/, as in /sys/block", requested->device);
    if (!weir_job_first_on_node(run->base.job)) {
        return true;
    }
    if (requested->device != NULL) {
        snprintf(path, sizeof path, "/sys/block/%s/stat", requested->device);
        REFUSE(access(path, R_OK) != 0, "--device %s: %s: %s; ls /sys/block shows the devices",
               requested->device, path, strerror(errno));
    }
    if (requested->counters == NULL) {
        return true;
    }
    snprintf(list, sizeof list, "%s", requested->counters);
    char *rest = list;
    int count = 0;
    for (char *item = strsep(&rest, ","); item != NULL; item = strsep(&rest, ","), count++) {
        WEIR_FILE *file = strlen(item) < 500 ? fopen(item, "r") : NULL;
        REFUSE(file == NULL || count >= SOURCES_MAX - 3, "--counters %s: %s", item,
               file != NULL ? "more files than can be sampled" : strerror(errno));
    }
    return true;
}

static void iom_add_source(struct iom_sampler *sampler, const char *path, const char *label,
                           const char *const *only, bool device) {
    struct source *source = &sampler->sources[sampler->source_count];
    int same = 0;
    for (int i = 0; i < sampler->source_count; i++) {
        same += strncmp(sampler->sources[i].label, label, strlen(label)) == 0;
    }
    snprintf(source->path, sizeof source->path, "%s", path);
    if (same > 0) {
        snprintf(source->label, sizeof source->label, "%.50s%d", label, same + 1);
    } else {
        snprintf(source->label, sizeof source->label, "%.60s", label);
    }
    source->only = only;
    source->device = device;
    sampler->source_count++;
}

/* What belongs to the node is sampled by its first rank only. */
static void iom_find_sources(struct iom_run *run, struct iom_sampler *sampler) {
    const struct iom_params *a = &run->requested;
    iom_add_source(sampler, "/proc/self/io", "self", NULL, false);
    if (!weir_job_first_on_node(run->base.job)) {
        return;
    }
    iom_add_source(sampler, "/proc/meminfo", "meminfo", memory_names, false);
    if (a->device != NULL) {
        char path[512];
        snprintf(path, sizeof path, "/sys/block/%s/stat", a->device);
        iom_add_source(sampler, path, "blockdev", NULL, true);
    }
    char list[2048];
    snprintf(list, sizeof list, "%s", a->counters != NULL ? a->counters : "");
    char *rest = list;
    for (char *item = strsep(&rest, ","); item != NULL && item[0] != '\0'; item = strsep(&rest, ",")) {
        const char *slash = strrchr(item, '/');
        iom_add_source(sampler, item, slash != NULL ? slash + 1 : item, NULL, false);
    }
}

static int iom_column_of(struct iom_sampler *sampler, const char *label, const char *name,
                         const char *suffix) {
    char column[96];
    snprintf(column, sizeof column, "%s_%.24s%s", label, name, suffix);
    for (char *at = column; *at != '\0'; at++) {
        *at = *at == ',' || *at == '"' || *at == ' ' ? '_' : *at;
    }
    for (int i = 0; i < sampler->column_count; i++) {
        if (strcmp(sampler->columns[i], column) == 0) {
            return i;
        }
    }
    if (sampler->column_count == COLUMNS_MAX) {
        return -1;
    }
    memcpy(sampler->columns[sampler->column_count], column, sizeof column);
    return sampler->column_count++;
}

static void iom_keep(struct iom_sampler *sampler, struct row *row, const struct source *source,
                     const char *name, const char *suffix, int64_t value) {
    int column = iom_column_of(sampler, source->label, name, suffix);
    if (column >= 0) {
        row->values[column] = value;
    }
}

static bool iom_matters(const struct source *source, const char *name) {
    return source->only == NULL || weir_place_of(name, source->only) >= 0;
}

/* "name: 12", "name 12", and Lustre's "name 12 samples [unit] least greatest sum". */
static void iom_read_line(struct iom_sampler *sampler, struct row *row, const struct source *source,
                          char *line) {
    char name[64], unit[32];
    long long value, least, greatest, sum;
    int got = sscanf(line, " %63[^: \t\n]%*[: \t]%lld samples %31s %lld %lld %lld", name, &value, unit,
                     &least, &greatest, &sum);
    if (got < 2 || !iom_matters(source, name)) {
        return;
    }
    iom_keep(sampler, row, source, name, "", value);
    if (got == 6) {
        iom_keep(sampler, row, source, name, "_sum", sum);
    }
}

static void iom_read_device(struct iom_sampler *sampler, struct row *row, const struct source *source,
                            char *line) {
    char *at = line;
    for (int i = 0; device_names[i] != NULL; i++) {
        char *end;
        long long value = strtoll(at, &end, 10);
        if (end == at) {
            return;
        }
        iom_keep(sampler, row, source, device_names[i], "", value);
        at = end;
    }
}

static void iom_sample(struct iom_sampler *sampler) {
    struct row *rows = realloc(sampler->rows, sizeof *rows * (sampler->row_count + 1));
    if (rows == NULL) {
        sampler->lost = true;
        return;
    }
    sampler->rows = rows;
    struct row *row = &rows[sampler->row_count++];
    snprintf(row->access, sizeof row->access, "%s", sampler->access);
    row->iteration = sampler->iteration;
    row->time_s = (double)(weir_clock_ns() - sampler->begin_ns) * 1e-9;
    for (int i = 0; i < COLUMNS_MAX; i++) {
        row->values[i] = ABSENT;
    }
    for (int i = 0; i < sampler->source_count; i++) {
        char line[512];
        const struct source *source = &sampler->sources[i];
        WEIR_FILE *file = fopen(source->path, "re");
        while (file != NULL && fgets(line, sizeof line, file) != NULL) {
            (source->device ? iom_read_device : iom_read_line)(sampler, row, source, line);
        }
    }
}

static void *iom_sample_on(void *context) {
    struct iom_sampler *sampler = context;
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    pthread_mutex_lock(&sampler->mutex);
    while (!sampler->over) {
        int64_t ns = until.tv_nsec + (int64_t)(sampler->every_s * 1e9);
        until.tv_sec += ns / 1000000000;
        until.tv_nsec = ns % 1000000000;
        int status = 0;
        while (!sampler->over && status != ETIMEDOUT) {
            status = pthread_cond_timedwait(&sampler->wake, &sampler->mutex, &until);
        }
        if (!sampler->over) {
            iom_sample(sampler);
        }
    }
    pthread_mutex_unlock(&sampler->mutex);
    return NULL;
}

static struct iom_sampler *iom_new_sampler(struct iom_run *run) {
    struct iom_sampler *sampler = calloc(1, sizeof *sampler);
    pthread_condattr_t attributes;
    if (sampler == NULL) {
        return NULL;
    }
    sampler->every_s = run->requested.sample_s;
    iom_find_sources(run, sampler);
    pthread_mutex_init(&sampler->mutex, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&sampler->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    return sampler;
}

bool iom_counters_start(struct iom_run *run, const char *access, int iteration) {
    if (run->requested.samples == NULL) {
        return true;
    }
    if (run->sampler == NULL) {
        run->sampler = iom_new_sampler(run);
    }
    struct iom_sampler *sampler = run->sampler;
    if (sampler == NULL) {
        return false;
    }
    sampler->access = access;
    sampler->iteration = iteration;
    sampler->over = false;
    sampler->begin_ns = weir_clock_ns();
    iom_sample(sampler);
    sampler->running = pthread_create(&sampler->thread, NULL, iom_sample_on, sampler) == 0;
    return sampler->running;
}

void iom_counters_stop(struct iom_run *run) {
    struct iom_sampler *sampler = run->sampler;
    if (sampler == NULL || !sampler->running) {
        return;
    }
    pthread_mutex_lock(&sampler->mutex);
    sampler->over = true;
    pthread_cond_signal(&sampler->wake);
    pthread_mutex_unlock(&sampler->mutex);
    pthread_join(sampler->thread, NULL);
    sampler->running = false;
    iom_sample(sampler);
}

void iom_counters_write(struct iom_run *run) {
    struct iom_sampler *sampler = run->sampler;
    char name[1024];
    if (sampler == NULL) {
        return;
    }
    snprintf(name, sizeof name, "%s-%d.csv", run->requested.samples, run->base.job->rank);
    FILE *file = fopen(name, "we");
    if (file == NULL) {
        weir_problem_set(&run->base.problem, "fopen", name, errno, NULL, "for --samples");
        return;
    }
    fprintf(file, "access,iteration,time_s");
    for (int i = 0; i < sampler->column_count; i++) {
        fprintf(file, ",%s", sampler->columns[i]);
    }
    fprintf(file, "\n");
    for (size_t i = 0; i < sampler->row_count; i++) {
        const struct row *row = &sampler->rows[i];
        fprintf(file, "%s,%d,%.6f", row->access, row->iteration, row->time_s);
        for (int j = 0; j < sampler->column_count; j++) {
            fprintf(file, ",");
            if (row->values[j] != ABSENT) {
                fprintf(file, "%lld", (long long)row->values[j]);
            }
        }
        fprintf(file, "\n");
    }
    bool bad = ferror(file) != 0 || sampler->lost;
    if (fclose(file) != 0 || bad) {
        weir_problem_set(&run->base.problem, "fclose", name, errno, NULL, "for --samples");
    }
}

void iom_counters_free(struct iom_run *run) {
    if (run->sampler != NULL) {
        pthread_mutex_destroy(&run->sampler->mutex);
        pthread_cond_destroy(&run->sampler->wake);
        free(run->sampler->rows);
        free(run->sampler);
        run->sampler = NULL;
    }
}
