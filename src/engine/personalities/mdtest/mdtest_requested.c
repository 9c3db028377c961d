/* What was requested, and what mdtest adds to each result, as the document has it. */
#include "mdtest.h"

void mdtest_requested(struct weir_json *json, const void *context) {
    const struct mdtest_run *run = context;
    const struct mdtest_params *a = &run->requested;
    const char *const accesses[] = {
        a->create ? "create" : NULL, a->stat ? "stat" : NULL, a->read && a->files ? "read" : NULL,
        a->rename && a->directories ? "rename" : NULL, a->remove ? "remove" : NULL};
    const char *const items[] = {a->directories ? "directory" : NULL, a->files ? "file" : NULL};
    weir_json_text(json, "api", run->base.backend->name);
    weir_json_text(json, "test_file", a->directory);
    weir_json_integer(json, "iterations", a->iterations);
    weir_json_texts(json, "access", accesses, 5);
    weir_json_texts(json, "items", items, 2);
    weir_json_text(json, "directories", a->unique_dir ? "own" : "shared");
    weir_json_count(json, "items_per_rank", run->items);
    weir_json_count(json, "items_per_directory", run->shape.per_dir);
    weir_json_integer(json, "branches", a->branches);
    weir_json_integer(json, "depth", a->depth);
    weir_json_bool(json, "leaf_only", a->leaf_only);
    weir_json_bool(json, "shared_file", a->shared_file);
    weir_json_bool(json, "make_node", a->make_node);
    weir_json_integer(json, "write_bytes", a->write_bytes);
    weir_json_integer(json, "read_bytes", a->read_bytes);
    weir_json_integer(json, "shift_ranks", a->shift);
    weir_json_number(json, "stonewall_s", a->stonewall_s);
    weir_json_bool(json, "wear_out", a->stonewall_s > 0);
    weir_json_text(json, "status_file", a->status_file);
    weir_json_text(json, "order", a->random ? "random" : "sequential");
    weir_json_integer(json, "random_seed", a->random_seed);
    weir_json_bool(json, "sync_file", a->sync_file);
    weir_json_bool(json, "sync", a->flush);
    weir_json_bool(json, "direct", a->direct);
    weir_json_bool(json, "verify_write", a->verify_write);
    weir_json_bool(json, "verify_read", a->verify_read);
    weir_json_text(json, "data", weir_payload_kind_name(run->packet));
    weir_json_integer(json, "signature", a->signature);
    weir_hints_write(json, &run->base.hints);
}

void mdtest_more(struct weir_json *json, const struct weir_result *result, const void *context) {
    static const char *const items[] = {"directory", "file", "tree"};
    const struct mdtest_run *run = context;
    long index = result - run->base.document.results;
    weir_json_text(json, "item", items[run->notes[index].item]);
    weir_json_count(json, "requested_operations", run->notes[index].requested_items);
    const struct mdtest_entries *entries = &run->notes[index].entries;
    if (entries->sampled > 0) {
        weir_json_object(json, "entries");
        weir_json_count(json, "sampled", entries->sampled);
        weir_json_count(json, "there", entries->there);
        weir_json_count(json, "cached_files", entries->cached_files);
        weir_json_count(json, "unwritten_bytes", entries->unwritten_bytes);
        weir_json_object_end(json);
    }
}
