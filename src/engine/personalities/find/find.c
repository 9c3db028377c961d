/* The walk: all ranks work for a while, then share what waits, until nothing waits anywhere. */
#include "find.h"

#include "clock.h"
#include "personality.h"

#include <errno.h>
#include <sys/stat.h>

/* Rounds are short while work changes hands and longer while it does not. */
#define SHORTEST_NS 500000u
#define LONGEST_NS  8000000u

static void find_requested(struct weir_json *json, const void *context) {
    const struct find_run *run = context;
    const struct find_params *a = &run->requested;
    weir_json_text(json, "api", "POSIX");
    weir_json_text(json, "test_file", a->directory);
    weir_json_integer(json, "iterations", 1);
    weir_json_list(json, "access");
    weir_json_text(json, NULL, "find");
    weir_json_list_end(json);
    weir_json_text(json, "name", a->name);
    weir_json_known_count(json, "size_bytes", run->size_bytes >= 0, (uint64_t)run->size_bytes);
    weir_json_text(json, "newer", a->newer);
    weir_json_integer(json, "queue", a->queue);
    weir_json_integer(json, "make_files", a->make_files);
    weir_json_integer(json, "make_directories", a->make_directories);
    weir_json_integer(json, "make_bytes", a->make_bytes);
    weir_json_number(json, "stonewall_s", 0);
    weir_json_bool(json, "wear_out", false);
    weir_json_bool(json, "sync", false);
    weir_json_bool(json, "direct", false);
    weir_json_bool(json, "verify_write", false);
    weir_json_bool(json, "verify_read", false);
    weir_hints_write(json, &run->base.hints);
}

static void find_more(struct weir_json *json, const struct weir_result *result, const void *context) {
    const struct find_run *run = context;
    const struct find_counts *all = &run->all;
    uint64_t made = (uint64_t)run->requested.make_files * (uint64_t)run->base.job->size;
    (void)result;
    weir_json_text(json, "item", "file");
    weir_json_count(json, "found", all->found);
    weir_json_known_count(json, "requested_operations", made > 0, made);
    weir_json_count(json, "directories_read", all->directories);
    weir_json_count(json, "entries", all->entries);
    weir_json_count(json, "unknown_types", all->unknown_types);
    weir_json_count(json, "items_given", all->given);
}

/* Before the clock starts: what the files are compared with, and whether there is a tree at all. */
static bool find_prepare(void *own) {
    struct find_run *run = own;
    struct stat facts;
    if (run->requested.newer != NULL && stat(run->requested.newer, &facts) != 0) {
        weir_problem_set(&run->base.problem, "stat", run->requested.newer, errno, NULL, "for -newer");
    } else if (run->requested.newer != NULL) {
        run->newer_than = facts.st_mtim;
    }
    if (run->base.job->rank == 0 && !find_push(&run->queue, 'd', run->requested.directory, "")) {
        weir_problem_set(&run->base.problem, "malloc", run->requested.directory, ENOMEM, NULL, "%s", "");
    }
    return weir_run_settle(&run->base) && find_make(run);
}

static void find_walk(struct find_run *run) {
    uint64_t round_ns = SHORTEST_NS;
    bool moved = false;
    do {
        find_work(run, weir_clock_ns() + round_ns);
        uint64_t longer_ns = 2 * round_ns < LONGEST_NS ? 2 * round_ns : LONGEST_NS;
        if (find_share(run, &moved) == 0) {
            return;
        }
        round_ns = moved ? SHORTEST_NS : longer_ns;
    } while (true);
}

static void find_measure(struct find_run *run) {
    const struct weir_backend *posix = weir_backend_find("POSIX");
    struct weir_measure *measure = &run->base.measure;
    weir_phase_begin_names(run->base.job, posix, run->requested.directory, measure);
    find_walk(run);
    weir_phase_end_names(run->base.job, posix, run->requested.directory, measure);
    measure->operations = run->counts.files;
}

/* As pfind prints it: what was found of how many files. */
static void find_tell(const struct find_run *run, double seconds) {
    const struct find_counts *all = &run->all;
    if (run->base.job->rank != 0) {
        return;
    }
    printf("[DONE] rate: %.3f kiops time: %.3fs found: %llu (scanned %llu files, scanned dirents: %llu, "
           "unknown dirents: %llu, errors: %llu)\nMATCHED %llu/%llu\n",
           seconds > 0 ? (double)all->files / seconds / 1e3 : 0.0, seconds, (unsigned long long)all->found,
           (unsigned long long)all->files, (unsigned long long)all->entries,
           (unsigned long long)all->unknown_types, (unsigned long long)all->failures,
           (unsigned long long)all->found, (unsigned long long)all->files);
    fflush(stdout);
}

static bool find_iterate(void *own, int iteration) {
    struct find_run *run = own;
    struct weir_phase phase = {.name = "find", .iteration = iteration};
    struct weir_result result;
    find_measure(run);
    MPI_Reduce(&run->counts, &run->all, sizeof run->counts / sizeof(uint64_t), MPI_UINT64_T, MPI_SUM, 0,
               run->base.job->comm);
    fflush(stdout);
    MPI_Barrier(run->base.job->comm); /* names of all ranks stand before the sum */
    weir_problem_count(&run->base.problem, run->counts.failures);
    bool well = weir_run_settle(&run->base);
    weir_result_gather(run->base.job, &phase, &run->base.measure, &result);
    find_tell(run, run->base.job->rank == 0 ? result.io_s : 0);
    if (well) {
        weir_document_add(&run->base.document, &result);
    } else if (run->base.job->rank == 0) {
        weir_result_free(&result);
    }
    return well;
}

static void find_release(void *own) {
    struct find_run *run = own;
    find_queue_free(&run->queue);
}

static struct weir_personality find = {
    .name = "find",
    .summary = "files of a tree by name, size and age, found by all ranks together",
    .help = find_help,
    .frame = {.run_bytes = sizeof(struct find_run),
              .options = find_options_read,
              .requested = find_requested,
              .more = find_more,
              .prepare = find_prepare,
              .iterate = find_iterate,
              .release = find_release},
};

WEIR_PERSONALITY(find)
