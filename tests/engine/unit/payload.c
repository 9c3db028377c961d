#include "payload.h"

#include "check.h"

#include <string.h>

#define BYTES 12288u

static uint64_t word(const unsigned char *memory, size_t index) {
    uint64_t value;
    memcpy(&value, memory + 8 * index, 8);
    return value;
}

static void test_timestamp_words(void) {
    struct weir_payload payload;
    CHECK(weir_payload_begin(&payload, WEIR_PAYLOAD_TIMESTAMP, BYTES, false));
    weir_payload_fill(&payload, 42, 3);
    weir_payload_place(&payload, payload.buffer, 4096);
    CHECK(word(payload.buffer, 0) == 0x30000002aULL);
    CHECK(word(payload.buffer, 512) == 0x30000022aULL);
    CHECK(payload.expected == NULL);
    weir_payload_end(&payload);
}

static void test_offset_words(void) {
    struct weir_payload payload;
    CHECK(weir_payload_begin(&payload, WEIR_PAYLOAD_OFFSET, BYTES, false));
    weir_payload_fill(&payload, 42, 3);
    weir_payload_place(&payload, payload.buffer, 0x123456789000ULL);
    CHECK(word(payload.buffer, 0) == 0x356789000ULL);
    CHECK(word(payload.buffer, 1) == 0x30000002bULL);
    CHECK(word(payload.buffer, 512) == 0x3acf12000ULL);
    weir_payload_end(&payload);
}

/* Those that fill a huge page begin at one; of slots that grow the old ones are freed. */
static void test_slots_of_huge_pages(void) {
    const unsigned small = 2, large = 200;
    struct weir_payload payload;
    CHECK(weir_payload_begin(&payload, WEIR_PAYLOAD_TIMESTAMP, BYTES, false));
    weir_payload_fill(&payload, 42, 3);
    CHECK(weir_payload_slots(&payload, small) && (uintptr_t)payload.slots % 4096 == 0);
    CHECK(weir_payload_slots(&payload, large) && (uintptr_t)payload.slots % (2u << 20) == 0);
    CHECK(memcmp(weir_payload_slot(&payload, large - 1), payload.buffer, BYTES) == 0);
    weir_payload_end(&payload);
}

/* What was placed compares equal; one flipped bit anywhere, another owner, another offset do not. */
static void test_check(enum weir_payload_kind kind) {
    struct weir_payload payload;
    struct weir_verify verify = {0};
    CHECK(weir_payload_begin(&payload, kind, BYTES, true));
    weir_payload_fill(&payload, 7, 1);
    weir_payload_place(&payload, payload.buffer, 24576);
    weir_payload_check(&payload, payload.buffer, 24576, &verify);
    CHECK(verify.errors == 0 && verify.checked_bytes == BYTES);
    for (size_t at = 0; at < BYTES; at += 511) {
        memset(&verify, 0, sizeof verify);
        payload.buffer[at] ^= 4;
        weir_payload_check(&payload, payload.buffer, 24576, &verify);
        CHECK(verify.errors == 1 && verify.first_offset == 24576 + at / 8 * 8);
        CHECK(verify.first_expected != verify.first_found);
        payload.buffer[at] ^= 4;
    }
    memset(&verify, 0, sizeof verify);
    weir_payload_check(&payload, payload.buffer, 36864, &verify);
    CHECK((verify.errors > 0) == (kind != WEIR_PAYLOAD_TIMESTAMP));
    memset(&verify, 0, sizeof verify);
    payload.rank = 2;
    weir_payload_spoil(&payload, payload.buffer);
    weir_payload_check(&payload, payload.buffer, 24576, &verify);
    CHECK(verify.errors >= BYTES / 512);
    weir_payload_end(&payload);
}

/* A whole offset of 64 bits counts, whatever the pieces; of a block a share is zeros. */
static void test_controlled(void) {
    struct weir_payload whole, part;
    struct weir_verify verify = {0};
    CHECK(weir_payload_begin(&whole, WEIR_PAYLOAD_CONTROLLED, BYTES, true));
    CHECK(weir_payload_begin(&part, WEIR_PAYLOAD_CONTROLLED, 1024, false));
    whole.control.compress_percent = part.control.compress_percent = 25;
    weir_payload_fill(&whole, 7, 1);
    weir_payload_fill(&part, 7, 1);
    weir_payload_place(&whole, whole.buffer, 0);
    weir_payload_place(&part, part.buffer, 5120);
    CHECK(memcmp(whole.buffer + 5120, part.buffer, 1024) == 0);
    CHECK(word(whole.buffer, 383) != 0 && word(whole.buffer, 384) == 0 && word(whole.buffer, 511) == 0);
    weir_payload_check(&whole, whole.buffer, (uint64_t)1 << 32, &verify);
    CHECK(verify.errors > BYTES / 16);
    weir_payload_end(&whole);
    weir_payload_end(&part);
}

int main(void) {
    test_timestamp_words();
    test_offset_words();
    test_slots_of_huge_pages();
    test_check(WEIR_PAYLOAD_TIMESTAMP);
    test_check(WEIR_PAYLOAD_OFFSET);
    test_check(WEIR_PAYLOAD_INCOMPRESSIBLE);
    test_check(WEIR_PAYLOAD_RANDOM);
    test_check(WEIR_PAYLOAD_CONTROLLED);
    test_controlled();
    return finish();
}
