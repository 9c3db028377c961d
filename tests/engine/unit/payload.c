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
    weir_payload_place(&payload, 4096);
    CHECK(word(payload.buffer, 0) == 0x30000002aULL);
    CHECK(word(payload.buffer, 512) == 0x30000022aULL);
    CHECK(payload.expected == NULL);
    weir_payload_end(&payload);
}

static void test_offset_words(void) {
    struct weir_payload payload;
    CHECK(weir_payload_begin(&payload, WEIR_PAYLOAD_OFFSET, BYTES, false));
    weir_payload_fill(&payload, 42, 3);
    weir_payload_place(&payload, 0x123456789000ULL);
    CHECK(word(payload.buffer, 0) == 0x356789000ULL);
    CHECK(word(payload.buffer, 1) == 0x30000002bULL);
    CHECK(word(payload.buffer, 512) == 0x3acf12000ULL);
    weir_payload_end(&payload);
}

/* What was placed compares equal; one flipped bit anywhere, another owner, another place do not. */
static void test_check(enum weir_payload_kind kind) {
    struct weir_payload payload;
    struct weir_verify verify = {0};
    CHECK(weir_payload_begin(&payload, kind, BYTES, true));
    weir_payload_fill(&payload, 7, 1);
    weir_payload_place(&payload, 24576);
    weir_payload_check(&payload, 24576, &verify);
    CHECK(verify.errors == 0 && verify.checked_bytes == BYTES);
    for (size_t at = 0; at < BYTES; at += 511) {
        memset(&verify, 0, sizeof verify);
        payload.buffer[at] ^= 4;
        weir_payload_check(&payload, 24576, &verify);
        CHECK(verify.errors == 1 && verify.first_offset == 24576 + at / 8 * 8);
        CHECK(verify.first_expected != verify.first_found);
        payload.buffer[at] ^= 4;
    }
    memset(&verify, 0, sizeof verify);
    weir_payload_check(&payload, 36864, &verify);
    CHECK((verify.errors > 0) == (kind != WEIR_PAYLOAD_TIMESTAMP));
    memset(&verify, 0, sizeof verify);
    payload.rank = 2;
    weir_payload_spoil(&payload);
    weir_payload_check(&payload, 24576, &verify);
    CHECK(verify.errors >= BYTES / 512);
    weir_payload_end(&payload);
}

int main(void) {
    test_timestamp_words();
    test_offset_words();
    test_check(WEIR_PAYLOAD_TIMESTAMP);
    test_check(WEIR_PAYLOAD_OFFSET);
    test_check(WEIR_PAYLOAD_INCOMPRESSIBLE);
    test_check(WEIR_PAYLOAD_RANDOM);
    return finish();
}
