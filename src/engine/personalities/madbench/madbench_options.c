#include "madbench.h"

#include "backend_options.h"
#include "words.h"

#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(struct mad_params, member)
#define PLACES     7

static const struct weir_option options[] = {
    {'a', "api", NULL, WEIR_TEXT, AT(api), "API", ""},
    {'o', "file", NULL, WEIR_TEXT, AT(test_file), "FILE",
     "one for all, or with -F FILE-<rank>; stays [madbench.dat]"},
    {'p', "pixels", NULL, WEIR_COUNT, AT(pixels), "N", "matrices of N x N doubles [1000]"},
    {'b', "bins", NULL, WEIR_COUNT, AT(bins), "N", "matrices [8]"},
    {'g', "gangs", NULL, WEIR_COUNT, AT(gangs), "N",
     "W writes and C reads a matrix by one of N parts of the ranks [1]"},
    {0, "block", NULL, WEIR_SIZE, AT(block_bytes), "SIZE", "each piece starts at a multiple of it [1]"},
    {0, "rmod", NULL, WEIR_COUNT, AT(read_mod), "N", "of N neighbouring ranks one reads at a time [1]"},
    {0, "wmod", NULL, WEIR_COUNT, AT(write_mod), "N", "of N neighbouring ranks one writes at a time [1]"},
    {'t', "xfer", NULL, WEIR_SIZE, AT(xfer_bytes), "SIZE", "the most that a call moves [a whole piece]"},
    {'F', "unique", NULL, WEIR_FLAG, AT(file_per_process), NULL, "one file per process"},
    {0, "busy", NULL, WEIR_SECONDS, AT(busy), "ALPHA",
     "n^ALPHA multiplications for a piece of n doubles, 0 is none [0]"},
    {0, "phases", NULL, WEIR_TEXT, AT(phases), "SWC", "S, SW, SC or SWC [SWC]"},
    {'e', "sync", NULL, WEIR_FLAG, AT(sync), NULL, "synchronise at the end of S and W"},
    {0, "verify", NULL, WEIR_FLAG, AT(verify), NULL, "compare each byte that is read, untimed"},
    {0, "drop-caches", NULL, WEIR_FLAG, AT(drop_caches), NULL,
     "before W and C, untimed: write back and drop the files' pages on every node"},
    {'i', "iterations", NULL, WEIR_COUNT, AT(iterations), "N", "repeat all phases [1]"},
    {0, "seed", NULL, WEIR_COUNT, AT(seed), "N", "of the data [0]"},
    WEIR_OPTION_END,
};

static const struct weir_option *const tables[] = {options, weir_start_options, weir_document_options, NULL};

static const struct mad_params defaults = {
    .api = "POSIX",
    .test_file = "madbench.dat",
    .phases = "SWC",
    .pixels = 1000,
    .bins = 8,
    .gangs = 1,
    .block_bytes = 1,
    .read_mod = 1,
    .write_mod = 1,
    .iterations = 1,
};

void mad_help(void) {
    printf(
        "weir-io madbench: the I/O of MADbench2, an out-of-core code on dense matrices. Two command "
        "lines:\n\n"
        "  weir-io madbench OPTIONS\n"
        "  weir-io madbench NO_PIX NO_BIN NO_GANG SBLOCKSIZE FBLOCKSIZE RMOD WMOD [OPTIONS]\n\n"
        "The second is the original's, and takes its environment: IOMETHOD=POSIX|MPI, IOMODE=SYNC,\n"
        "FILETYPE=UNIQUE|SHARED, BWEXP=ALPHA; SBLOCKSIZE and REMAP steer calculations, which its I/O mode\n"
        "ignores, as does weir-io. Phases: S writes all matrices, W reads and writes each, C reads "
        "all.\n"
        "Exit code 0: done. 1: the storage or the verification failed. 2: wrong use.\n\n");
    weir_backend_options_print(tables, false);
}

/* Which of two values an environment variable has; the first where it is not set. */
static bool mad_environment(const struct weir_job *job, const char *name, const char *first,
                            const char *second, bool *is_second, char *complaint) {
    char text[32];
    bool set = weir_job_environment(job, name, text, sizeof text);
    *is_second = set && strcmp(text, second) == 0;
    REFUSE(set && !*is_second && strcmp(text, first) != 0, "%s=%s: it is %s or %s", name, text, first,
           second);
    return true;
}

static bool mad_original(const struct weir_job *job, struct mad_params *a, int argc, char **argv, int *used,
                         char *complaint) {
    static const char *const names[PLACES] = {"NO_PIX",     "NO_BIN", "NO_GANG", "SBLOCKSIZE",
                                              "FBLOCKSIZE", "RMOD",   "WMOD"};
    int64_t ignored = 1;
    int64_t *into[PLACES] = {&a->pixels,      &a->bins,     &a->gangs,    &ignored,
                             &a->block_bytes, &a->read_mod, &a->write_mod};
    int count = 0;
    while (count < PLACES && count + 1 < argc && argv[count + 1][0] != '-') {
        count++;
    }
    REFUSE(count < PLACES,
           "%d number%s in the original's order, which are NO_PIX NO_BIN NO_GANG SBLOCKSIZE FBLOCKSIZE RMOD "
           "WMOD; or give options, see --help",
           count, count == 1 ? "" : "s");
    for (int i = 0; i < PLACES; i++) {
        if (!weir_number_parse(names[i], argv[i + 1], into[i], complaint)) {
            return false;
        }
        REFUSE(*into[i] < 1, "%s '%s': at least 1", names[i], argv[i + 1]);
    }
    bool mpi, async, shared, ignored_remap;
    if (!mad_environment(job, "IOMETHOD", "POSIX", "MPI", &mpi, complaint) ||
        !mad_environment(job, "IOMODE", "SYNC", "ASYNC", &async, complaint) ||
        !mad_environment(job, "FILETYPE", "UNIQUE", "SHARED", &shared, complaint) ||
        !mad_environment(job, "REMAP", "CUSTOM", "SCALAPACK", &ignored_remap, complaint)) {
        return false;
    }
    REFUSE(async, "IOMODE=ASYNC: weir-io has no asynchronous transfers; give IOMODE=SYNC");
    a->api = mpi ? "MPIIO" : "POSIX";
    a->file_per_process = !shared;
    char exponent[32], *end = exponent;
    bool set = weir_job_environment(job, "BWEXP", exponent, sizeof exponent);
    a->busy = set ? strtod(exponent, &end) : 0;
    REFUSE(set && (end == exponent || *end != '\0'), "BWEXP=%s: not a number", exponent);
    *used = PLACES;
    return true;
}

static bool mad_geometry_is_sound(struct mad_run *run, char *complaint) {
    const struct mad_params *a = &run->requested;
    int ranks = run->base.job->size;
    int64_t elements, all_bytes;
    REFUSE(a->pixels < 1 || a->pixels > 100000000, "-p %lld: 1 to 100000000 pixels", (long long)a->pixels);
    REFUSE(a->bins < 1 || a->bins > 1000000, "-b %lld: 1 to 1000000 bins", (long long)a->bins);
    REFUSE(a->gangs < 1 || ranks % a->gangs != 0 || a->bins % a->gangs != 0,
           "-g %lld: %d ranks and %lld bins must be multiples of the gangs", (long long)a->gangs, ranks,
           (long long)a->bins);
    elements = a->pixels * a->pixels;
    REFUSE(elements % ranks != 0,
           "-p %lld: %lld elements cannot be shared out evenly to %d ranks; try -p %lld",
           (long long)a->pixels, (long long)elements, ranks,
           (long long)((a->pixels + ranks - 1) / ranks * ranks));
    REFUSE(a->block_bytes < 1 || (a->block_bytes > 1 && a->block_bytes % 8 != 0) ||
               a->block_bytes > (1 << 30),
           "--block %lld: 1, or a multiple of 8 up to 1 GiB", (long long)a->block_bytes);
    REFUSE(a->xfer_bytes < 0 || a->xfer_bytes % 8 != 0, "-t %lld: a multiple of 8 bytes",
           (long long)a->xfer_bytes);
    uint64_t block = (uint64_t)a->block_bytes;
    run->part_bytes = (uint64_t)(elements / ranks) * 8;
    run->slot_bytes = (run->part_bytes + block - 1) / block * block;
    REFUSE(__builtin_mul_overflow((int64_t)run->slot_bytes, (int64_t)ranks, &all_bytes) ||
               __builtin_mul_overflow(all_bytes, a->bins, &all_bytes),
           "-p %lld -b %lld: more bytes than can be counted", (long long)a->pixels, (long long)a->bins);
    return true;
}

static bool mad_request_is_sound(struct mad_run *run, char *complaint) {
    const struct mad_params *a = &run->requested;
    static const char *const orders[] = {"S", "SW", "SC", "SWC", NULL};
    REFUSE(weir_place_of(a->phases, orders) < 0,
           "--phases %s: S, SW, SC or SWC; what is read must be written first", a->phases);
    run->runs[MAD_S] = true;
    run->runs[MAD_W] = strchr(a->phases, 'W') != NULL;
    run->runs[MAD_C] = strchr(a->phases, 'C') != NULL;
    REFUSE(a->gangs > 1 && !run->runs[MAD_W], "-g %lld: gangs begin with phase W", (long long)a->gangs);
    REFUSE(a->verify && !run->runs[MAD_W] && !run->runs[MAD_C], "--verify: S reads nothing; give W or C");
    REFUSE(a->drop_caches && !run->runs[MAD_W] && !run->runs[MAD_C],
           "--drop-caches acts before W and C: give one of them");
    REFUSE(a->read_mod < 1 || a->write_mod < 1, "--rmod and --wmod are at least 1");
    REFUSE(a->busy > 2, "--busy %g: at most 2", a->busy);
    REFUSE(a->iterations < 1 || a->iterations > 10000, "-i %lld: between 1 and 10000 iterations",
           (long long)a->iterations);
    REFUSE(a->seed < 0, "--seed %lld: at least 0", (long long)a->seed);
    REFUSE(a->test_file[0] == '\0' || strlen(a->test_file) > 900, "-o: the name is empty or too long");
    return true;
}

static bool mad_backend_can(const struct mad_run *run, char *complaint) {
    const struct mad_params *a = &run->requested;
    const struct weir_backend *b = run->base.backend;
    REFUSE(b->traits & WEIR_FORMAT, "-a %s: a file format has more than matrices in its file", b->name);
    REFUSE(run->runs[MAD_W] && !(b->traits & WEIR_UPDATE),
           "-a %s: it cannot read a file that is open to write, as W does; give --phases SC", b->name);
    REFUSE(!(b->traits & WEIR_RANDOM), "-a %s: it takes offsets in order only", b->name);
    REFUSE(a->file_per_process && !(b->traits & WEIR_FILE_PER_PROCESS), "-F: %s shares one file", b->name);
    REFUSE(a->verify && !(b->traits & WEIR_STORES), "--verify: %s stores nothing that could be compared",
           b->name);
    REFUSE(a->drop_caches && !(b->traits & WEIR_STORES),
           "--drop-caches: %s stores nothing that could be cached", b->name);
    REFUSE(a->sync && b->sync == NULL, "-e: %s cannot synchronise", b->name);
    struct weir_open how = {.path = a->test_file,
                            .update = run->runs[MAD_W],
                            .hints = &run->base.hints,
                            .settings = run->base.settings,
                            .geometry = {.xfer_bytes = (size_t)a->xfer_bytes}};
    return weir_backend_takes(&run->base, &how, complaint);
}

bool mad_options_read(void *own, int argc, char **argv, char *complaint) {
    struct mad_run *run = own;
    struct mad_params *a = &run->requested;
    int used = 0;
    *a = defaults;
    if (argc > 1 && argv[1][0] != '-' && !mad_original(run->base.job, a, argc, argv, &used, complaint)) {
        return false;
    }
    bool good =
        weir_backend_options_parse(&run->base, argc - used, argv + used, tables, a, &a->api, complaint);
    run->base.iterations = a->iterations;
    run->base.reads_hints = true;
    return good && weir_common_is_sound(&run->base.common, complaint) &&
           mad_geometry_is_sound(run, complaint) && mad_request_is_sound(run, complaint) &&
           mad_backend_can(run, complaint);
}
