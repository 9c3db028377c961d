#include "ior.h"

#include "backend_options.h"

#include <string.h>
#include <strings.h>

#define AT(member) offsetof(struct ior_params, member)

static const struct weir_option options[] = {
    {'a', NULL, "api", WEIR_TEXT, AT(api), "API", "back end, POSIX unless another is given"},
    {'A', NULL, "refnum", WEIR_COUNT, AT(reference), "N", "a number for the summary [0]"},
    {'b', NULL, "blockSize", WEIR_SIZE, AT(block_bytes), "SIZE",
     "contiguous bytes of a rank in a segment [1m]"},
    {'c', "collective", "collective", WEIR_FLAG, AT(collective), NULL, "collective transfers"},
    {'C', NULL, "reorderTasksConstant", WEIR_FLAG, AT(reorder_constant), NULL,
     "read what the next node wrote"},
    {'d', NULL, "interTestDelay", WEIR_SECONDS, AT(delay_s), "SECONDS",
     "rest before each write and each read"},
    {'D', NULL, "deadlineForStonewalling", WEIR_SECONDS, AT(stonewall_s), "SECONDS",
     "stop transfers after this time"},
    {'e', NULL, "fsync", WEIR_FLAG, AT(sync), NULL, "synchronise at the end of each write"},
    {'E', NULL, "useExistingTestFile", WEIR_FLAG, AT(existing), NULL, "write into the file that is there"},
    {'f', NULL, NULL, WEIR_TEXT, AT(script), "SCRIPT", "the tests of a script of IOR, one after the other"},
    {'F', NULL, "filePerProc", WEIR_FLAG, AT(file_per_process), NULL, "one file per process"},
    {'g', NULL, "intraTestBarriers", WEIR_FLAG, AT(barriers), NULL,
     "barriers between open, transfers and close"},
    {'G', NULL, "setTimeStampSignature", WEIR_COUNT, AT(signature), "N", "signature of the data [the time]"},
    {'i', NULL, "repetitions", WEIR_COUNT, AT(iterations), "N", "iterations [1]"},
    {'k', NULL, "keepFile", WEIR_FLAG, AT(keep), NULL, "keep the files that were made"},
    {'K', NULL, "keepFileWithError", WEIR_FLAG, AT(keep_with_error), NULL,
     "keep the files in which wrong data was found"},
    {'l', "dataPacketType", "dataPacketType", WEIR_TEXT, AT(packet), "TYPE",
     "data: timestamp, offset, incompressible, random, controlled, or their first letters [timestamp]"},
    {0, "buffer-compress-percentage", NULL, WEIR_COUNT, AT(control.compress_percent), "N",
     "with -l controlled: how much of every 4 KiB a compressor saves [0]"},
    {0, "dedupe-percentage", NULL, WEIR_COUNT, AT(control.dedupe_percent), "N",
     "with -l controlled: how many of the blocks of 4 KiB are one and the same [0]"},
    {'M', NULL, "memoryPerNode", WEIR_TEXT, AT(memory), "SIZE",
     "hold so much memory of each node, such as 2g or 75%"},
    {'N', NULL, "numTasks", WEIR_COUNT, AT(tasks), "N", "let only the first N ranks take part"},
    {'o', NULL, "testFile", WEIR_TEXT, AT(test_file), "FILE", "the file to measure with [testFile]"},
    {'O', NULL, NULL, WEIR_DIRECTIVES, 0, "KEY=VALUE,...",
     "directives, those below or the name of an option in IOR"},
    {'Q', NULL, "taskPerNodeOffset", WEIR_COUNT, AT(shift_nodes), "N",
     "how many nodes -C and -Z go away [1]"},
    {'r', NULL, "readFile", WEIR_FLAG, AT(read), NULL, "read"},
    {'R', NULL, "checkRead", WEIR_FLAG, AT(verify_read), NULL, "read and compare within the timed read"},
    {'s', NULL, "segmentCount", WEIR_SIZE, AT(segments), "N", "segments [1]"},
    {'t', NULL, "transferSize", WEIR_SIZE, AT(xfer_bytes), "SIZE", "bytes of one transfer [256k]"},
    {'T', NULL, "maxTimeDuration", WEIR_NUMBER, AT(most_minutes), "MINUTES",
     "begin no write and no read after this time"},
    {'u', NULL, "uniqueDir", WEIR_FLAG, AT(unique_dir), NULL, "with -F: a directory for each file"},
    {'U', "mpiio.hintsFileName", "hintsFileName", WEIR_TEXT, AT(hints_file), "FILE",
     "MPI-IO hints, lines of IOR_HINT__MPI__key=value; the environment may hold them too"},
    {'v', NULL, "verbose", WEIR_FLAG, AT(verbose), NULL,
     "print more; twice: signatures; three times: when each phase begins"},
    {'w', NULL, "writeFile", WEIR_FLAG, AT(write), NULL, "write"},
    {'W', NULL, "checkWrite", WEIR_FLAG, AT(verify_write), NULL,
     "read back and compare after the write, untimed"},
    {'x', NULL, "singleXferAttempt", WEIR_FLAG, AT(single_attempt), NULL,
     "a transfer that moves a part only is a failure"},
    {'X', NULL, "reorderTasksRandomSeed", WEIR_COUNT, AT(reorder_seed), "N",
     "seed of -Z, negative: another each time"},
    {'z', NULL, "randomOffset", WEIR_FLAG, AT(random), NULL,
     "transfers in random order, each offset once; twice: blocks drawn from the whole file, which is laid "
     "out"},
    {'Z', NULL, "reorderTasksRandom", WEIR_FLAG, AT(reorder_random), NULL,
     "read what a random rank wrote; twice: a random permutation"},
    {0, "drop-caches", NULL, WEIR_FLAG, AT(drop_caches), NULL,
     "before each read, untimed: write back and drop the files' pages on every node"},
    {0, "read-again", NULL, WEIR_FLAG, AT(read_again), NULL,
     "a read that ends before -D begins again, its pages dropped as by --drop-caches"},
    {0, "random-offset-seed", NULL, WEIR_COUNT, AT(random_seed), "N", "seed of -z [the time]"},
    {0, "posix.odirect", "useO_DIRECT", WEIR_FLAG, AT(direct), NULL, "bypass the page cache (POSIX)"},
    {0, NULL, "reorderTasks", WEIR_FLAG, AT(reorder_constant), "1", "as -C"},
    {0, NULL, "summaryFile", WEIR_TEXT, AT(summary_file), "FILE", "print the results to the file [stdout]"},
    {0, NULL, "summaryFormat", WEIR_TEXT, AT(summary_format), "FORMAT",
     "IOR's table (default), JSON or CSV; what weir reads is --json"},
    {0, "dryRun", "dryRun", WEIR_FLAG, AT(dry_run), NULL, "print what would be measured, move nothing"},
    {0, NULL, "stoneWallingWearOut", WEIR_FLAG, AT(wear_out), "1",
     "after -D all ranks do what the quickest did"},
    {0, NULL, "stoneWallingStatusFile", WEIR_TEXT, AT(status_file), "FILE",
     "how many transfers a rank wrote: written after -w, read by a run without -w"},
    {0, NULL, "numNodes", WEIR_COUNT, AT(shift_nodes_of), "N", "pretend so many nodes, for -Z"},
    {0, NULL, "numTasksOnNode0", WEIR_COUNT, AT(tasks_per_node), "N",
     "pretend so many ranks a node, for -C and -Z"},
    {0, "rate", NULL, WEIR_COUNT, AT(rate), "N",
     "begin N transfers a second, all ranks together, however long they take; latency counts from the "
     "schedule"},
    {0, NULL, "interIODelay", WEIR_COUNT, AT(rest_us), "N", "rest N microseconds between transfers"},
    {0, "rw-mix", NULL, WEIR_COUNT, AT(read_percent), "N",
     "read and write in one phase, N percent of the transfers reads; the file is laid out before, untimed"},
    {0, "zipf", NULL, WEIR_NUMBER, AT(zipf), "THETA",
     "offsets drawn from the rank's own, a few of them hot; THETA as in fio, such as 1.2"},
    {'m', NULL, "multiFile", WEIR_FLAG, AT(multi_file), NULL, "a file of its own for each iteration"},
    {'Y', NULL, "fsyncPerWrite", WEIR_FLAG, AT(sync_each), NULL, "synchronise after every write"},
    {0, "randomPrefill", NULL, WEIR_SIZE, AT(prefill_bytes), "SIZE",
     "with -z: write the file in order by transfers of this size before, untimed"},
    {0, "distribution", NULL, WEIR_TEXT, AT(distribution), "NAME",
     "transfers of the ranks in a shared file: blocks, interleaved, nested or subarray [blocks]"},
    {0, "mpiio.useFileView", NULL, WEIR_FLAG, AT(file_view), NULL,
     "MPIIO: one call moves a rank's whole block through a view of the file"},
    {0, "mpiio.showHints", NULL, WEIR_FLAG, AT(show_hints), NULL,
     "print the hints that were requested and those that are in force"},
    WEIR_OPTION_END,
};

static const struct weir_option *const tables[] = {options, weir_trace_options, weir_start_options,
                                                   weir_document_options, NULL};

static const struct ior_params defaults = {
    .api = "POSIX",
    .test_file = "testFile",
    .packet = "timestamp",
    .block_bytes = 1 << 20,
    .xfer_bytes = 256 << 10,
    .segments = 1,
    .iterations = 1,
    .tasks = -1,
    .distribution = "blocks",
    .shift_nodes = 1,
    .random_seed = -1,
    .shift_nodes_of = -1,
    .tasks_per_node = -1,
};

void ior_help(void) {
    printf("weir-io ior: the measurements of IOR 4 by its own options; what is not here is refused.\n\n"
           "Without -w, -r, -W and -R it writes and reads. Results: a table on stdout, all of it in the "
           "summary file.\n"
           "Exit code 0: done. 1: the storage or the verification failed. 2: wrong use.\n\n");
    weir_backend_options_print(tables, false);
}

static bool ior_geometry_is_sound(const struct ior_params *a, int ranks, char *complaint) {
    const long long b = a->block_bytes, t = a->xfer_bytes;
    REFUSE(t <= 0, "-t %lld: the transfer size must be positive", t);
    REFUSE(b < t, "-b %lld: the block must not be smaller than the transfer size -t %lld", b, t);
    REFUSE(t % 8 != 0, "-t %lld: the transfer size must be a multiple of 8 bytes", t);
    REFUSE(b % t != 0, "-b %lld: the block must be a multiple of the transfer size -t %lld", b, t);
    REFUSE(a->segments < 1, "-s %lld: at least one segment", (long long)a->segments);
    REFUSE(a->iterations < 1 || a->iterations > 1000000, "-i %lld: between 1 and 1000000 iterations",
           (long long)a->iterations);
    int64_t rank_bytes, all_bytes;
    REFUSE(__builtin_mul_overflow(a->block_bytes, a->segments, &rank_bytes) ||
               __builtin_mul_overflow(rank_bytes, (int64_t)ranks, &all_bytes),
           "-b %lld -s %lld on %d ranks: more bytes than can be counted", b, (long long)a->segments, ranks);
    REFUSE(a->most_minutes < 0, "-T %g: the time cannot be negative", a->most_minutes);
    REFUSE(a->random > 1 && (a->verify_write || a->verify_read),
           "-z twice draws some blocks again and others never: it excludes -W and -R");
    REFUSE(
        a->random == 1 && b == t,
        "-z with -b equal to -t has nothing to shuffle: offsets are shuffled within the blocks of a segment");
    REFUSE(a->random && (a->reorder_constant || a->reorder_random) && !a->file_per_process,
           "-z with %s needs -F: in a shared file -z already hands out the offsets at random",
           a->reorder_constant ? "-C" : "-Z");
    return true;
}

static bool ior_request_is_sound(const struct ior_params *a, int ranks, char *complaint) {
    REFUSE(a->tasks != -1 && (a->tasks < 1 || a->tasks > ranks), "-N %lld: %d rank%s launched",
           (long long)a->tasks, ranks, ranks == 1 ? " was" : "s were");
    REFUSE(a->reorder_constant && a->reorder_random, "-C and -Z exclude each other");
    REFUSE(a->rate < 0 || a->rest_us < 0 || a->rest_us > 1000000000,
           "--rate and -O interIODelay cannot be negative, nor the rest above 1000 s");
    REFUSE(a->rate > 0 && a->rest_us > 0, "--rate and -O interIODelay exclude each other");
    REFUSE(a->rate > 0 && a->collective, "--rate with -c: collective transfers wait for each other");
    REFUSE(a->wear_out && a->stonewall_s <= 0, "-O stoneWallingWearOut=1 needs a stonewall: -D SECONDS");
    REFUSE(
        a->status_file != NULL && !a->keep,
        "-O stoneWallingStatusFile is for the runs that read later: give -k, which keeps the file for them");
    REFUSE(
        a->status_file != NULL && a->write && !a->wear_out,
        "-O stoneWallingStatusFile holds one number for all ranks: a write needs -O stoneWallingWearOut=1");
    REFUSE(a->status_file != NULL && strlen(a->status_file) > 900,
           "-O stoneWallingStatusFile: the name is too long");
    REFUSE(a->unique_dir && !a->file_per_process, "-u needs -F: a shared file has one directory");
    REFUSE(a->drop_caches && !a->read && !a->verify_read, "--drop-caches acts before a read: give -r");
    REFUSE(
        a->read_again && (!a->drop_caches || !a->wear_out),
        "--read-again is ended by a stonewall: give --drop-caches, -D SECONDS and -O stoneWallingWearOut=1");
    REFUSE(a->read_again && (a->rate > 0 || a->rest_us > 0),
           "--read-again excludes --rate and -O interIODelay");
    REFUSE(a->verify_write && !a->write,
           "-W checks what -w wrote: give -w, or -R to check a file that is there");
    REFUSE(a->verify_read && !a->write && a->signature == 0,
           "-R without -w needs -G N, the signature that the file was written with");
    REFUSE(a->verify_read && !a->write && a->random && !a->file_per_process && a->random_seed == -1,
           "-R of a shared file in random order needs the --random-offset-seed it was written with");
    REFUSE(strchr(a->test_file, '@') != NULL,
           "-o %s: IOR takes '@' for a list of files, which weir-io does not offer", a->test_file);
    REFUSE(a->test_file[0] == '\0' || strlen(a->test_file) > 900, "-o: the name is empty or too long");
    const char *format = a->summary_format;
    REFUSE(format != NULL && strcasecmp(format, "JSON") != 0 && strcasecmp(format, "CSV") != 0 &&
               strcasecmp(format, "default") != 0,
           "-O summaryFormat=%s: it is default, JSON or CSV", format);
    REFUSE(a->summary_file != NULL && (a->summary_file[0] == '\0' || strlen(a->summary_file) > 900),
           "-O summaryFile: the name is empty or too long");
    const int64_t most = 1 << 30; /* no machine has more nodes or ranks */
    REFUSE(a->tasks_per_node != -1 && (a->tasks_per_node < 1 || a->tasks_per_node > most),
           "-O numTasksOnNode0: between 1 and %lld", (long long)most);
    REFUSE(a->shift_nodes_of != -1 && (a->shift_nodes_of < 1 || a->shift_nodes_of > most),
           "-O numNodes: between 1 and %lld", (long long)most);
    REFUSE(a->shift_nodes < 0 || a->shift_nodes > most, "-Q %lld: between 0 and %lld",
           (long long)a->shift_nodes, (long long)most);
    return true;
}

static bool ior_backend_can(const struct ior_run *run, char *complaint) {
    const struct ior_params *a = &run->requested;
    const struct weir_backend *b = run->base.backend;
    REFUSE(a->collective && !(b->traits & WEIR_COLLECTIVE), "-c: %s has no collective transfers", b->name);
    REFUSE(a->collective && a->random,
           "-c with -z: collective transfers need the same number of transfers on each rank");
    REFUSE(a->direct && !(b->traits & WEIR_DIRECT), "--posix.odirect: %s cannot open a file with O_DIRECT",
           b->name);
    REFUSE(a->random && !(b->traits & WEIR_RANDOM), "-z: %s takes offsets in order only", b->name);
    REFUSE(a->file_per_process && !(b->traits & WEIR_FILE_PER_PROCESS), "-F: %s shares one file", b->name);
    REFUSE((a->verify_read || a->verify_write) && !(b->traits & WEIR_STORES),
           "%s: %s stores nothing that could be compared", a->verify_read ? "-R" : "-W", b->name);
    REFUSE(a->drop_caches && !(b->traits & WEIR_STORES),
           "--drop-caches: %s stores nothing that could be cached", b->name);
    REFUSE(a->read_again && (b->traits & WEIR_MAPS),
           "--read-again: %s keeps the pages of an open file, so that a later pass would read memory",
           b->name);
    REFUSE(a->sync && b->sync == NULL, "-e: %s cannot synchronise", b->name);
    REFUSE(a->existing && a->write && (b->traits & WEIR_FORMAT),
           "-E: %s makes each file anew and cannot write into one that is there", b->name);
    REFUSE(a->hints_file != NULL && !(b->traits & WEIR_HINTS), "-U: %s takes no MPI-IO hints", b->name);
    REFUSE(a->show_hints && !(b->traits & WEIR_HINTS), "--mpiio.showHints: %s takes no MPI-IO hints",
           b->name);
    struct weir_open how = {.path = a->test_file,
                            .collective = a->collective,
                            .direct = a->direct,
                            .single_attempt = a->single_attempt,
                            .hints = &run->base.hints,
                            .settings = run->base.settings,
                            .geometry = {.xfer_bytes = (size_t)a->xfer_bytes,
                                         .block_bytes = (uint64_t)a->block_bytes,
                                         .segments = (uint64_t)a->segments,
                                         .random = a->random != 0 || a->zipf > 0,
                                         .walled = a->stonewall_s > 0}};
    if (!weir_backend_takes(&run->base, &how, complaint)) {
        return false;
    }
    bool queue = b->queue != NULL && b->queue->depth(&how) > 0;
    REFUSE(a->rest_us > 0 && queue, "-O interIODelay: %s has many transfers at a time; give --rate", b->name);
    REFUSE(a->sync_each && (queue || a->file_view), "-Y: %s has many transfers at a time", b->name);
    return true;
}

/* Options of access that exclude each other. */
static bool ior_accesses_are_sound(const struct ior_run *run, char *complaint) {
    const struct ior_params *a = &run->requested;
    const struct weir_backend *b = run->base.backend;
    bool mixed = a->read_percent != 0, placed = run->distribution != IOR_BLOCKS;
    bool together = (b->traits & WEIR_TOGETHER) != 0 && !a->file_per_process;
    REFUSE(a->read_percent < 0 || a->read_percent > 99, "--rw-mix %lld: between 1 and 99 percent",
           (long long)a->read_percent);
    REFUSE(mixed && (!a->write || !a->read), "--rw-mix both writes and reads: give -w and -r, or neither");
    REFUSE(mixed && (a->collective || !(b->traits & WEIR_UPDATE) || !(b->traits & WEIR_STORES)),
           "--rw-mix: %s cannot write and read one open file with transfers of single ranks", b->name);
    REFUSE(mixed && (a->verify_write || a->wear_out || a->reorder_constant || a->reorder_random),
           "--rw-mix excludes -W, -C, -Z and -O stoneWallingWearOut");
    REFUSE(a->zipf < 0 || a->zipf > 10, "--zipf %g: between 0 and 10", a->zipf);
    REFUSE(a->zipf > 0 && (a->random || placed || a->file_view || a->collective),
           "--zipf excludes -z, -c, --distribution and file views");
    REFUSE(a->zipf > 0 && !(b->traits & WEIR_RANDOM), "--zipf: %s takes offsets in order only", b->name);
    REFUSE(a->sync_each && b->sync == NULL, "-Y: %s cannot synchronise", b->name);
    REFUSE(a->sync_each && together && (!a->collective || mixed),
           "-Y: %s synchronises a shared file by calls of all ranks; give -c or -F", b->name);
    REFUSE(mixed && a->random > 1, "--rw-mix excludes -z twice");
    REFUSE(a->prefill_bytes > 0 && (!a->random || mixed), "--randomPrefill needs -z, and no --rw-mix");
    REFUSE(a->prefill_bytes < 0 || (a->prefill_bytes > 0 &&
                                    (a->block_bytes % a->prefill_bytes != 0 || a->prefill_bytes % 8 != 0)),
           "--randomPrefill %lld: it must be a multiple of 8 bytes that divides the block size -b %lld",
           (long long)a->prefill_bytes, (long long)a->block_bytes);
    REFUSE(placed && (a->file_per_process || a->random), "--distribution is for shared files without -z");
    REFUSE(placed && !(b->traits & WEIR_RANDOM), "--distribution: %s takes blocks only", b->name);
    REFUSE(a->file_view && !(b->traits & WEIR_VIEWS), "--mpiio.useFileView: %s has no file views", b->name);
    REFUSE(a->file_view && (a->file_per_process || a->random || mixed || a->rate > 0 || a->rest_us > 0 ||
                            a->stonewall_s > 0 || a->status_file != NULL),
           "--mpiio.useFileView excludes -F, -z, -D, --rw-mix, --rate and -O interIODelay");
    REFUSE((placed || a->file_view) && (a->block_bytes / a->xfer_bytes > 1 << 24 || a->xfer_bytes > 1 << 30),
           "--distribution and file views: at most 2^24 transfers of 1 GiB in a block");
    return true;
}

bool ior_options_read(void *own, int argc, char **argv, char *complaint) {
    struct ior_run *run = own;
    int ranks = run->base.job->size;
    struct ior_params *a = &run->requested;
    *a = defaults;
    bool good = weir_backend_options_parse(&run->base, argc, argv, tables, a, &a->api, complaint);
    struct ior_report *report = run->base.launch;
    report->unreadable = !run->base.options_known && !weir_options_blame_directive(complaint);
    if (!good || (a->script != NULL && !report->in_script)) {
        return good; /* the script may change all of it */
    }
    REFUSE(report->script_tests > 1 && run->base.common.document_file != NULL,
           "--json with the %d tests of a script: a document holds one", report->script_tests);
    bool chosen_none = !a->write && !a->read && !a->verify_write && !a->verify_read;
    if (chosen_none || (a->read_percent != 0 && !a->write && !a->read)) {
        a->write = a->read = 1;
    }
    REFUSE(!weir_payload_kind_find(a->packet, &run->packet),
           "-l %s: the data is timestamp, offset, incompressible, random or controlled", a->packet);
    REFUSE(!weir_payload_control_fits(run->packet, &a->control),
           "--buffer-compress-percentage and --dedupe-percentage are 0 to 100, with -l controlled");
    run->base.iterations = a->iterations;
    run->base.tasks = a->tasks > 0 ? a->tasks : 0;
    run->base.reads_hints = true;
    run->base.hints_file = a->hints_file;
    REFUSE(!ior_distribution_find(a->distribution, &run->distribution),
           "--distribution %s: it is blocks, interleaved, nested or subarray", a->distribution);
    return weir_common_is_sound(&run->base.common, complaint) && ior_memory_is_sound(a, complaint) &&
           ior_geometry_is_sound(a, ranks, complaint) && ior_request_is_sound(a, ranks, complaint) &&
           ior_backend_can(run, complaint) && ior_accesses_are_sound(run, complaint);
}
