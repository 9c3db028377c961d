#include "options.h"

#include "check.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct things {
    int flag, other;
    int64_t count, size;
    double seconds;
    const char *text;
};

#define AT(member) offsetof(struct things, member)

static const struct weir_option options[] = {
    {'f', "flag", "theFlag", WEIR_FLAG, AT(flag), NULL, "a flag"},
    {'g', NULL, NULL, WEIR_FLAG, AT(other), NULL, "another"},
    {'c', "count", "count", WEIR_COUNT, AT(count), "N", "a count"},
    {'s', "size", "size", WEIR_SIZE, AT(size), "SIZE", "a size"},
    {'D', NULL, "seconds", WEIR_SECONDS, AT(seconds), "SECONDS", "a time"},
    {'o', "text-file", "text", WEIR_TEXT, AT(text), "FILE", "a text"},
    {'O', NULL, NULL, WEIR_DIRECTIVES, 0, "KEY=VALUE", "directives"},
    WEIR_OPTION_END,
};

static char complaint[WEIR_COMPLAINT];
static char *kept;

static bool parse(struct things *things, const char *line) {
    static char words[512];
    char *argv[32] = {"test"};
    int argc = 1;
    struct weir_option_set set = {options, things};
    memset(things, 0, sizeof *things);
    snprintf(words, sizeof words, "%s", line);
    for (char *word = strtok(words, " "); word != NULL && argc < 32; word = strtok(NULL, " ")) {
        argv[argc++] = word;
    }
    complaint[0] = '\0';
    free(kept);
    return weir_options_parse(argc, argv, &set, 1, &kept, complaint);
}

static void test_forms(void) {
    struct things t;
    CHECK(parse(&t, "-f -g -f") && t.flag == 2 && t.other == 1);
    CHECK(parse(&t, "-fgs16k") && t.flag == 1 && t.other == 1 && t.size == 16384);
    CHECK(parse(&t, "-s=2m -c 5 -D 0.25 -o -x") && t.size == 2 << 20 && t.count == 5 && t.seconds == 0.25);
    CHECK(t.text != NULL && strcmp(t.text, "-x") == 0);
    CHECK(parse(&t, "--size 1g --count=-3 --flag") && t.size == 1 << 30 && t.count == -3 && t.flag == 1);
    CHECK(parse(&t, "-O THEFLAG=1,size=3k -O text=a=b") && t.flag == 1 && t.size == 3072);
    CHECK(t.text != NULL && strcmp(t.text, "a=b") == 0);
}

static void test_mistakes(void) {
    static const struct {
        const char *line;
        const char *phrase;
    } cases[] = {
        {"-x", "unknown option -x"},
        {"-fx", "unknown option -x in -fx"},
        {"--sizes 3", "did you mean --size?"},
        {"--wildly-different 3", "unknown option --wildly-different"},
        {"-O sise=3", "did you mean size?"},
        {"-O flag", "key=value"},
        {"-s", "-s needs a value (SIZE)"},
        {"--size", "--size needs a value (SIZE)"},
        {"-s 16kb", "not a size"},
        {"-s -4", "not a size"},
        {"-s 1e3", "not a size"},
        {"-s 9223372036854775807k", "not a size"},
        {"-c 3x", "not a whole number"},
        {"-D soon", "not a number of seconds"},
        {"-D nan", "not a number of seconds"},
        {"stray", "'stray' is not a valid option"},
        {"-", "'-' is not a valid option"},
        {"--", "unknown option --"},
    };
    struct things t;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK(!parse(&t, cases[i].line));
        CHECK(strstr(complaint, cases[i].phrase) != NULL);
    }
}

static void test_sizes(void) {
    long long bytes = 0;
    CHECK(weir_size_parse("47008", &bytes) && bytes == 47008);
    CHECK(weir_size_parse("16K", &bytes) && bytes == 16384);
    CHECK(weir_size_parse("2t", &bytes) && bytes == 2LL << 40);
    CHECK(!weir_size_parse("", &bytes) && !weir_size_parse("k", &bytes) && !weir_size_parse("1 k", &bytes));
}

static void test_nearest(void) {
    const char *const words[] = {"summaryFile", "summaryFormat", "stoneWallingWearOut"};
    CHECK(strcmp(weir_nearest("sumaryfile", words, 3), "summaryFile") == 0);
    CHECK(strcmp(weir_nearest("stonewallwearout", words, 3), "stoneWallingWearOut") == 0);
    CHECK(weir_nearest("checksum", words, 3) == NULL);
}

static void test_first_set(void) {
    struct things t;
    struct weir_option_set set = {options, &t};
    CHECK(parse(&t, "-g") && weir_options_first_set(&set) == NULL);
    CHECK(parse(&t, "-o name") && strcmp(weir_options_first_set(&set), "text-file") == 0);
}

int main(void) {
    test_forms();
    test_mistakes();
    test_sizes();
    test_nearest();
    test_first_set();
    free(kept);
    return finish();
}
