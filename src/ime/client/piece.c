/* What every path of a write has in common: the granules of a piece and the capacity held for them. */
#include "client/piece.h"

void piece_set_extent(struct piece *piece, uint64_t offset) {
    piece->offset = offset;
    piece->first = granule_of(piece->object, offset);
    piece->end = granules_up_to(piece->object, offset + piece->bytes);
}

void piece_set_credit(struct piece *piece, uint64_t bytes) {
    piece->credit_bytes = bytes;
    atomic_store_explicit(&slot_of_thread(piece->object->store)->credit_bytes, bytes, memory_order_relaxed);
}

void piece_spend_credit(struct piece *piece) {
    uint64_t granule_bytes = piece->object->store->granule_bytes;
    piece_set_credit(piece, piece->credit_bytes - granule_bytes);
}

/* Dirty from now on; false if the granule must first be fetched or is being changed. */
bool piece_claim(struct piece *piece, uint64_t granule) {
    struct object *object = piece->object;
    _Atomic uint8_t *state = &object->states[granule];
    uint8_t seen = atomic_load(state);
    for (;;) {
        if (seen == GRANULE_DIRTY) {
            return true;
        }
        if (granule_is_backed(object, granule, seen)) {
            return false;
        }
        if (seen == GRANULE_NONE && piece->credit_bytes == 0) {
            return false; /* a truncation came between the count and now */
        }
        if (atomic_compare_exchange_weak(state, &seen, GRANULE_DIRTY)) {
            if (seen == GRANULE_NONE) {
                piece_spend_credit(piece);
            }
            return true;
        }
    }
}

static void piece_mark_dirty_again(struct piece *piece) {
    for (uint64_t granule = piece->first; granule < piece->end; granule++) {
        _Atomic uint8_t *state = &piece->object->states[granule];
        uint8_t seen = atomic_load(state);
        while (seen != GRANULE_DIRTY && seen != GRANULE_EVICTED && seen != GRANULE_NONE &&
               !atomic_compare_exchange_weak(state, &seen, GRANULE_DIRTY)) {
        }
    }
}

void piece_finish(struct piece *piece, uint64_t moved, int error) {
    piece_mark_dirty_again(piece);
    if (moved > 0) {
        object_grow(piece->object, piece->offset + moved);
        object_touch(piece->object);
    }
    piece->result = moved > 0 || error == 0 ? (ssize_t)moved : -error;
}
