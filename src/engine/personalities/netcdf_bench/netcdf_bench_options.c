#include "netcdf_bench.h"

#include "backend_options.h"
#include "words.h"

#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(struct ncb_params, member)

static const struct weir_option options[] = {
    {'n', "nn", NULL, WEIR_COUNT, AT(nodes), "N", "nodes [as launched]"},
    {'p', "ppn", NULL, WEIR_COUNT, AT(ppn), "N", "processes per node [as launched]"},
    {'d', "data-geometry", NULL, WEIR_TEXT, AT(data), "T:X:Y:Z", "values of the variable [100:100n:100p:10]"},
    {'b', "block-geometry", NULL, WEIR_TEXT, AT(block), "T:X:Y:Z", "values of one put or get [1:x/n:y/p:z]"},
    {'c', "chunk-geometry", NULL, WEIR_TEXT, AT(chunk), "T:X:Y:Z|auto",
     "chunks; auto: one block of one time step [contiguous]"},
    {'r', "read", NULL, WEIR_FLAG, AT(read), NULL, "read what the next rank wrote"},
    {'w', "write", NULL, WEIR_FLAG, AT(write), NULL, "write; so without -w, -r and --verify"},
    {'t', "io-type", NULL, WEIR_TEXT, AT(io_type), "TYPE", "ind, coll or file-per-process [ind]"},
    {'u', "unlimited", NULL, WEIR_FLAG, AT(unlimited), NULL, "unlimited time dimension"},
    {'z', "compression_level", NULL, WEIR_COUNT, AT(deflate_level), "0..9", "deflate; 0 is none [0]"},
    {'f', "testfile", NULL, WEIR_TEXT, AT(test_file), "FILE", "the file [./testfn.nc]"},
    {'x', "output-format", NULL, WEIR_TEXT, AT(output), "human|parser",
     "the table; both are the same, as in benchtool"},
    {'F', "use-fill-value", NULL, WEIR_FLAG, AT(fill), NULL, "fill the variable before it is written"},
    {0, "verify", NULL, WEIR_FLAG, AT(verify), NULL,
     "compare: in the read with -r, else by a read of its own, untimed"},
    {0, "iterations", NULL, WEIR_COUNT, AT(iterations), "N", "repeat write and read [1]"},
    {0, "stonewall", NULL, WEIR_SECONDS, AT(stonewall_s), "SECONDS", "stop transfers after this time"},
    {0, "wear-out", NULL, WEIR_FLAG, AT(wear_out), NULL,
     "after --stonewall all ranks do what the quickest did"},
    {0, "sync", NULL, WEIR_FLAG, AT(sync), NULL, "synchronise at the end of each write"},
    {0, "format", NULL, WEIR_TEXT, AT(format), "netcdf4|cdf5",
     "NetCDF-4 on HDF5, or classic CDF-5 by PnetCDF [netcdf4]"},
    {0, "type", NULL, WEIR_TEXT, AT(type), "TYPE", "type of the values [int]"},
    {0, "values", NULL, WEIR_TEXT, AT(values), "block|position",
     "benchtool's, which every time step repeats, or random ones by the position in the variable [block]"},
    {0, "shuffle", NULL, WEIR_FLAG, AT(shuffle), NULL, "shuffle the bytes of the values before -z"},
    {0, "zstd", NULL, WEIR_COUNT, AT(zstd_level), "1..22", "compress by zstd instead of -z"},
    {0, "quantize", NULL, WEIR_COUNT, AT(quantize_digits), "N",
     "keep N significant decimal digits of float or double values (BitGroom), which compress better"},
    {0, "hint", NULL, WEIR_TEXT, AT(hint), "KEY=VALUE", "MPI-IO hint; may be given again"},
    {0, "drop-caches", NULL, WEIR_FLAG, AT(drop_caches), NULL,
     "drop the file's pages from every node's page cache before each read"},
    WEIR_OPTION_END,
};

static const struct ncb_params defaults = {
    .io_type = "ind",
    .test_file = "./testfn.nc",
    .output = "human",
    .format = "netcdf4",
    .values = "block",
    .type = "int",
    .iterations = 1,
};

void ncb_help(void) {
    char types[120];
    ncb_type_names(types, sizeof types);
    printf(
        "weir-io netcdf-bench: the measurements of NetCDF-Bench (benchtool) by its own options, and more.\n\n"
        "One variable data(time, dim_1, dim_2, dim_3). Rank r has slab r / p of x and slab r %% p of y; it\n"
        "moves one block after the other, time step by time step. The file stays. Types: %s.\n"
        "Exit code 0: done. 1: the storage or the verification failed. 2: wrong use.\n\n",
        types);
    weir_options_print(options);
    weir_options_print(weir_start_options);
    weir_options_print(weir_document_options);
}

static bool ncb_words_are_known(struct ncb_run *run, char *complaint) {
    static const char *const independent[] = {"ind", "i", "independent", NULL};
    static const char *const collective[] = {"coll", "c", "collective", NULL};
    static const char *const per_process[] = {"file-per-process", "f", "file", NULL};
    const struct ncb_params *a = &run->requested;
    char types[120];
    ncb_type_names(types, sizeof types);
    run->collective = weir_place_of(a->io_type, collective) >= 0;
    run->file_per_process = weir_place_of(a->io_type, per_process) >= 0;
    REFUSE(!run->collective && !run->file_per_process && weir_place_of(a->io_type, independent) < 0,
           "-t=%s: the type is ind, coll or file-per-process", a->io_type);
    REFUSE(strcmp(a->output, "human") != 0 && strcmp(a->output, "parser") != 0,
           "-x=%s: the output is human or parser", a->output);
    const char *not_built = weir_not_built(a->format);
    run->base.backend = ncb_format_find(a->format);
    REFUSE(run->base.backend == NULL && not_built != NULL,
           "--format=%s: this weir-io was built without it; build it with %s", a->format, not_built);
    REFUSE(run->base.backend == NULL, "--format=%s: the format is netcdf4 or cdf5", a->format);
    run->by_position = strcmp(a->values, "position") == 0;
    REFUSE(!run->by_position && strcmp(a->values, "block") != 0,
           "--values=%s: the values are block or position", a->values);
    run->variable.type = ncb_type_find(a->type);
    REFUSE(run->variable.type == NULL, "--type=%s: the type is one of %s", a->type, types);
    return true;
}

static bool ncb_request_is_sound(const struct ncb_run *run, char *complaint) {
    const struct ncb_params *a = &run->requested;
    REFUSE(a->deflate_level < 0 || a->deflate_level > 9, "-z=%lld: the level is 0 to 9",
           (long long)a->deflate_level);
    REFUSE(a->zstd_level < 0 || a->zstd_level > 22, "--zstd=%lld: the level is 1 to 22",
           (long long)a->zstd_level);
    REFUSE(a->zstd_level > 0 && a->deflate_level > 0, "--zstd and -z exclude each other");
    REFUSE(a->shuffle && a->deflate_level == 0 && a->zstd_level == 0,
           "--shuffle needs -z or --zstd: alone it only moves bytes about");
    const char *type = run->variable.type->name;
    int64_t most = strcmp(type, "float") == 0 ? 7 : strcmp(type, "double") == 0 ? 15 : 0;
    REFUSE(a->quantize_digits != 0 && most == 0, "--quantize: values of type %s are whole; give --type=float",
           type);
    REFUSE(a->quantize_digits < 0 || a->quantize_digits > most, "--quantize=%lld: 1 to %lld digits of %s",
           (long long)a->quantize_digits, (long long)most, type);
    REFUSE(a->quantize_digits > 0 && a->verify,
           "--quantize with --verify: quantized values are not those that were written");
    REFUSE(a->iterations < 1 || a->iterations > 1000000, "--iterations=%lld: between 1 and 1000000",
           (long long)a->iterations);
    REFUSE(a->stonewall_s < 0, "--stonewall=%g: the time cannot be negative", a->stonewall_s);
    REFUSE(a->wear_out && a->stonewall_s <= 0, "--wear-out needs --stonewall=SECONDS");
    REFUSE(a->sync && !a->write, "--sync belongs to a write: give -w");
    REFUSE(a->test_file[0] == '\0' || strlen(a->test_file) > 900, "-f: the name is empty or too long");
    return true;
}

static bool ncb_format_can(const struct ncb_run *run, char *complaint) {
    const struct ncb_params *a = &run->requested;
    const char *type = run->file_per_process ? "file-per-process" : "ind";
    if (strcmp(a->format, "cdf5") == 0) {
        REFUSE(a->zstd_level > 0 || a->quantize_digits > 0,
               "--zstd and --quantize: CDF-5 has no filters; they need --format=netcdf4");
        REFUSE(a->chunk != NULL, "-c=%s: CDF-5 has no chunks; they need --format=netcdf4", a->chunk);
        REFUSE(a->deflate_level > 0, "-z=%lld: CDF-5 has no compression; it needs --format=netcdf4",
               (long long)a->deflate_level);
        REFUSE(a->fill && a->unlimited, "-F with -u: PnetCDF does not fill records as they come");
        return true;
    }
    REFUSE(a->unlimited && !run->collective,
           "-u with -t=%s: HDF5 extends a variable by collective calls only; give -t=coll", type);
    REFUSE((a->deflate_level > 0 || a->zstd_level > 0) && !run->collective,
           "-z or --zstd with -t=%s: HDF5 writes compressed chunks by collective calls only; give -t=coll",
           type);
    return true;
}

/* Hints may come more than once, so they are taken out of the arguments before the rest is parsed. */
static bool ncb_take_hints(struct ncb_run *run, int *argc, char **argv, char *complaint) {
    int kept = 0;
    for (int i = 0; i < *argc; i++) {
        if (strncmp(argv[i], "--hint", 6) != 0 || (argv[i][6] != '=' && argv[i][6] != '\0')) {
            argv[kept++] = argv[i];
            continue;
        }
        const char *text = argv[i][6] == '=' ? argv[i] + 7 : i + 1 < *argc ? argv[++i] : "";
        const char *equals = strchr(text, '=');
        struct weir_hint hint = {"", ""};
        REFUSE(equals == NULL || equals == text || equals[1] == '\0',
               "--hint=%s: the form is --hint=key=value", text);
        REFUSE((size_t)(equals - text) >= sizeof hint.key || strlen(equals + 1) >= sizeof hint.value,
               "--hint=%s: too long", text);
        snprintf(hint.key, sizeof hint.key, "%.*s", (int)(equals - text), text);
        snprintf(hint.value, sizeof hint.value, "%s", equals + 1);
        weir_hints_set(&run->base.hints, hint.key, hint.value);
    }
    *argc = kept;
    return true;
}

bool ncb_options_read(void *own, int argc, char **argv, char *complaint) {
    struct ncb_run *run = own;
    struct ncb_params *a = &run->requested;
    char **arguments = malloc(sizeof *arguments * (size_t)(argc + 1));
    struct weir_option_set sets[] = {
        {options, a}, {weir_document_options, &run->base.common}, {weir_start_options, &run->base.common}};
    *a = defaults;
    REFUSE(arguments == NULL, "no memory");
    memcpy(arguments, argv, sizeof *arguments * (size_t)argc);
    bool good = ncb_take_hints(run, &argc, arguments, complaint) &&
                weir_options_parse(argc, arguments, sets, 3, &run->base.texts, complaint);
    free(arguments);
    if (!good) {
        return false;
    }
    run->base.iterations = a->iterations;
    if (!a->write && !a->read && !a->verify) {
        a->write = 1;
    }
    if (!weir_common_is_sound(&run->base.common, complaint) || !ncb_words_are_known(run, complaint) ||
        !ncb_request_is_sound(run, complaint) || !ncb_format_can(run, complaint) ||
        !ncb_geometry_read(run, complaint)) {
        return false;
    }
    run->variable.unlimited = a->unlimited != 0;
    run->variable.fill = a->fill != 0;
    run->variable.shuffle = a->shuffle != 0;
    run->variable.deflate_level = (int)a->deflate_level;
    run->variable.zstd_level = (int)a->zstd_level;
    run->variable.quantize_digits = (int)a->quantize_digits;
    run->variable.found = &run->found;
    struct weir_open how = {.settings = &run->variable, .hints = &run->base.hints};
    return weir_backend_takes(&run->base, &how, complaint);
}
