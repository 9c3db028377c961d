#include "payload.h"

#include "mix.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

#define BLOCK_WORDS 512u /* 4 KiB, with a head word in OFFSET and INCOMPRESSIBLE */

static const char *const names[] = {"timestamp", "offset", "incompressible", "random", "controlled"};

bool weir_payload_kind_find(const char *name, enum weir_payload_kind *kind) {
    for (int i = 0; i < WEIR_PAYLOAD_KINDS; i++) {
        if (strcasecmp(name, names[i]) == 0 || (name[0] == names[i][0] && name[1] == '\0')) {
            *kind = (enum weir_payload_kind)i;
            return true;
        }
    }
    return false;
}

bool weir_payload_control_fits(enum weir_payload_kind kind, const struct weir_payload_control *control) {
    const int64_t compress = control->compress_percent, dedupe = control->dedupe_percent;
    bool none = compress == 0 && dedupe == 0;
    bool possible = compress >= 0 && compress <= 100 && dedupe >= 0 && dedupe <= 100;
    return none || (possible && kind == WEIR_PAYLOAD_CONTROLLED);
}

const char *weir_payload_kind_name(enum weir_payload_kind kind) {
    return names[kind];
}

#define HUGE_PAGE_BYTES ((size_t)2 << 20)

static unsigned char *payload_allocate(size_t alignment, size_t bytes, bool huge) {
    void *memory = NULL;
    if (posix_memalign(&memory, alignment, bytes) != 0) {
        return NULL;
    }
    if (huge) {
        (void)madvise(memory, bytes, MADV_HUGEPAGE); /* a kernel without them gives small ones */
    }
    memset(memory, 0, bytes);
    return memory;
}

unsigned char *weir_pages(size_t bytes) {
    long page = sysconf(_SC_PAGESIZE);
    return payload_allocate(page > 0 ? (size_t)page : 4096, bytes, false);
}

/* For transfers by a queue, in huge pages where they fill one: scattered pages of 4 KiB are more pieces than
 * many devices take at once, and a transfer of 1 MiB becomes two. */
static unsigned char *payload_slots(size_t bytes) {
    size_t whole = (bytes + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
    return bytes < HUGE_PAGE_BYTES / 2 ? weir_pages(bytes) : payload_allocate(HUGE_PAGE_BYTES, whole, true);
}

bool weir_payload_begin(struct weir_payload *payload, enum weir_payload_kind kind, size_t bytes,
                        bool verify) {
    memset(payload, 0, sizeof *payload);
    payload->kind = kind;
    payload->bytes = bytes;
    payload->buffer = weir_pages(bytes);
    payload->expected = verify ? weir_pages(bytes) : NULL;
    return payload->buffer != NULL && (!verify || payload->expected != NULL);
}

void weir_payload_end(struct weir_payload *payload) {
    free(payload->buffer);
    free(payload->expected);
    free(payload->slots);
    payload->buffer = payload->expected = payload->slots = NULL;
}

static void payload_fill(const struct weir_payload *payload, unsigned char *memory) {
    uint64_t *numbers = (uint64_t *)(void *)memory;
    size_t count = payload->bytes / sizeof *numbers;
    uint64_t owner = (uint64_t)payload->rank << 32;
    if (payload->kind == WEIR_PAYLOAD_INCOMPRESSIBLE) {
        unsigned seed = payload->signature + payload->rank;
        uint64_t high = (uint64_t)rand_r(&seed) << 32;
        uint64_t word = high | (uint64_t)rand_r(&seed);
        for (size_t i = 0; i < count; i++) {
            numbers[i] = word;
        }
    } else if (payload->kind == WEIR_PAYLOAD_TIMESTAMP || payload->kind == WEIR_PAYLOAD_OFFSET) {
        /* IOR adds the signature as a signed int: one beyond 2^31 fills the upper half with ones. */
        uint64_t number = (uint64_t)(int64_t)(int32_t)payload->signature;
        for (size_t i = 0; i < count; i++) {
            numbers[i] = owner | (number + i);
        }
    }
    for (size_t at = count * sizeof *numbers; payload->kind != WEIR_PAYLOAD_MADE && at < payload->bytes;
         at++) {
        memory[at] = (unsigned char)at; /* a file of mdtest may end within a word */
    }
}

/* Each number from the block's seed and its index alone: none waits for the one before it (wyrand). */
static inline uint64_t payload_random_number(uint64_t seed, uint64_t index) {
    __extension__ typedef unsigned __int128 wide;
    uint64_t state = seed + index * 0xa0761d6478bd642fu;
    wide product = (wide)state * (state ^ 0xe7037ed1a0b428dbu);
    return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

static uint64_t payload_block_seed(const struct weir_payload *payload, uint64_t block, bool *duplicate) {
    uint64_t owner = (uint64_t)payload->signature << 32 | payload->rank;
    uint64_t seed = weir_mix(weir_mix(owner + WEIR_GOLDEN) + block);
    *duplicate = seed % 100 < (uint64_t)payload->control.dedupe_percent;
    return *duplicate ? weir_mix(payload->signature + WEIR_GOLDEN) : seed;
}

/* Blocks lie at multiples of their size in the file, wherever the pieces begin. */
static void payload_place_controlled(const struct weir_payload *payload, uint64_t *numbers, size_t count,
                                     uint64_t offset) {
    uint64_t kept = BLOCK_WORDS * (uint64_t)(100 - payload->control.compress_percent) / 100;
    uint64_t first = offset / sizeof *numbers;
    for (size_t i = 0; i < count;) {
        bool duplicate;
        uint64_t seed = payload_block_seed(payload, (first + i) / BLOCK_WORDS, &duplicate);
        uint64_t index = (first + i) % BLOCK_WORDS;
        for (; index < BLOCK_WORDS && i < count; index++, i++) {
            numbers[i] = index < kept ? payload_random_number(seed, index + 1) : 0;
        }
    }
}

void weir_payload_place(const struct weir_payload *payload, unsigned char *memory, uint64_t offset) {
    uint64_t *numbers = (uint64_t *)(void *)memory;
    size_t count = payload->bytes / sizeof *numbers;
    if (payload->kind == WEIR_PAYLOAD_MADE) {
        payload->make(payload, memory, offset);
    } else if (payload->kind == WEIR_PAYLOAD_CONTROLLED) {
        payload_place_controlled(payload, numbers, count, offset);
    } else if (payload->kind == WEIR_PAYLOAD_RANDOM) {
        unsigned seed = payload->signature + payload->rank + (unsigned)offset;
        uint64_t state = (uint64_t)rand_r(&seed);
        for (size_t i = 0; i < count; i++) {
            state *=
                0x9e37fffffffc0001u; /* a prime near 2^64 over the golden ratio, as IOR's generator has it */
            state >>= 3;
            numbers[i] = state;
        }
    } else if (payload->kind != WEIR_PAYLOAD_TIMESTAMP) {
        uint32_t number = 1;
        for (size_t i = 0; i < count; i += BLOCK_WORDS, number++) {
            numbers[i] = (uint32_t)((uint32_t)offset * number) | (uint64_t)payload->rank << 32;
        }
    }
}

void weir_payload_fill(struct weir_payload *payload, uint32_t signature, uint32_t rank) {
    payload->signature = signature;
    payload->rank = rank;
    payload_fill(payload, payload->buffer);
    if (payload->expected != NULL) {
        payload_fill(payload, payload->expected);
    }
    for (unsigned i = 0; i < payload->slot_count; i++) {
        payload_fill(payload, weir_payload_slot(payload, i));
    }
}

bool weir_payload_slots(struct weir_payload *payload, unsigned count) {
    const size_t page = 4096;
    if (payload->slot_count >= count) {
        return true;
    }
    free(payload->slots);
    payload->slot_bytes = (payload->bytes + page - 1) / page * page;
    payload->slots = payload_slots(payload->slot_bytes * count);
    payload->slot_count = payload->slots != NULL ? count : 0;
    for (unsigned i = 0; i < payload->slot_count; i++) {
        payload_fill(payload, weir_payload_slot(payload, i));
    }
    return payload->slots != NULL;
}

void weir_payload_spoil(const struct weir_payload *payload, unsigned char *memory) {
    for (size_t at = 0; at < payload->bytes; at += 512) {
        memory[at] = (unsigned char)~memory[at];
    }
}

void weir_verify_compare(struct weir_verify *verify, uint64_t offset, const void *found, const void *expected,
                         size_t bytes) {
    verify->checked_bytes += bytes;
    if (memcmp(found, expected, bytes) == 0) {
        return;
    }
    for (size_t at = 0; at < bytes; at += 8) {
        uint64_t is = 0, should = 0;
        size_t part = bytes - at < 8 ? bytes - at : 8;
        memcpy(&is, (const unsigned char *)found + at, part);
        memcpy(&should, (const unsigned char *)expected + at, part);
        if (is == should) {
            continue;
        }
        if (verify->errors == 0) {
            verify->first_offset = offset + at;
            verify->first_expected = should;
            verify->first_found = is;
        }
        verify->errors++;
    }
}

void weir_payload_check(const struct weir_payload *payload, const unsigned char *memory, uint64_t offset,
                        struct weir_verify *verify) {
    weir_payload_place(payload, payload->expected, offset);
    weir_verify_compare(verify, offset, memory, payload->expected, payload->bytes);
}
