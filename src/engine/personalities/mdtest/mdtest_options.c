#include "mdtest.h"

#include "backend_options.h"

#include <string.h>

#define AT(member) offsetof(struct mdtest_params, member)

static const struct weir_option options[] = {
    {'a', NULL, NULL, WEIR_TEXT, AT(api), "API", "back end, POSIX unless another is given"},
    {'b', NULL, NULL, WEIR_COUNT, AT(branches), "N", "directories below each directory of the tree [1]"},
    {'C', NULL, NULL, WEIR_FLAG, AT(create), NULL, "only create"},
    {'d', NULL, NULL, WEIR_TEXT, AT(directory), "DIR", "where to measure [./out]"},
    {'D', NULL, NULL, WEIR_FLAG, AT(directories), NULL, "directories only"},
    {'e', NULL, NULL, WEIR_SIZE, AT(read_bytes), "SIZE", "bytes to read of each file [0: open and close]"},
    {'E', NULL, NULL, WEIR_FLAG, AT(read), NULL, "only read"},
    {'f', NULL, NULL, WEIR_COUNT, AT(first_ranks), "N", "with -l: begin with the first N ranks [all]"},
    {'F', NULL, NULL, WEIR_FLAG, AT(files), NULL, "files only"},
    {'G', NULL, NULL, WEIR_COUNT, AT(signature), "N", "signature of the data [the time]"},
    {'i', NULL, NULL, WEIR_COUNT, AT(iterations), "N", "iterations [1]"},
    {'I', NULL, NULL, WEIR_SIZE, AT(items_per_dir), "N", "items of each directory of the tree"},
    {'k', NULL, NULL, WEIR_FLAG, AT(make_node), NULL, "create files by mknod"},
    {'l', NULL, NULL, WEIR_COUNT, AT(last_ranks), "N", "run again with more ranks, up to N [once]"},
    {'L', NULL, NULL, WEIR_FLAG, AT(leaf_only), NULL, "items in the lowest directories only"},
    {'n', NULL, NULL, WEIR_SIZE, AT(items), "N", "items of each rank"},
    {'N', NULL, NULL, WEIR_COUNT, AT(shift), "N",
     "from phase to phase, take the items of the Nth next rank (of the node after, where ranks fill nodes)"},
    {'p', NULL, NULL, WEIR_COUNT, AT(delay_s), "SECONDS", "rest before the phases of each iteration"},
    {'P', NULL, NULL, WEIR_FLAG, AT(rate_and_time), NULL, "print rates and times"},
    {'r', NULL, NULL, WEIR_FLAG, AT(remove), NULL, "only remove"},
    {'R', NULL, NULL, WEIR_FLAG, AT(random), NULL, "stat and read in random order"},
    {'s', NULL, NULL, WEIR_COUNT, AT(step_ranks), "N", "with -l: so many ranks more each time [1]"},
    {'S', NULL, NULL, WEIR_FLAG, AT(shared_file), NULL, "all ranks work on the same files"},
    {'t', NULL, NULL, WEIR_FLAG, AT(time_unique_dir), NULL,
     "time the change to the rank's directory too; paths are absolute, so there is none"},
    {'T', NULL, NULL, WEIR_FLAG, AT(stat), NULL, "only stat"},
    {'u', NULL, NULL, WEIR_FLAG, AT(unique_dir), NULL, "a tree of its own for each rank"},
    {'U', NULL, NULL, WEIR_FLAG, AT(rename), NULL, "rename directories"},
    {'v', NULL, NULL, WEIR_FLAG, AT(verbose), NULL, "print the time of each phase when it has ended"},
    {'V', NULL, NULL, WEIR_COUNT, AT(verbosity), "N", "the same from 1 on [0]"},
    {'w', NULL, NULL, WEIR_SIZE, AT(write_bytes), "SIZE", "bytes to write to each file [0]"},
    {'W', NULL, NULL, WEIR_SECONDS, AT(stonewall_s), "SECONDS",
     "stop to create after this time; then all ranks make as many as the quickest did"},
    {'x', NULL, NULL, WEIR_TEXT, AT(status_file), "FILE",
     "how many files a rank made: written after -C, else read instead of -n"},
    {'X', "verify-read", NULL, WEIR_FLAG, AT(verify_read), NULL, "compare what was read"},
    {'y', NULL, NULL, WEIR_FLAG, AT(sync_file), NULL, "synchronise each file after it was written"},
    {'Y', NULL, NULL, WEIR_FLAG, AT(flush), NULL, "synchronise the file system at the end of each phase"},
    {'z', NULL, NULL, WEIR_COUNT, AT(depth), "N", "levels of the tree below its root [0]"},
    {'Z', NULL, NULL, WEIR_FLAG, AT(time_only), NULL, "print times instead of rates"},
    {0, "verify-write", NULL, WEIR_FLAG, AT(verify_write), NULL, "read back and compare what was written"},
    {0, "random-seed", NULL, WEIR_COUNT, AT(random_seed), "N", "seed of -R [the time]"},
    {0, "dataPacketType", NULL, WEIR_TEXT, AT(packet), "TYPE",
     "data: timestamp, offset, incompressible, random, or their first letters [timestamp]"},
    {0, "posix.odirect", NULL, WEIR_FLAG, AT(direct), NULL, "bypass the page cache (POSIX)"},
    {0, "saveRankPerformanceDetails", NULL, WEIR_TEXT, AT(rank_details), "FILE",
     "rates and times of each rank to a CSV file"},
    {0, "showRankStatistics", NULL, WEIR_FLAG, AT(rank_statistics), NULL,
     "print the spread of the ranks too"},
    {0, "warningAsErrors", NULL, WEIR_FLAG, AT(warnings), NULL, "as it is here always"},
    WEIR_OPTION_END,
};

static const struct weir_option *const tables[] = {options, weir_trace_options, weir_document_options, NULL};

static const struct mdtest_params defaults = {
    .api = "POSIX",
    .directory = "./out",
    .packet = "timestamp",
    .branches = 1,
    .iterations = 1,
    .first_ranks = 1,
    .step_ranks = 1,
    .signature = -1,
};

void mdtest_help(void) {
    printf("weir-io mdtest: the measurements of mdtest 4 by its own options; what is not here is refused.\n\n"
           "Without -C, -T, -E, -r and -U it does all five; without -D and -F both directories and files.\n"
           "Results: tables on stdout, all of it in the JSON. Exit code 0: done. 1: an operation or the\n"
           "verification failed. 2: wrong use.\n\n");
    weir_backend_options_print(tables, true);
}

static bool mdtest_tree_is_sound(const struct mdtest_params *a, char *complaint) {
    REFUSE(a->depth < 0 || a->depth > 64, "-z %lld: between 0 and 64 levels", (long long)a->depth);
    REFUSE(a->branches < 1 || a->branches > 1000000, "-b %lld: at least one branch", (long long)a->branches);
    REFUSE(a->iterations < 1 || a->iterations > 1000000, "-i %lld: between 1 and 1000000 iterations",
           (long long)a->iterations);
    bool both = a->items > 0 && a->items_per_dir > 0;
    REFUSE(both && a->unique_dir,
           "-n with -I and -u: give either the items of a rank or those of a directory");
    REFUSE(both && a->items % a->items_per_dir != 0, "-n %lld: no multiple of the %lld items of -I",
           (long long)a->items, (long long)a->items_per_dir);
    REFUSE(both && a->depth > 0,
           "-n with -I makes a test directory for every -I items; with -z %lld give one of them",
           (long long)a->depth);
    REFUSE(both && (a->stonewall_s > 0 || a->status_file != NULL),
           "-n with -I: the stonewall (-W, -x) works in one directory only");
    REFUSE(a->stonewall_s > 0 && a->depth > 0, "-W with -z %lld: the stonewall works in one directory only",
           (long long)a->depth);
    REFUSE(a->status_file != NULL && a->depth > 0,
           "-x with -z %lld: the stonewall works in one directory only", (long long)a->depth);
    REFUSE(strchr(a->directory, '@') != NULL,
           "-d %s: mdtest takes '@' for a list of directories, which weir-io does not offer", a->directory);
    REFUSE(a->directory[0] == '\0' || strlen(a->directory) > 900, "-d: the name is empty or too long");
    return true;
}

static bool mdtest_request_is_sound(const struct mdtest_params *a, char *complaint) {
    REFUSE(a->shift < 0, "-N %lld: cannot be negative", (long long)a->shift);
    REFUSE(a->delay_s < 0, "-p %lld: the rest cannot be negative", (long long)a->delay_s);
    REFUSE(a->random_seed < 0, "--random-seed %lld: cannot be negative", (long long)a->random_seed);
    REFUSE(a->stonewall_s > 0 && (!a->files || !a->create),
           "-W stops the creation of files: no -D, and -C or no phase at all");
    REFUSE(a->stonewall_s > 0 && a->random, "-R with -W: how many there are to shuffle is not known before");
    REFUSE(a->write_bytes > (1LL << 30) || a->read_bytes > (1LL << 30), "-w, -e: at most 1g");
    REFUSE(a->create && a->read && a->read_bytes > a->write_bytes,
           "-e %lld: no file has more than the %lld bytes of -w", (long long)a->read_bytes,
           (long long)a->write_bytes);
    REFUSE(a->verify_read && (!a->read || a->read_bytes == 0),
           "-X compares what was read: give -E, or no phase at all, and -e");
    REFUSE(a->verify_read && !a->create && a->signature == -1,
           "-X without -C needs -G N, the signature that the files were written with");
    REFUSE(a->verify_read && a->read_bytes != a->write_bytes && a->read_bytes % 8 != 0,
           "-X with -e %lld: a part of a file can be compared in multiples of 8 bytes",
           (long long)a->read_bytes);
    REFUSE(a->verify_write && (!a->create || a->write_bytes == 0),
           "--verify-write reads back what -C wrote: give -w");
    REFUSE(a->sync_file && a->write_bytes == 0, "-y synchronises what was written: give -w");
    REFUSE(a->make_node && (a->write_bytes > 0 || a->shared_file),
           "-k with %s: mknod makes an empty file, once", a->shared_file ? "-S" : "-w");
    REFUSE(a->shared_file && a->directories, "-S shares files, no directories: give -F");
    REFUSE(a->shared_file && a->unique_dir, "-S with -u: what is shared lies in no rank's own directory");
    REFUSE(a->shared_file && (a->verify_read || a->verify_write),
           "-S with %s: all ranks write each file, and whose bytes stay is chance",
           a->verify_read ? "-X" : "--verify-write");
    REFUSE(a->rank_details != NULL && (a->rank_details[0] == '\0' || strlen(a->rank_details) > 900),
           "--saveRankPerformanceDetails: the name is empty or too long");
    return true;
}

static bool mdtest_backend_can(const struct mdtest_run *run, char *complaint) {
    const struct mdtest_params *a = &run->requested;
    const struct weir_backend *b = run->base.backend;
    REFUSE(b->names == NULL, "-a %s: it has no operations on names", b->name);
    REFUSE(a->rename && b->names->rename == NULL, "-U: %s cannot rename", b->name);
    REFUSE(a->make_node && b->names->mknod == NULL, "-k: %s has no mknod", b->name);
    REFUSE(a->flush && b->names->flush == NULL, "-Y: %s cannot synchronise a whole file system", b->name);
    REFUSE(a->sync_file && b->sync == NULL, "-y: %s cannot synchronise", b->name);
    REFUSE(a->direct && !(b->traits & WEIR_DIRECT), "--posix.odirect: %s cannot open a file with O_DIRECT",
           b->name);
    REFUSE((a->verify_read || a->verify_write) && !(b->traits & WEIR_STORES),
           "%s: %s stores nothing that could be compared", a->verify_read ? "-X" : "--verify-write", b->name);
    const int64_t sizes[] = {a->write_bytes, a->read_bytes};
    for (int i = 0; i < 2; i++) {
        struct weir_open how = {.path = a->directory,
                                .direct = a->direct != 0,
                                .hints = &run->base.hints,
                                .settings = run->base.settings,
                                .geometry = {.xfer_bytes = (size_t)sizes[i]}};
        if (!weir_backend_takes(&run->base, &how, complaint)) {
            return false;
        }
    }
    return true;
}

static void mdtest_fill_defaults(struct mdtest_run *run) {
    struct mdtest_params *a = &run->requested;
    if (!a->create && !a->stat && !a->read && !a->rename && !a->remove) {
        a->create = a->stat = a->read = a->remove = 1;
        a->rename = run->base.backend->names != NULL && run->base.backend->names->rename != NULL;
    }
    if (!a->directories && !a->files) {
        a->files = 1;
        a->directories = !a->shared_file;
    }
}

/* -f alone changes nothing, as in mdtest. */
static bool mdtest_ranks_are_sound(struct mdtest_run *run, char *complaint) {
    const struct mdtest_params *a = &run->requested;
    struct mdtest_launch *launch = run->base.launch;
    long long first = (long long)a->first_ranks, last = (long long)a->last_ranks;
    if (last == 0) {
        return true;
    }
    REFUSE(first < 1 || last < first, "-f %lld -l %lld: from at least 1 rank up to as many or more", first,
           last);
    REFUSE(last > run->base.job->size, "-l %lld: %d rank%s launched", last, run->base.job->size,
           run->base.job->size == 1 ? " was" : "s were");
    REFUSE(a->step_ranks < 1, "-s %lld: at least one rank more each time", (long long)a->step_ranks);
    int runs = (int)((a->last_ranks - a->first_ranks) / a->step_ranks + 1);
    REFUSE(runs > 1 && run->base.common.document_file != NULL,
           "--json with %d numbers of ranks: a document holds one run", runs);
    run->number = launch->read++ % runs;
    run->base.tasks = a->first_ranks + run->number * a->step_ranks;
    launch->runs = runs;
    return true;
}

/* What mdtest 4 has and weir-io has not, with the alternative. */
static bool mdtest_is_offered(int argc, char **argv, char *complaint) {
    static const struct {
        const char *name, *reason;
    } absent[] = {
        {"-B", "mdtest 4 itself ends with an error where it is given"},
        {"-c", "rank 0 creates for all; one rank alone with -C and that many times -n does the same"},
        {"--print-all-procs", "--saveRankPerformanceDetails has what each rank did"},
        {"--savePerOpDataCSV", "--trace=FILE has them, and `weir trace` converts it to CSV"},
        {"--run-cmd-before-phase", "run single phases by -C, -T, -E, -r and commands between them"},
        {"--run-cmd-after-phase", "run single phases by -C, -T, -E, -r and commands between them"},
        {"--posix.rangelocks", "no locks are taken"},
    };
    for (int i = 1; i < argc; i++) {
        for (unsigned k = 0; k < sizeof absent / sizeof absent[0]; k++) {
            size_t length = strlen(absent[k].name);
            const char *rest = argv[i] + length;
            bool same = strncmp(argv[i], absent[k].name, length) == 0 &&
                        (*rest == '\0' || *rest == '=' || (length == 2 && *rest >= '0' && *rest <= '9'));
            REFUSE(same, "%s is not offered: %s", absent[k].name, absent[k].reason);
        }
    }
    return true;
}

bool mdtest_options_read(void *own, int argc, char **argv, char *complaint) {
    struct mdtest_run *run = own;
    struct mdtest_params *a = &run->requested;
    if (!mdtest_is_offered(argc, argv, complaint)) {
        return false;
    }
    *a = defaults;
    bool good = weir_backend_options_parse(&run->base, argc, argv, tables, a, &a->api, complaint);
    struct mdtest_launch *launch = run->base.launch;
    launch->no_such_backend = run->base.options_known && !good;
    if (!good) {
        return false;
    }
    mdtest_fill_defaults(run);
    if (!mdtest_ranks_are_sound(run, complaint)) {
        return false;
    }
    run->base.iterations = a->iterations;
    REFUSE(!weir_payload_kind_find(a->packet, &run->packet),
           "--dataPacketType %s: the data is timestamp, offset, incompressible, random or controlled",
           a->packet);
    return weir_common_is_sound(&run->base.common, complaint) && mdtest_tree_is_sound(a, complaint) &&
           mdtest_request_is_sound(a, complaint) && mdtest_backend_can(run, complaint) &&
           mdtest_shape_find(run, complaint);
}
