/* The table of benchtool, for people. Programs read the document. */
#include "netcdf_bench.h"

#define MIB 1048576.0

static void ncb_line(const char *key, const char *value) {
    printf("%-40s %20s\n", key, value);
}

static void ncb_shape(const char *key, const size_t numbers[NCB_DIMS], size_t value_bytes) {
    char geometry[100], text[140];
    ncb_geometry_text(numbers, geometry, sizeof geometry);
    snprintf(text, sizeof text, "%s x %zu", geometry, value_bytes);
    printf("%-40s %20s %-20s\n", key, text, "bytes");
}

static void ncb_size(const char *key, const size_t numbers[NCB_DIMS], size_t value_bytes) {
    static const char *const units[] = {"", "k", "M", "G", "T", "P", "E"};
    size_t bytes = value_bytes * numbers[0] * numbers[1] * numbers[2] * numbers[3];
    double scaled = (double)bytes;
    int unit = 0;
    while (scaled >= 1000 && unit < 6) {
        scaled /= 1000;
        unit++;
    }
    printf("%-40s %20zu %-20s (%.1f %sB)\n", key, bytes, "bytes", scaled, units[unit]);
}

void ncb_table_begin(const void *own) {
    const struct ncb_run *run = own;
    const struct ncb_params *a = &run->requested;
    const struct ncb_variable *v = &run->variable;
    bool chunked = v->chunk[0] != 0;
    printf("weir-io %s netcdf-bench: the table of benchtool (datatype: %s, format: %s)\n", WEIR_VERSION,
           a->type, a->format);
    ncb_shape("Data geometry (t:x:y:z x sizeof(type))", run->data, v->type->bytes);
    ncb_shape("Block geometry (t:x:y:z x sizeof(type))", v->block, v->type->bytes);
    if (chunked) {
        ncb_shape("Chunk geometry (t:x:y:z x sizeof(type))", v->chunk, v->type->bytes);
    }
    ncb_size("Datasize", run->data, v->type->bytes);
    ncb_size("Blocksize", v->block, v->type->bytes);
    if (chunked) {
        ncb_size("Chunksize", v->chunk, v->type->bytes);
    }
    ncb_line("I/O Access", run->collective ? "collective" : "independent");
    ncb_line("Storage", chunked ? "chunked" : "contiguous");
    ncb_line("File length", a->unlimited ? "unlimited" : "fixed");
    ncb_line("Fill value", a->fill ? "yes" : "no");
    fflush(stdout);
}

static struct ncb_spread netcdf_bench_table_spread(const struct ncb_run *run, double value) {
    struct ncb_spread all = {0};
    MPI_Reduce(&value, &all.min, 1, MPI_DOUBLE, MPI_MIN, 0, run->base.job->comm);
    MPI_Reduce(&value, &all.mean, 1, MPI_DOUBLE, MPI_SUM, 0, run->base.job->comm);
    MPI_Reduce(&value, &all.max, 1, MPI_DOUBLE, MPI_MAX, 0, run->base.job->comm);
    all.mean /= run->base.job->size;
    return all;
}

/* benchtool has a barrier at the end of each phase: a rank's phase lasts until the last rank is done. */
static double ncb_until_the_last(const struct ncb_run *run, const struct weir_step *step) {
    uint64_t stop_ns = step->stop_ns;
    MPI_Allreduce(MPI_IN_PLACE, &stop_ns, 1, MPI_UINT64_T, MPI_MAX, run->base.job->comm);
    return (double)(stop_ns - step->start_ns) * 1e-9;
}

struct ncb_times ncb_times(const struct ncb_run *run) {
    const struct weir_measure *m = &run->base.measure;
    double open_s = ncb_until_the_last(run, &m->open);
    double io_s = ncb_until_the_last(run, &m->io);
    double close_s = ncb_until_the_last(run, &m->close);
    uint64_t moved = m->moved_bytes;
    MPI_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_UINT64_T, MPI_SUM, run->base.job->comm);
    double mib = (double)moved / MIB, all_s = open_s + io_s + close_s;
    return (struct ncb_times){.open_s = netcdf_bench_table_spread(run, open_s),
                              .io_s = netcdf_bench_table_spread(run, io_s),
                              .close_s = netcdf_bench_table_spread(run, close_s),
                              .io_mib_s = netcdf_bench_table_spread(run, io_s > 0 ? mib / io_s : 0),
                              .all_mib_s = netcdf_bench_table_spread(run, all_s > 0 ? mib / all_s : 0)};
}

static void ncb_row(const char *access, const char *what, const struct ncb_spread *s, const char *unit) {
    char name[40];
    snprintf(name, sizeof name, "benchmark:%s", access);
    printf("%-20s %-40s %20.10f %20.10f %20.10f %-20s\n", name, what, s->min, s->mean, s->max, unit);
}

void ncb_table_result(const struct weir_result *result, const struct ncb_times *times) {
    printf("%-20s %-40s %20s %20s %20s\n", "", "", "min", "avg", "max");
    ncb_row(result->access, "Open time", &times->open_s, "secs");
    ncb_row(result->access, "I/O time", &times->io_s, "secs");
    ncb_row(result->access, "Close time", &times->close_s, "secs");
    ncb_row(result->access, "I/O Performance (w/o open/close)", &times->io_mib_s, "MiB/s");
    ncb_row(result->access, "I/O Performance", &times->all_mib_s, "MiB/s");
    if (result->moved_bytes != result->requested_bytes) {
        printf("stonewall: %llu of %llu bytes moved\n", (unsigned long long)result->moved_bytes,
               (unsigned long long)result->requested_bytes);
    }
    fflush(stdout);
}
