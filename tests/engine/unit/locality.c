/* The order of offsets of every locality of io-model. */
#include "personalities/io_model/io_model_locality.h"

#include "mix.h"

#include "check.h"

#include <string.h>

#define SPACE  1000
#define ACCESS 100
#define COUNT  4096

static int64_t offsets[COUNT];

static void walk(const char *word, int64_t align_bytes, uint64_t seed) {
    struct iom_locality locality;
    CHECK(iom_locality_parse(word, &locality));
    iom_locality_begin(&locality, SPACE, ACCESS, align_bytes, seed);
    for (int i = 0; i < COUNT; i++) {
        offsets[i] = iom_locality_next(&locality);
        CHECK(offsets[i] >= 0 && offsets[i] <= SPACE - ACCESS);
        CHECK(offsets[i] % align_bytes == 0);
    }
}

static bool begins(const int64_t *expected, int count) {
    return memcmp(offsets, expected, sizeof *expected * (size_t)count) == 0;
}

static void test_fixed_orders(void) {
    static const int64_t zero[] = {0, 0, 0, 0};
    static const int64_t ordered[] = {0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 0, 100};
    static const int64_t strides[] = {0, 350, 700, 149, 499, 849, 298};
    static const int64_t backwards[] = {900, 750, 600, 450, 300, 150, 0, 751, 601};
    static const int64_t to_the_start[] = {900, 800, 700, 600, 500, 400, 300, 200, 100, 0, 801};
    walk("off0", 1, 0);
    CHECK(begins(zero, 4));
    walk("seq", 1, 0);
    CHECK(begins(ordered, 12));
    walk("stride250", 1, 0);
    CHECK(begins(strides, 7));
    walk("reverse50", 1, 0);
    CHECK(begins(backwards, 9));
    walk("reverse", 1, 0);
    CHECK(begins(to_the_start, 11));
    walk("reverse0", 1, 0);
    CHECK(begins(to_the_start, 11));
}

static void test_random_is_even_and_repeats_by_seed(void) {
    static int64_t before[COUNT];
    int below = 0, changed = 0;
    walk("rnd", 1, 7);
    memcpy(before, offsets, sizeof before);
    walk("rnd", 1, 7);
    CHECK(memcmp(before, offsets, sizeof before) == 0);
    walk("rnd", 1, 8);
    for (int i = 0; i < COUNT; i++) {
        below += offsets[i] < 450;
        changed += offsets[i] != before[i];
    }
    CHECK(below > COUNT * 45 / 100 && below < COUNT * 55 / 100);
    CHECK(changed > COUNT * 9 / 10);
}

/* X is the gap between one access and the next, on either side. */
static void test_nearby_stays_near(void) {
    int forward = 0;
    walk("rnd60", 1, 3);
    CHECK(offsets[0] == 0);
    for (int i = 1; i < COUNT; i++) {
        int64_t step = offsets[i] - offsets[i - 1];
        int64_t gap = (step < 0 ? -step : step) - ACCESS;
        CHECK(gap >= 0 && gap <= 60);
        forward += step > 0;
    }
    CHECK(forward > COUNT / 4 && forward < 3 * COUNT / 4);
}

static void test_swaying_stride(void) {
    int64_t least = SPACE, greatest = -SPACE;
    walk("stride50,20", 1, 3);
    for (int i = 1; i < COUNT; i++) {
        int64_t step = offsets[i] - offsets[i - 1];
        if (step > 0) { /* else it went on at the beginning */
            least = step < least ? step : least;
            greatest = step > greatest ? step : greatest;
        }
    }
    CHECK(least == 130 && greatest == 170);
}

static void test_alignment(void) {
    walk("rnd", 64, 5);
    walk("rnd60", 64, 5);
    walk("stride50,20", 64, 5);
    walk("reverse7", 64, 5);
    walk("stride7", 64, 5);
}

static void test_words(void) {
    static const char *const wrong[] = {"zigzag", "",      "rndx",     "rnd5,5",   "stride", "stride-1",
                                        "seq1",   "off1",  "stride5,", "stride,",  "rnd1q",  "reverse1,2",
                                        "SEQ",    "rnd 5", "stridek",  "stride1,x"};
    struct iom_locality locality;
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK(!iom_locality_parse(wrong[i], &locality));
    }
    CHECK(iom_locality_parse("stride8m,4k", &locality));
    CHECK(locality.x_bytes == 8 << 20 && locality.y_bytes == 4096 && iom_locality_is_random(&locality));
    CHECK(iom_locality_parse("rnd8m", &locality) && locality.x_bytes == 8 << 20);
    CHECK(iom_locality_parse("stride0", &locality) && !iom_locality_is_random(&locality));
}

/* The generator is SplitMix64: the first numbers of seed 0 are known. */
static void test_generator(void) {
    uint64_t state = 0;
    CHECK(weir_mix_next(&state) == 0xe220a8397b1dcdafu);
    CHECK(weir_mix_next(&state) == 0x6e789e6aa1b965f4u);
}

int main(void) {
    test_fixed_orders();
    test_random_is_even_and_repeats_by_seed();
    test_nearby_stays_near();
    test_swaying_stride();
    test_alignment();
    test_words();
    test_generator();
    return finish();
}
