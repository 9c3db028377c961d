/* What only this personality writes to the document. */
#include "netcdf_bench.h"
#include "requested.h"

static void ncb_geometry(struct weir_json *json, const char *key, const size_t numbers[NCB_DIMS]) {
    char text[100];
    ncb_geometry_text(numbers, text, sizeof text);
    weir_json_text(json, key, numbers[0] != 0 ? text : "contiguous");
}

void ncb_requested(struct weir_json *json, const void *context) {
    const struct ncb_run *run = context;
    const struct ncb_params *a = &run->requested;
    const struct ncb_variable *v = &run->variable;
    bool reads = a->read || !a->write;
    struct weir_requested requested = {
        .test_file = a->test_file,
        .reorder = "constant",
        .access = {a->write ? "write" : NULL, reads ? "read" : NULL},
        .file_per_process = run->file_per_process,
        .xfer_bytes = v->block_bytes,
        .block_bytes = v->block_bytes,
        .segments = v->across[0] * v->across[1] * v->across[2] * v->across[3],
        .stonewall_s = a->stonewall_s,
        .wear_out = a->wear_out != 0,
        .sync = a->sync != 0,
        .collective = run->collective,
        .barriers = true,
        .verify_write = a->verify && a->write && !a->read,
        .verify_read = a->verify && reads,
        .keep = true,
    };
    weir_requested_write(json, &run->base, &requested);
    ncb_geometry(json, "geometry", run->data);
    ncb_geometry(json, "block", v->block);
    ncb_geometry(json, "chunk", v->chunk);
    weir_json_integer(json, "nn", a->nodes);
    weir_json_integer(json, "ppn", a->ppn);
    weir_json_bool(json, "fill", a->fill);
    weir_json_bool(json, "unlimited", a->unlimited);
    weir_json_integer(json, "deflate_level", a->deflate_level);
    weir_json_integer(json, "zstd_level", a->zstd_level);
    weir_json_integer(json, "quantize_digits", a->quantize_digits);
    weir_json_bool(json, "shuffle", a->shuffle);
    weir_json_text(json, "format", a->format);
    weir_json_text(json, "type", a->type);
    weir_json_text(json, "values", a->values);
    weir_json_bool(json, "drop_caches", a->drop_caches);
}

/* As the library itself describes the variable in the file. */
void ncb_more(struct weir_json *json, const struct weir_result *result, const void *context) {
    const struct ncb_run *run = context;
    (void)result;
    weir_json_object(json, "stored");
    ncb_geometry(json, "chunk", run->found.chunk);
    weir_json_integer(json, "deflate_level", run->found.deflate_level);
    weir_json_integer(json, "zstd_level", run->found.zstd_level);
    weir_json_integer(json, "quantize_digits", run->found.quantize_digits);
    weir_json_bool(json, "shuffle", run->found.shuffle);
    weir_json_object_end(json);
}
