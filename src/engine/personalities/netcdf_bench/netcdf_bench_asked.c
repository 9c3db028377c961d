/* What the document says beyond what all personalities say. */
#include "netcdf_bench.h"

static void geometry(struct weir_json *json, const char *key, const size_t numbers[NCB_DIMS]) {
    char text[100];
    ncb_geometry_text(numbers, text, sizeof text);
    weir_json_text(json, key, numbers[0] != 0 ? text : "contiguous");
}

static void common(struct weir_json *json, const struct ncb_run *run) {
    const struct ncb_params *a = &run->asked;
    const struct ncb_variable *v = &run->variable;
    weir_json_text(json, "api", run->format->name);
    weir_json_text(json, "layout", run->file_per_process ? "file-per-process" : "shared");
    weir_json_text(json, "order", "sequential");
    weir_json_count(json, "xfer_bytes", v->block_bytes);
    weir_json_count(json, "block_bytes", v->block_bytes);
    weir_json_count(json, "segments", v->across[0] * v->across[1] * v->across[2] * v->across[3]);
    weir_json_integer(json, "iterations", a->iterations);
    weir_json_number(json, "stonewall_s", a->stonewall_s);
    weir_json_bool(json, "wear_out", a->wear_out);
    weir_json_bool(json, "sync", a->sync);
    weir_json_bool(json, "collective", run->collective);
    weir_json_bool(json, "direct", false);
    weir_json_bool(json, "barriers", true);
    weir_json_text(json, "reorder", "constant");
    weir_json_bool(json, "verify_write", a->verify && a->write && !a->read);
    weir_json_bool(json, "verify_read", a->verify && (a->read || !a->write));
    weir_json_bool(json, "keep", true);
    weir_json_text(json, "test_file", a->test_file);
}

void ncb_asked(struct weir_json *json, const void *context) {
    const struct ncb_run *run = context;
    const struct ncb_params *a = &run->asked;
    const struct ncb_variable *v = &run->variable;
    common(json, run);
    weir_json_list(json, "access");
    if (a->write) {
        weir_json_text(json, NULL, "write");
    }
    if (a->read || !a->write) {
        weir_json_text(json, NULL, "read");
    }
    weir_json_list_end(json);
    weir_json_object(json, "hints");
    for (int i = 0; i < run->hints.count; i++) {
        weir_json_text(json, run->hints.list[i].key, run->hints.list[i].value);
    }
    weir_json_object_end(json);
    geometry(json, "geometry", run->data);
    geometry(json, "block", v->block);
    geometry(json, "chunk", v->chunk);
    weir_json_integer(json, "nn", a->nodes);
    weir_json_integer(json, "ppn", a->ppn);
    weir_json_bool(json, "fill", a->fill);
    weir_json_bool(json, "unlimited", a->unlimited);
    weir_json_integer(json, "deflate_level", a->deflate_level);
    weir_json_bool(json, "shuffle", a->shuffle);
    weir_json_text(json, "format", a->format);
    weir_json_text(json, "type", a->type);
    weir_json_bool(json, "drop_caches", a->drop_caches);
}

/* As the library itself describes the variable in the file. */
void ncb_more(struct weir_json *json, const struct weir_result *result, const void *context) {
    const struct ncb_run *run = context;
    (void)result;
    weir_json_object(json, "stored");
    geometry(json, "chunk", run->found.chunk);
    weir_json_integer(json, "deflate_level", run->found.deflate_level);
    weir_json_bool(json, "shuffle", run->found.shuffle);
    weir_json_object_end(json);
}
