#include "asked.h"

void weir_asked_write(struct weir_json *json, const struct weir_asked *asked) {
    weir_json_text(json, "api", asked->api);
    weir_json_text(json, "layout", asked->file_per_process ? "file-per-process" : "shared");
    weir_json_text(json, "order", asked->random ? "random" : "sequential");
    weir_json_count(json, "xfer_bytes", asked->xfer_bytes);
    weir_json_count(json, "block_bytes", asked->block_bytes);
    weir_json_count(json, "segments", asked->segments);
    weir_json_integer(json, "iterations", asked->iterations);
    weir_json_number(json, "stonewall_s", asked->stonewall_s);
    weir_json_bool(json, "wear_out", asked->wear_out);
    weir_json_bool(json, "sync", asked->sync);
    weir_json_bool(json, "collective", asked->collective);
    weir_json_bool(json, "direct", asked->direct);
    weir_json_bool(json, "barriers", asked->barriers);
    weir_json_text(json, "reorder", asked->reorder != NULL ? asked->reorder : "none");
    weir_json_bool(json, "verify_write", asked->verify_write);
    weir_json_bool(json, "verify_read", asked->verify_read);
    weir_json_bool(json, "keep", asked->keep);
    weir_json_text(json, "test_file", asked->test_file);
    weir_json_list(json, "access");
    for (int i = 0; i < WEIR_ASKED_ACCESSES && asked->access[i] != NULL; i++) {
        weir_json_text(json, NULL, asked->access[i]);
    }
    weir_json_list_end(json);
    weir_hints_write(json, asked->hints);
}
