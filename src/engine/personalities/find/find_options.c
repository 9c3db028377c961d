#include "find.h"

#include "words.h"

#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(struct find_params, member)

static const struct weir_option options[] = {
    {0, "directory", NULL, WEIR_TEXT, AT(directory), "DIR",
     "where to begin; the first argument without a dash too"},
    {0, "name", NULL, WEIR_TEXT, AT(name), "PATTERN",
     "names of files, a pattern of the shell such as '*01*'"},
    {0, "size", NULL, WEIR_TEXT, AT(size), "BYTESc", "files of exactly this size, such as 3901c"},
    {0, "newer", NULL, WEIR_TEXT, AT(newer), "FILE", "files that were written after this one"},
    {'C', NULL, NULL, WEIR_FLAG, AT(count_only), NULL, "count only, print no names"},
    {'q', NULL, NULL, WEIR_COUNT, AT(queue), "N",
     "files that wait on a rank to be looked at, at most [100000]"},
    {0, "make-files", NULL, WEIR_COUNT, AT(make_files), "N",
     "before the walk, untimed, each rank makes N files in DIR [0]"},
    {0, "make-directories", NULL, WEIR_COUNT, AT(make_directories), "N", "in so many directories [1]"},
    {0, "make-bytes", NULL, WEIR_SIZE, AT(make_bytes), "SIZE", "with so many bytes [0]"},
    WEIR_OPTION_END,
};

void find_help(void) {
    printf(
        "weir-io find DIR: counts the files of a tree and finds some, all ranks together, by the options of\n"
        "find and of IO500's pfind; -name, -size and -newer may have one dash. What is not here is "
        "refused.\n\n"
        "Exit code 0: done. 1: something could not be read. 2: wrong use.\n\n");
    weir_options_print(options);
    weir_options_print(weir_document_options);
}

/* find writes long options with one dash, and the directory without an option: brought into the form of the
 * others. */
static char **find_in_long_form(int argc, char **argv, int *count) {
    static const char *const single[] = {"-name", "-size", "-newer", NULL};
    static const char *const with_value[] = {
        "--name",       "--size",      "--newer",      "-q",
        "--json",       "--directory", "--make-files", "--make-directories",
        "--make-bytes", NULL};
    static char double_name[] = "--name", double_size[] = "--size", double_newer[] = "--newer";
    static char directory[] = "--directory";
    char *const doubled[] = {double_name, double_size, double_newer};
    char **arguments = calloc((size_t)argc * 2 + 1, sizeof *arguments);
    bool value = false;
    *count = 0;
    for (int i = 0; arguments != NULL && i < argc; i++) {
        int place = value ? -1 : weir_place_of(argv[i], single);
        char *argument = place >= 0 ? doubled[place] : argv[i];
        bool is_option = !value && weir_place_of(argument, with_value) >= 0;
        if (i > 0 && !value && !is_option && argument[0] != '-') {
            arguments[(*count)++] = directory;
        }
        arguments[(*count)++] = argument;
        value = is_option;
    }
    return arguments;
}

static bool find_size_is_sound(struct find_run *run, char *complaint) {
    const char *text = run->requested.size;
    char *end = NULL;
    run->size_bytes = -1;
    if (text == NULL) {
        return true;
    }
    long long size = strtoll(text, &end, 10);
    REFUSE(end == text || strcmp(end, "c") != 0 || size < 0,
           "-size %s: bytes with a c behind them, such as 3901c; find's other units are not offered", text);
    run->size_bytes = size;
    return true;
}

bool find_options_read(void *own, int argc, char **argv, char *complaint) {
    struct find_run *run = own;
    struct weir_option_set sets[] = {{options, &run->requested}, {weir_document_options, &run->base.common}};
    int count = 0;
    char **arguments = find_in_long_form(argc, argv, &count);
    REFUSE(arguments == NULL, "no memory for the options");
    run->requested.queue = 100000;
    run->requested.make_directories = 1;
    bool good = weir_options_parse(count, arguments, sets, 2, &run->base.texts, complaint);
    free(arguments);
    if (!good) {
        return false;
    }
    const struct find_params *a = &run->requested;
    REFUSE(a->directory == NULL, "a directory to begin with is missing: weir-io find DIR");
    REFUSE(a->directory[0] == '\0' || strlen(a->directory) > 900, "DIR: the name is empty or too long");
    REFUSE(a->queue < 10, "-q %lld: at least 10 files", (long long)a->queue);
    REFUSE(a->make_files < 0 || a->make_directories < 1 || a->make_bytes > (1LL << 30),
           "--make-files at least 0, --make-directories at least 1, --make-bytes at most 1g");
    REFUSE(a->make_directories > a->make_files && a->make_files > 0,
           "--make-directories %lld: more than the %lld files that are to be in them",
           (long long)a->make_directories, (long long)a->make_files);
    return weir_common_is_sound(&run->base.common, complaint) && find_size_is_sound(run, complaint);
}
