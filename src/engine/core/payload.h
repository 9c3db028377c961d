/* What the bytes are: the data packets of IOR 4, so that a file shows which rank wrote it, and data whose
 * compressibility and duplicates are requested. All but TIMESTAMP also contain the offset, so that a piece
 * in the wrong place is found. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum weir_payload_kind {
    WEIR_PAYLOAD_TIMESTAMP,      /* rank and running number, the same for every piece */
    WEIR_PAYLOAD_OFFSET,         /* and the offset at the head of every 4 KiB */
    WEIR_PAYLOAD_INCOMPRESSIBLE, /* one random word, and the offset at the head of every 4 KiB */
    WEIR_PAYLOAD_RANDOM,         /* random numbers that depend on the low 32 bits of the offset */
    WEIR_PAYLOAD_CONTROLLED, /* random numbers by owner and whole offset; a share is zeros or duplicates */
    WEIR_PAYLOAD_KINDS,
    WEIR_PAYLOAD_MADE = WEIR_PAYLOAD_KINDS, /* by a function of the personality */
};

/* As fio has them, in blocks of 4 KiB. */
struct weir_payload_control {
    int64_t compress_percent; /* of each block: zeros at its end */
    int64_t dedupe_percent;   /* of the blocks: all the same one */
};

struct weir_payload;
typedef void weir_payload_make(const struct weir_payload *payload, unsigned char *memory, uint64_t offset);

struct weir_payload {
    enum weir_payload_kind kind;
    struct weir_payload_control control; /* of CONTROLLED */
    weir_payload_make *make;             /* of MADE: the bytes of a piece at the offset */
    const void *maker;
    uint32_t signature;      /* seed or time stamp of this iteration */
    uint32_t rank;           /* whose data it is */
    size_t bytes;            /* of one piece */
    unsigned char *buffer;   /* page aligned */
    unsigned char *expected; /* for comparison, page aligned */
    unsigned char *slots;    /* further buffers, each page aligned; NULL: none */
    unsigned slot_count;
    size_t slot_bytes; /* from one to the next */
};

/* What verification found. Differences are counted in units of 8 bytes. */
struct weir_verify {
    uint64_t checked_bytes;
    uint64_t errors;
    uint64_t first_offset;
    uint64_t first_expected;
    uint64_t first_found;
};

/* How much a compressor and a deduplication could save of a sample of what the job writes. */
struct weir_payload_sample {
    uint64_t sampled_bytes;  /* 0: nothing was sampled */
    double compressed_share; /* of the sample that is left after compression; on rank 0's part */
    double
        unique_share; /* blocks of 4 KiB that no other sampled block equals, the first of equals included */
};

/* Compare what was found at the offset of a file with what should be there. */
void weir_verify_compare(struct weir_verify *verify, uint64_t offset, const void *found, const void *expected,
                         size_t bytes);

/* Finds a kind by its name or the letter that it begins with; false where it is neither. */
bool weir_payload_kind_find(const char *name, enum weir_payload_kind *kind);
/* Percentages that can be, and a kind that has them. */
bool weir_payload_control_fits(enum weir_payload_kind kind, const struct weir_payload_control *control);
const char *weir_payload_kind_name(enum weir_payload_kind kind);
/* Zeros, aligned to a page; NULL without memory. */
unsigned char *weir_pages(size_t bytes);
/* False without memory. */
bool weir_payload_begin(struct weir_payload *payload, enum weir_payload_kind kind, size_t bytes, bool verify);
void weir_payload_end(struct weir_payload *payload);
/* Fill the buffer with what the rank writes. */
void weir_payload_fill(struct weir_payload *payload, uint32_t signature, uint32_t rank);
/* So many further buffers, filled like the first; kept until the end. False without memory. */
bool weir_payload_slots(struct weir_payload *payload, unsigned count);
static inline unsigned char *weir_payload_slot(const struct weir_payload *payload, unsigned number) {
    return payload->slots + number * payload->slot_bytes;
}
/* Make the filled buffer, or a slot, right for a piece at the offset. */
void weir_payload_place(const struct weir_payload *payload, unsigned char *memory, uint64_t offset);
/* Spoil it so that a read which delivers nothing is noticed. */
void weir_payload_spoil(const struct weir_payload *payload, unsigned char *memory);
/* Compare it with what the rank wrote at the offset. */
void weir_payload_check(const struct weir_payload *payload, const unsigned char *memory, uint64_t offset,
                        struct weir_verify *verify);
