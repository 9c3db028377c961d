#include "pattern.h"

#include "check.h"

#include <string.h>

#define XFER   16u
#define BLOCK  (3 * XFER)
#define RANKS  3u
#define PARTS  4u
#define PIECES (RANKS * PARTS * BLOCK / XFER)

static struct weir_pattern of_rank(unsigned rank) {
    struct weir_pattern pattern = {.first = rank * BLOCK,
                                   .step = XFER,
                                   .segment_step = RANKS * BLOCK,
                                   .per_segment = BLOCK / XFER,
                                   .segments = PARTS};
    weir_pattern_rewind(&pattern);
    return pattern;
}

static void test_ranks_cover_the_file_once(void) {
    int seen[PIECES];
    memset(seen, 0, sizeof seen);
    for (unsigned rank = 0; rank < RANKS; rank++) {
        struct weir_pattern pattern = of_rank(rank);
        uint64_t offset = 0, last = 0, count = 0;
        while (weir_pattern_next(&pattern, &offset)) {
            CHECK(offset % XFER == 0 && offset / XFER < PIECES);
            CHECK(count == 0 || offset > last);
            seen[offset / XFER]++;
            last = offset;
            count++;
        }
        CHECK(count == pattern.per_segment * pattern.segments);
        CHECK(!weir_pattern_next(&pattern, &offset));
    }
    for (unsigned i = 0; i < PIECES; i++) {
        CHECK(seen[i] == 1);
    }
}

static void test_table(void) {
    const uint64_t table[] = {32, 0, 16};
    const uint64_t expected[] = {32, 0, 16, 132, 100, 116};
    struct weir_pattern pattern = {.segment_step = 100, .per_segment = 3, .segments = 2, .table = table};
    uint64_t offset = 0;
    weir_pattern_rewind(&pattern);
    for (int i = 0; i < 6; i++) {
        CHECK(weir_pattern_next(&pattern, &offset) && offset == expected[i]);
    }
    CHECK(!weir_pattern_next(&pattern, &offset));
    weir_pattern_rewind(&pattern);
    CHECK(weir_pattern_next(&pattern, &offset) && offset == 32);
}

static void test_a_rank_without_operations(void) {
    struct weir_pattern pattern = {.segments = 5};
    uint64_t offset = 0;
    weir_pattern_rewind(&pattern);
    CHECK(!weir_pattern_next(&pattern, &offset));
}

int main(void) {
    test_ranks_cover_the_file_once();
    test_table();
    test_a_rank_without_operations();
    return finish();
}
