/* What was requested, as the document has it. */
#include "ior.h"
#include "requested.h"

void ior_requested(struct weir_json *json, const void *context) {
    const struct ior_run *run = context;
    const struct ior_params *a = &run->requested;
    struct weir_requested requested = {
        .test_file = a->test_file,
        .reorder = a->reorder_constant ? "constant"
                   : a->reorder_random ? "random"
                                       : NULL,
        .access = {a->write ? "write" : NULL, a->read || a->verify_read ? "read" : NULL},
        .file_per_process = a->file_per_process != 0,
        .random = a->random != 0,
        .xfer_bytes = (uint64_t)a->xfer_bytes,
        .block_bytes = (uint64_t)a->block_bytes,
        .segments = (uint64_t)a->segments,
        .stonewall_s = a->stonewall_s,
        .wear_out = a->wear_out != 0,
        .sync = a->sync != 0,
        .collective = a->collective != 0,
        .direct = a->direct != 0,
        .barriers = a->barriers != 0,
        .verify_write = a->verify_write != 0,
        .verify_read = a->verify_read != 0,
        .keep = a->keep != 0,
    };
    weir_requested_write(json, &run->base, &requested);
    weir_json_text(json, "data", weir_payload_kind_name(run->packet));
    weir_json_integer(json, "compress_percent", a->control.compress_percent);
    weir_json_integer(json, "dedupe_percent", a->control.dedupe_percent);
    weir_json_integer(json, "rate", a->rate);
    weir_json_integer(json, "inter_io_delay_us", a->rest_us);
    weir_json_integer(json, "rw_mix", a->read_percent);
    weir_json_bool(json, "random_twice", a->random > 1);
    weir_json_number(json, "zipf", a->zipf);
    weir_json_text(json, "distribution", a->distribution);
    weir_json_bool(json, "file_view", a->file_view);
    weir_json_bool(json, "multi_file", a->multi_file);
    weir_json_bool(json, "sync_each", a->sync_each);
    weir_json_integer(json, "prefill_bytes", a->prefill_bytes);
    weir_json_integer(json, "signature", a->signature);
    weir_json_integer(json, "memory_bytes", ior_memory_bytes(run));
    weir_json_bool(json, "dry_run", a->dry_run);
    weir_json_bool(json, "drop_caches", a->drop_caches);
    weir_json_bool(json, "read_again", a->read_again);
    weir_json_integer(json, "random_seed", a->random_seed);
    weir_json_integer(json, "reorder_seed", a->reorder_seed);
}
