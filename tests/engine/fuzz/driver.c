/* Where the compiler has no libFuzzer: inputs made of the target's arguments by a seeded generator, so that a
 * failure can be repeated.
 *
 *   fuzz-TARGET COUNT SEED      COUNT inputs
 *   fuzz-TARGET FILE            one input, as it was kept in fuzz-input of the current folder */
#include "target.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INPUT_BYTES 4096

static uint64_t state;

/* xorshift64* */
static uint64_t draw(uint64_t below) {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (state * 2685821657736338717u >> 16) % below;
}

static void append(char *input, size_t *length, const char *text) {
    size_t more = strlen(text);
    if (*length + more < INPUT_BYTES) {
        memcpy(input + *length, text, more);
        *length += more;
    }
}

static void append_number(char *input, size_t *length) {
    static const char *const odd[] = {"0",
                                      "-1",
                                      "9223372036854775807",
                                      "-9223372036854775808",
                                      "1e400",
                                      "1:1",
                                      "4096k",
                                      "18446744073709551616",
                                      "0x10",
                                      "8g"};
    char text[32];
    if (draw(3) == 0) {
        append(input, length, odd[draw(sizeof odd / sizeof odd[0])]);
        return;
    }
    uint64_t number = draw((uint64_t)1 << draw(40));
    snprintf(text, sizeof text, "%llu%.1s", (unsigned long long)(draw(2) ? number * 8 : number),
             "kmgtx" + draw(5));
    append(input, length, text);
}

/* A word of the target, mostly as it is; else with a number behind it, or with a byte that does not belong.
 */
static void append_argument(char *input, size_t *length, const char *const *arguments, size_t count) {
    size_t at = *length;
    append(input, length, arguments[draw(count)]);
    if (draw(8) == 0) {
        append(input, length, draw(2) ? "=" : "");
        append_number(input, length);
    }
    if (draw(32) == 0 && *length > at) {
        input[at + draw(*length - at)] = (char)draw(256);
    }
    append(input, length, "\n");
}

static bool replay(const char *name) {
    static uint8_t input[INPUT_BYTES];
    FILE *file = fopen(name, "r");
    if (file == NULL) {
        return false;
    }
    size_t length = fread(input, 1, sizeof input, file);
    fclose(file);
    LLVMFuzzerTestOneInput(input, length);
    return true;
}

static void keep(const char *input, size_t length) {
    FILE *file = fopen("fuzz-input", "w");
    if (file != NULL) {
        fwrite(input, 1, length, file);
        fclose(file);
    }
}

int main(int argc, char **argv) {
    static char input[INPUT_BYTES];
    if (argc == 2 && replay(argv[1])) {
        return 0;
    }
    if (argc != 3) {
        fprintf(stderr, "fuzz: takes COUNT SEED, or the FILE of an input\n");
        return 2;
    }
    unsigned long long count = strtoull(argv[1], NULL, 10);
    uint64_t seed = strtoull(argv[2], NULL, 10);
    bool kept = getenv("FUZZ_KEEP") != NULL; /* slow: each input is kept before it is tried */
    for (unsigned long long i = 0; i < count; i++) {
        size_t length = 0;
        state = seed * 0x9e3779b97f4a7c15u + i + 1;
        draw(2);
        input[length++] = (char)draw(256);
        const char *const *arguments = fuzz_arguments((uint8_t)input[0]);
        size_t choice = 0;
        while (arguments[choice] != NULL) {
            choice++;
        }
        for (uint64_t word = draw(9); word > 0; word--) {
            append_argument(input, &length, arguments, choice);
        }
        if (kept) {
            keep(input, length);
        }
        LLVMFuzzerTestOneInput((const uint8_t *)input, length);
    }
    printf("%llu inputs\n", count);
    return 0;
}
