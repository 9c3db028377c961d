#include "requested.h"

void weir_requested_write(struct weir_json *json, const struct weir_run *run,
                          const struct weir_requested *requested) {
    weir_json_text(json, "api", run->backend->name);
    weir_json_text(json, "layout", requested->file_per_process ? "file-per-process" : "shared");
    weir_json_text(json, "order", requested->random ? "random" : "sequential");
    weir_json_count(json, "xfer_bytes", requested->xfer_bytes);
    weir_json_count(json, "block_bytes", requested->block_bytes);
    weir_json_count(json, "segments", requested->segments);
    weir_json_integer(json, "iterations", run->iterations);
    weir_json_number(json, "stonewall_s", requested->stonewall_s);
    weir_json_bool(json, "wear_out", requested->wear_out);
    weir_json_bool(json, "sync", requested->sync);
    weir_json_bool(json, "collective", requested->collective);
    weir_json_bool(json, "direct", requested->direct);
    weir_json_bool(json, "barriers", requested->barriers);
    weir_json_text(json, "reorder", requested->reorder != NULL ? requested->reorder : "none");
    weir_json_bool(json, "verify_write", requested->verify_write);
    weir_json_bool(json, "verify_read", requested->verify_read);
    weir_json_bool(json, "warm_up", !run->common.no_warm_up);
    weir_json_bool(json, "keep", requested->keep);
    weir_json_text(json, "test_file", requested->test_file);
    weir_json_texts(json, "access", requested->access, WEIR_REQUESTED_ACCESSES);
    weir_hints_write(json, &run->hints);
}
