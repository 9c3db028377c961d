/* The netcdf-bench personality: benchtool's command line and decomposition, on weir's mechanism. */
#pragma once

#include "run.h"
#include "variable.h"

struct ncb_params {
    const char *data, *block, *chunk; /* as given, NULL: not given */
    const char *io_type, *test_file, *output, *format, *type, *values;
    const char *hint; /* shown in the help only: hints may be given more than once */
    int64_t nodes, ppn, deflate_level, zstd_level, quantize_digits, iterations;
    double stonewall_s;
    int write, read, verify, unlimited, fill, shuffle, wear_out, sync, drop_caches;
};

/* Everything of one run on one rank. */
struct ncb_run {
    struct weir_run base;
    struct ncb_params requested;
    bool by_position;
    bool collective, file_per_process;
    size_t data[NCB_DIMS]; /* of all ranks */
    struct ncb_variable variable;
    struct ncb_found found;
    struct weir_payload payload;
    uint64_t
        *written; /* operations of each rank in the last write, where a stonewall may have cut it short */
    char path[1024];
};

/* Times as benchtool counts them: from each rank's start to the last rank's stop. */
struct ncb_spread {
    double min, mean, max;
};

struct ncb_times {
    struct ncb_spread open_s, io_s, close_s, io_mib_s, all_mib_s;
};

/* netcdf_bench_options.c: false with one sentence. */
bool ncb_options_read(void *run, int argc, char **argv, char *complaint);
void ncb_help(void);

/* netcdf_bench_geometry.c: false with one sentence. */
bool ncb_geometry_read(struct ncb_run *run, char *complaint);
/* The blocks of the rank whose data is accessed. */
struct weir_pattern ncb_pattern(struct ncb_run *run, int owner);

/* netcdf_bench_requested.c */
void ncb_requested(struct weir_json *json, const void *context);
void ncb_more(struct weir_json *json, const struct weir_result *result, const void *context);

/* netcdf_bench_table.c; ncb_times is called by all ranks, before the result is gathered. */
void ncb_table_begin(const void *run);
struct ncb_times ncb_times(const struct ncb_run *run);
void ncb_table_result(const struct weir_result *result, const struct ncb_times *times);
