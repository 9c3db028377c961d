#include "io_model.h"

#include "backend_options.h"
#include "words.h"

#include <string.h>

#define AT(member)      offsetof(struct iom_params, member)
#define OPERATIONS_MAX  (1 << 24) /* what is kept of each takes 32 bytes */
#define MEMORY_BYTES    ((int64_t)64 << 20)
#define DIRECT_BYTES    512
#define SPACE_BYTES_MAX ((int64_t)1 << 60) /* so that no sum of places overflows */

static const struct weir_option options[] = {
    {'a', "api", NULL, WEIR_TEXT, AT(api), "API", ""},
    {'o', "file", NULL, WEIR_TEXT, AT(test_file), "FILE", "rank N moves FILE-N, which stays [io-model.dat]"},
    {'w', "write", NULL, WEIR_FLAG, AT(write), NULL, "write"},
    {'r', "read", NULL, WEIR_FLAG, AT(read), NULL, "read, after -w where both are given"},
    {'n', "operations", NULL, WEIR_COUNT, AT(operations), "N", "operations of a rank [1000]"},
    {'t', "xfer", NULL, WEIR_SIZE, AT(xfer_bytes), "SIZE", "bytes of an operation, from 1 [4k]"},
    {'b', "file-size", NULL, WEIR_SIZE, AT(file_bytes), "SIZE",
     "the part of a file that is walked through [operations times bytes]"},
    {'f', "file-locality", NULL, WEIR_TEXT, AT(file_order), "LOCALITY", "order in the file [seq]"},
    {'m', "memory-locality", NULL, WEIR_TEXT, AT(memory_order), "LOCALITY", "order in memory [off0]"},
    {'M', "memory", NULL, WEIR_SIZE, AT(memory_bytes), "SIZE",
     "the buffer that is walked through [64m; with off0 one operation]"},
    {0, "align", NULL, WEIR_SIZE, AT(align_bytes), "SIZE", "offsets are multiples of it [1]"},
    {'c', "cache", NULL, WEIR_TEXT, AT(cache), "MODE",
     "untouched, cached, uncached or discarded [untouched]"},
    {0, "direct", NULL, WEIR_FLAG, AT(direct), NULL, "bypass the page cache by O_DIRECT (POSIX)"},
    {0, "prefill", NULL, WEIR_FLAG, AT(prefill), NULL,
     "write the whole file first, untimed: -w overwrites, -r has something to read"},
    {0, "truncate", NULL, WEIR_FLAG, AT(truncate), NULL, "before a write remove the file, untimed"},
    {0, "wait", NULL, WEIR_FLAG, AT(wait), NULL, "before a read wait up to 30 s for the whole file"},
    {'e', "sync", NULL, WEIR_FLAG, AT(sync), NULL, "synchronise at the end of each write"},
    {0, "verify", NULL, WEIR_FLAG, AT(verify), NULL,
     "compare each byte: in the read, and after a write by a read of its own, untimed"},
    {'i', "iterations", NULL, WEIR_COUNT, AT(iterations), "N", "repeat write and read [1]"},
    {0, "seed", NULL, WEIR_COUNT, AT(seed), "N", "of random offsets and of the data; -1: the time [0]"},
    {0, "times", NULL, WEIR_TEXT, AT(times), "PREFIX",
     "each operation's time to PREFIX-<access>-<iteration>-<rank>.csv"},
    {0, "samples", NULL, WEIR_TEXT, AT(samples), "PREFIX",
     "counters of the system to PREFIX-<rank>.csv, before, while and after each access"},
    {0, "sample-every", NULL, WEIR_SECONDS, AT(sample_s), "SECONDS", "time between two samples [1]"},
    {0, "counters", NULL, WEIR_TEXT, AT(counters), "FILE,...",
     "sample these files too, lines of name and number, as /proc/vmstat or Lustre's llite stats"},
    {0, "device", NULL, WEIR_TEXT, AT(device), "NAME", "sample /sys/block/NAME/stat too"},
    WEIR_OPTION_END,
};

static const struct weir_option *const tables[] = {options, weir_start_options, weir_document_options, NULL};

static const struct iom_params defaults = {
    .api = "POSIX",
    .test_file = "io-model.dat",
    .file_order = "seq",
    .memory_order = "off0",
    .cache = "untouched",
    .operations = 1000,
    .xfer_bytes = 4096,
    .align_bytes = 1,
    .iterations = 1,
    .sample_s = 1,
};

void iom_help(void) {
    printf(
        "weir-io io-model: single operations, timed one by one. Two command lines:\n\n"
        "  weir-io io-model OPTIONS\n"
        "  weir-io io-model FILE MEMORY_MIB FILE_MIB MAX_REPEATS TRUNCATE XFER MEMORY_LOCALITY\n"
        "          FILE_LOCALITY 0 1 PREWRITE_FILE R|W SEED WAIT [DEVICE] [OPTIONS]   as the original's\n\n"
        "Localities: off0, seq, rnd, rndX (at most X bytes from the last operation), strideX (holes of X\n"
        "bytes), strideX,Y (and up to Y bytes to either side), reverseX (from the end, holes of X bytes).\n"
        "Cache: cached: the file was read before; uncached: it was dropped; both are proven by mincore.\n"
        "discarded: to /dev/null and from /dev/zero, without a file system.\n"
        "Exit code 0: done. 1: the storage or the verification failed. 2: wrong use.\n\n");
    weir_backend_options_print(tables, false);
}

static bool iom_words_are_known(struct iom_run *run, char *complaint) {
    static const char *const modes[] = {"untouched", "cached", "uncached", "discarded", NULL};
    const struct iom_params *a = &run->requested;
    static const char localities[] = "off0, seq, rnd, rndX, strideX, strideX,Y or reverseX";
    REFUSE(!iom_locality_parse(a->file_order, &run->in_file), "-f %s: the locality is %s", a->file_order,
           localities);
    REFUSE(!iom_locality_parse(a->memory_order, &run->in_memory), "-m %s: the locality is %s",
           a->memory_order, localities);
    int mode = weir_place_of(a->cache, modes);
    const char *near = weir_nearest(a->cache, modes, 4);
    REFUSE(mode < 0, "--cache %s: the mode is untouched, cached, uncached or discarded%s%s%s", a->cache,
           near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    run->cache = (enum iom_cache)mode;
    return true;
}

static bool iom_numbers_are_sound(const struct iom_params *a, char *complaint) {
    REFUSE(a->xfer_bytes < 1 || a->xfer_bytes > (1 << 30), "-t %lld: an operation moves 1 byte to 1 GiB",
           (long long)a->xfer_bytes);
    REFUSE(a->operations < 1 || a->operations > OPERATIONS_MAX, "-n %lld: between 1 and %d operations",
           (long long)a->operations, OPERATIONS_MAX);
    REFUSE(a->iterations < 1 || a->iterations > 10000, "-i %lld: between 1 and 10000 iterations",
           (long long)a->iterations);
    REFUSE(a->align_bytes < 1, "--align %lld: at least 1 byte", (long long)a->align_bytes);
    REFUSE(a->seed < -1 || a->seed > UINT32_MAX, "--seed %lld: between 0 and 2^32 - 1, or -1 for the time",
           (long long)a->seed);
    REFUSE(a->sample_s < 0.01, "--sample-every %g: at least 0.01 s", a->sample_s);
    return true;
}

static bool iom_walk_fits(const struct iom_locality *l, const char *option, int64_t space_bytes,
                          int64_t xfer_bytes, char *complaint) {
    REFUSE(space_bytes > SPACE_BYTES_MAX, "%s %lld: at most 2^60 bytes", option, (long long)space_bytes);
    REFUSE(space_bytes < xfer_bytes, "%s %lld: smaller than one operation of %lld bytes", option,
           (long long)space_bytes, (long long)xfer_bytes);
    REFUSE(
        l->x_bytes > space_bytes - xfer_bytes || l->y_bytes > space_bytes - xfer_bytes,
        "%s %lld: the locality reaches further than that; with operations of %lld bytes X and Y are at most "
        "%lld",
        option, (long long)space_bytes, (long long)xfer_bytes, (long long)(space_bytes - xfer_bytes));
    return true;
}

/* Sizes that were not given follow from the others. */
static bool iom_geometry_is_sound(struct iom_run *run, char *complaint) {
    struct iom_params *a = &run->requested;
    if (a->file_bytes == 0) {
        a->file_bytes = a->operations * a->xfer_bytes;
    }
    if (a->memory_bytes == 0) {
        bool spread = run->in_memory.order != IOM_OFF0;
        a->memory_bytes = spread && a->xfer_bytes < MEMORY_BYTES ? MEMORY_BYTES : a->xfer_bytes;
    }
    int64_t fit = a->file_bytes / a->xfer_bytes;
    if (run->original && run->in_file.order == IOM_SEQ && fit >= 1 && fit < a->operations) {
        a->operations = fit; /* the original's number is the most it does */
    }
    REFUSE(run->in_file.order == IOM_SEQ && fit >= 1 && fit < a->operations,
           "-n %lld with -f seq: only %lld operations of %lld bytes fit into a file of %lld; give -b %lld",
           (long long)a->operations, (long long)fit, (long long)a->xfer_bytes, (long long)a->file_bytes,
           (long long)(a->operations * a->xfer_bytes));
    REFUSE(a->direct && (a->xfer_bytes % DIRECT_BYTES != 0 || a->align_bytes % DIRECT_BYTES != 0),
           "--direct needs -t and --align in multiples of %d bytes: give --align 4k", DIRECT_BYTES);
    return iom_walk_fits(&run->in_file, "-b", a->file_bytes, a->xfer_bytes, complaint) &&
           iom_walk_fits(&run->in_memory, "-M", a->memory_bytes, a->xfer_bytes, complaint);
}

static bool iom_request_is_sound(const struct iom_run *run, char *complaint) {
    const struct iom_params *a = &run->requested;
    REFUSE(!a->write && !a->read, "give -w to write, -r to read, or both");
    REFUSE(a->sync && !a->write, "-e belongs to a write: give -w");
    REFUSE(a->truncate && !a->write, "--truncate belongs to a write: give -w");
    REFUSE(a->wait && a->write, "--wait is for a file that another program writes: give -r alone");
    REFUSE(a->wait && a->prefill, "--wait is for a file that another program writes, --prefill writes it");
    REFUSE(a->write && a->read && !a->prefill && run->in_file.order != IOM_SEQ && run->cache != IOM_DISCARDED,
           "-w -f %s leaves holes that -r would read: give --prefill", a->file_order);
    REFUSE(a->write && a->read && !a->prefill && a->operations * a->xfer_bytes < a->file_bytes &&
               run->cache != IOM_DISCARDED,
           "-w -n %lld writes a part of the %lld bytes that -r reads within: give --prefill",
           (long long)a->operations, (long long)a->file_bytes);
    REFUSE(a->test_file[0] == '\0' || strlen(a->test_file) > 900, "-o: the name is empty or too long");
    const char *names[] = {a->times, a->samples};
    const char *keys[] = {"--times", "--samples"};
    for (int i = 0; i < 2; i++) {
        REFUSE(names[i] != NULL && (names[i][0] == '\0' || strlen(names[i]) > 900),
               "%s: the name is empty or too long", keys[i]);
    }
    if (run->cache != IOM_DISCARDED) {
        return true;
    }
    REFUSE(strcmp(run->base.backend->name, "POSIX") != 0,
           "--cache discarded: only POSIX reaches /dev/null, not %s", run->base.backend->name);
    REFUSE(a->prefill || a->truncate || a->wait || a->verify || a->sync || a->direct,
           "--cache discarded has no file: it goes without --prefill, --truncate, --wait, --verify, -e and "
           "--direct");
    return true;
}

static bool iom_backend_can(const struct iom_run *run, char *complaint) {
    const struct iom_params *a = &run->requested;
    const struct weir_backend *b = run->base.backend;
    REFUSE(b->traits & WEIR_FORMAT, "-a %s: a file format has more than these bytes in its file", b->name);
    REFUSE(!(b->traits & WEIR_FILE_PER_PROCESS), "-a %s: it cannot give each rank its own file", b->name);
    REFUSE(run->in_file.order != IOM_SEQ && !(b->traits & WEIR_RANDOM),
           "-f %s: %s takes offsets in order only", a->file_order, b->name);
    REFUSE(a->direct && !(b->traits & WEIR_DIRECT), "--direct: %s cannot open a file with O_DIRECT", b->name);
    REFUSE(a->verify && !(b->traits & WEIR_STORES), "--verify: %s stores nothing that could be compared",
           b->name);
    REFUSE(a->sync && b->sync == NULL, "-e: %s cannot synchronise", b->name);
    bool steered = run->cache == IOM_CACHED || run->cache == IOM_UNCACHED;
    REFUSE(steered && !iom_cache_can_tell(run),
           "--cache %s: what -a %s -o %s reaches is not in the page cache of this node; leave it untouched",
           a->cache, b->name, a->test_file);
    REFUSE(run->cache == IOM_CACHED && a->direct, "--cache cached with --direct: one excludes the other");
    struct weir_open how = {
        .path = a->test_file,
        .direct = a->direct,
        .hints = &run->base.hints,
        .settings = run->base.settings,
        .geometry = {.xfer_bytes = (size_t)a->xfer_bytes, .file_bytes = (uint64_t)a->file_bytes}};
    return weir_backend_takes(&run->base, &how, complaint);
}

bool iom_options_read(void *own, int argc, char **argv, char *complaint) {
    struct iom_run *run = own;
    struct iom_params *a = &run->requested;
    int used = 0;
    *a = defaults;
    if (argc > 1 && argv[1][0] != '-' && !iom_original_read(run, argc, argv, &used, complaint)) {
        return false;
    }
    bool good =
        weir_backend_options_parse(&run->base, argc - used, argv + used, tables, a, &a->api, complaint);
    run->base.iterations = a->iterations;
    run->base.reads_hints = true;
    return good && weir_common_is_sound(&run->base.common, complaint) &&
           iom_numbers_are_sound(a, complaint) && iom_words_are_known(run, complaint) &&
           iom_geometry_is_sound(run, complaint) && iom_request_is_sound(run, complaint) &&
           iom_backend_can(run, complaint) && iom_counters_check(run, complaint);
}
