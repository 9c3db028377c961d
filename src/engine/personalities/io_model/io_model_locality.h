/* Where the next operation goes, in a file or in the memory buffer: the localities of io-model. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum iom_order {
    IOM_OFF0,    /* always at 0 */
    IOM_SEQ,     /* one after the other */
    IOM_RND,     /* anywhere */
    IOM_NEAR,    /* rndX: at most X bytes before or behind the last one */
    IOM_STRIDE,  /* strideX: one after the other with holes of X bytes */
    IOM_SWAY,    /* strideX,Y: and up to Y bytes to either side of it */
    IOM_REVERSE, /* reverseX: from the end, with holes of X bytes */
};

struct iom_locality {
    enum iom_order order;
    int64_t x_bytes;
    int64_t y_bytes;
    /* what it walks through */
    int64_t space_bytes;
    int64_t access_bytes;
    int64_t align_bytes;
    /* where it stands */
    int64_t position;
    bool started;
    uint64_t random_state;
};

/* off0, seq, rnd, rndX, strideX, strideX,Y, reverseX; X and Y are bytes or have k, m, g. False if it is none.
 */
bool iom_locality_parse(const char *text, struct iom_locality *locality);
/* Whether chance has a part in it. */
bool iom_locality_is_random(const struct iom_locality *locality);
/* Before the first offset: the space, the bytes of an access, what every offset is a multiple of. */
void iom_locality_begin(struct iom_locality *locality, int64_t space_bytes, int64_t access_bytes,
                        int64_t align_bytes, uint64_t seed);
/* An offset at which the whole access lies within the space. */
int64_t iom_locality_next(struct iom_locality *locality);
