/* The write path. Where every granule touched is in the fast tier, or was never anywhere, a write takes no
 * lock: it marks the granules dirty, writes, and marks again those that a drain has cleaned meanwhile. */
#include <time.h>

#include "client/piece.h"

#define PIECE_BYTES (UINT64_C(8) << 20)

enum attempt { DONE, GATE_SHUT, NO_SPACE, NEEDS_LOCK };

static enum attempt write_count_missing(struct piece *piece) {
    struct object *object = piece->object;
    uint64_t missing = 0;
    for (uint64_t granule = piece->first; granule < piece->end; granule++) {
        uint8_t state = atomic_load_explicit(&object->states[granule], memory_order_relaxed);
        if (state != GRANULE_DIRTY) {
            if (granule_is_backed(object, granule, state)) {
                return NEEDS_LOCK;
            }
            missing += state == GRANULE_NONE;
        }
    }
    uint64_t needed = missing << object->store->granule_shift;
    if (needed > piece->credit_bytes) {
        piece->lacking_bytes = needed - piece->credit_bytes;
        if (!space_try(object->store, piece->lacking_bytes)) {
            return NO_SPACE;
        }
        piece_set_credit(piece, needed);
    }
    if (missing > 0 && atomic_load(&object->header->ever_resident) == 0) {
        atomic_store(&object->header->ever_resident, 1);
    }
    return DONE;
}

static enum attempt write_in_slot(struct piece *piece) {
    struct object *object = piece->object;
    if (atomic_load(&object->header->gate) != 0) {
        return GATE_SHUT;
    }
    enum attempt attempt = write_count_missing(piece);
    for (uint64_t granule = piece->first; attempt == DONE && granule < piece->end; granule++) {
        if (!piece_claim(piece, granule)) {
            attempt = NEEDS_LOCK;
        }
    }
    if (attempt == DONE) {
        uint64_t moved = 0;
        int error =
            move_all(object->fd, &piece->cursor, DATA_OFFSET + piece->offset, piece->bytes, true, &moved);
        piece_finish(piece, moved, error);
    }
    return attempt;
}

static enum attempt write_without_lock(struct piece *piece) {
    struct object *object = piece->object;
    struct thread_slot *slot =
        slot_enter(object->store, object->inode, piece->offset, piece->offset + piece->bytes);
    enum attempt attempt = write_in_slot(piece);
    slot_leave(slot);
    return attempt;
}

/* 0 with piece->result, or errno. */
static int write_piece(struct piece *piece) {
    int failed = index_ensure(piece->object, piece->first, piece->end, space_reserve);
    if (failed != 0) {
        return failed;
    }
    for (;;) {
        enum attempt attempt = write_without_lock(piece);
        int error = 0;
        if (attempt == GATE_SHUT) {
            error = object_lock(piece->object);
            if (error == 0) {
                object_unlock(piece->object);
            }
        } else if (attempt == NO_SPACE && !piece->object->store->config.full_through) {
            error = space_reserve(piece->object->store, piece->lacking_bytes);
            if (error == 0) {
                piece_set_credit(piece, piece->credit_bytes + piece->lacking_bytes);
            }
        } else if (attempt != DONE) {
            error = piece_write_with_lock(piece);
            attempt = DONE;
        }
        if (error != 0) {
            return error;
        }
        if (attempt == DONE) {
            return 0;
        }
    }
}

static void write_begin_piece(struct piece *piece, struct object *object, struct cursor *cursor,
                              uint64_t bytes) {
    uint64_t quarter = object->store->control->capacity_bytes / 4;
    uint64_t limit = quarter < PIECE_BYTES ? quarter : PIECE_BYTES;
    *piece = (struct piece){.object = object, .cursor = *cursor, .bytes = bytes < limit ? bytes : limit};
}

static void write_end_piece(struct piece *piece, struct cursor *cursor) {
    if (piece->credit_bytes > 0) {
        uint64_t left = piece->credit_bytes;
        piece_set_credit(piece, 0);
        space_return(piece->object->store, left);
    }
    *cursor = piece->cursor;
}

ssize_t object_write(struct object *object, struct cursor *cursor, uint64_t offset, uint64_t bytes,
                     bool append) {
    uint64_t done = 0;
    atomic_store_explicit(&object->header->used_ns, now_ns(CLOCK_MONOTONIC_COARSE), memory_order_relaxed);
    while (done < bytes) {
        struct piece piece;
        write_begin_piece(&piece, object, cursor, bytes - done);
        if (!append) {
            piece_set_extent(&piece, offset + done);
        }
        int error = append ? piece_append(&piece) : write_piece(&piece);
        ssize_t n = error == 0 ? piece.result : -error;
        write_end_piece(&piece, cursor);
        if (n < 0) {
            return done > 0 ? (ssize_t)done : n;
        }
        done += (uint64_t)n;
        if ((uint64_t)n < piece.bytes) {
            break;
        }
    }
    return (ssize_t)done;
}
