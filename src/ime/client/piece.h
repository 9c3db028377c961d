/* One piece of a write before it reaches the tiers; shared by piece.c, write.c and write_locked.c. */
#pragma once

#include "client/client.h"

struct piece {
    struct object *object;
    struct cursor cursor;
    uint64_t offset;
    uint64_t bytes;
    uint64_t first; /* granules */
    uint64_t end;
    uint64_t credit_bytes; /* capacity that we hold */
    uint64_t lacking_bytes;
    ssize_t result;
};

void piece_set_credit(struct piece *piece, uint64_t bytes);
void piece_spend_credit(struct piece *piece);
bool piece_claim(struct piece *piece, uint64_t granule);
void piece_finish(struct piece *piece, uint64_t moved, int error);
void piece_set_extent(struct piece *piece, uint64_t offset);

/* write_locked.c: under the object lock, which they take; 0 with piece->result, or errno. */
int piece_write_with_lock(struct piece *piece);
int piece_append(struct piece *piece);
