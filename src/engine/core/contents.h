/* Whether reads of a file in memory give what the file has, by a sample of their bytes: what leads them to
 * another file (a library in place of MPI, a sandbox) moves as many bytes, and in memory no other count
 * tells.
 */
#pragma once

#include "phase.h"

struct weir_contents {
    int descriptor; /* of its own; -1: nothing is compared */
    uint64_t reads; /* so far */
};

void weir_contents_begin(const struct weir_phase *phase, const struct weir_measure *measure,
                         struct weir_contents *contents);
/* After a read, outside of its time. */
void weir_contents_look(struct weir_contents *contents, const struct weir_piece *piece,
                        struct weir_measure *measure);
void weir_contents_end(struct weir_contents *contents);

/* The first reads, and then one of so many: a look takes as long as a small read. */
#define WEIR_CONTENTS_FIRST 16u
#define WEIR_CONTENTS_EACH  256u

static inline void weir_contents_seen(struct weir_contents *contents, const struct weir_piece *piece,
                                      struct weir_measure *measure) {
    uint64_t number = contents->reads++;
    if (number < WEIR_CONTENTS_FIRST || number % WEIR_CONTENTS_EACH == 0) {
        weir_contents_look(contents, piece, measure);
    }
}
