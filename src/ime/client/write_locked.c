/* Writes that need the object lock: over granules that only the backing has, through a full tier, and
 * appends. */
#include <errno.h>
#include <unistd.h>

#include "client/piece.h"

static bool write_covered(const struct piece *piece, uint64_t granule) {
    unsigned shift = piece->object->store->granule_shift;
    return piece->offset <= granule << shift && piece->offset + piece->bytes >= (granule + 1) << shift;
}

/* Under the lock: fetch what is only partly overwritten, set aside what is wholly overwritten. */
static int write_prepare(struct piece *piece) {
    struct object *object = piece->object;
    atomic_store(&object->header->ever_resident, 1);
    for (uint64_t granule = piece->first; granule < piece->end; granule++) {
        uint8_t state = atomic_load(&object->states[granule]);
        if (granule_is_backed(object, granule, state)) {
            piece_spend_credit(piece);
            if (write_covered(piece, granule)) {
                atomic_store(&object->states[granule], GRANULE_BUSY);
                continue;
            }
            struct run run = {granule, granule + 1};
            int error = object_fill(object, &run);
            if (error != 0) {
                return error;
            }
        }
        if (!piece_claim(piece, granule)) {
            return ENOSPC;
        }
    }
    return 0;
}

static void write_undo_busy(struct piece *piece) {
    struct object *object = piece->object;
    for (uint64_t granule = piece->first; granule < piece->end; granule++) {
        if (atomic_load(&object->states[granule]) == GRANULE_BUSY) {
            object_punch(object, granule, granule + 1);
            atomic_store(&object->states[granule], GRANULE_EVICTED);
            piece_set_credit(piece, piece->credit_bytes + object->store->granule_bytes);
        }
    }
}

/* Nothing of a failed write may show beyond the end, nor in place of a granule that only the backing has. */
static void write_undo_failed(struct piece *piece) {
    write_undo_busy(piece);
    object_freeze(piece->object);
    resize_clean_tail(piece->object, piece->offset + piece->bytes);
    object_thaw(piece->object);
}

static void write_locked(struct piece *piece) {
    struct object *object = piece->object;
    struct thread_slot *slot = slot_enter(object->store, object->inode | SLOT_LOCKED, 0, 0);
    uint64_t moved = 0;
    object_work(object, WORK_COPY, piece->offset, piece->offset + piece->bytes);
    int error = write_prepare(piece);
    if (error == 0) {
        error = move_all(object->fd, &piece->cursor, DATA_OFFSET + piece->offset, piece->bytes, true, &moved);
    }
    if (error != 0) {
        write_undo_failed(piece);
        moved = 0;
    }
    piece_finish(piece, moved, error);
    object_work(object, WORK_NONE, 0, 0);
    slot_leave(slot);
}

/* The tier is full and the settings forbid waiting: what is not in the fast tier is written to the backing.
 */
static int write_through_run(struct piece *piece, uint64_t *granule, uint64_t at, uint64_t run_bytes,
                             bool resident) {
    struct object *object = piece->object;
    uint64_t moved = 0;
    int fd = object->fd;
    uint64_t base = DATA_OFFSET;
    if (!resident) {
        base = 0;
        int error = object_backing_fd(object, &fd);
        if (error != 0) {
            return error;
        }
    }
    int error = move_all(fd, &piece->cursor, base + at, run_bytes, true, &moved);
    uint64_t end = granules_up_to(object, at + moved);
    for (; *granule < end; (*granule)++) {
        atomic_store(&object->states[*granule], resident ? GRANULE_DIRTY : GRANULE_EVICTED);
    }
    object_grow(object, at + moved);
    piece->result += (ssize_t)moved;
    return error;
}

static void write_through(struct piece *piece) {
    struct object *object = piece->object;
    struct thread_slot *slot = slot_enter(object->store, object->inode | SLOT_LOCKED, 0, 0);
    uint64_t end = piece->offset + piece->bytes;
    uint64_t granule = piece->first;
    uint64_t at = piece->offset;
    int error = 0;
    object_freeze(object);
    object_work(object, WORK_COPY, piece->offset, end);
    atomic_store(&object->header->backing_unsynced, 1);
    while (at < end && error == 0) {
        bool resident = (RESIDENT_SET & STATE_SET(atomic_load(&object->states[granule]))) != 0;
        uint64_t run = granule + 1;
        while (run < piece->end &&
               resident == ((RESIDENT_SET & STATE_SET(atomic_load(&object->states[run]))) != 0)) {
            run++;
        }
        uint64_t run_end = run << object->store->granule_shift;
        run_end = run_end < end ? run_end : end;
        error = write_through_run(piece, &granule, at, run_end - at, resident);
        at = run_end;
    }
    if (piece->result > 0) {
        object_touch(object);
    } else {
        piece->result = -error;
    }
    object_work(object, WORK_NONE, 0, 0);
    object_thaw(object);
    slot_leave(slot);
}

/* Capacity for every granule of the piece, however it will be written. */
static int write_reserve_whole(struct piece *piece) {
    struct store *store = piece->object->store;
    uint64_t needed = (piece->end - piece->first) << store->granule_shift;
    if (needed <= piece->credit_bytes) {
        return 0;
    }
    uint64_t lacking = needed - piece->credit_bytes;
    int error =
        store->config.full_through ? space_reserve_clean(store, lacking) : space_reserve(store, lacking);
    if (error == 0) {
        piece_set_credit(piece, needed);
    }
    return error;
}

int piece_write_with_lock(struct piece *piece) {
    int error = write_reserve_whole(piece);
    bool through = error != 0 && piece->object->store->config.full_through;
    if (error != 0 && !through) {
        return error;
    }
    error = object_lock(piece->object);
    if (error == 0) {
        if (through) {
            write_through(piece);
        } else {
            write_locked(piece);
        }
        object_unlock(piece->object);
    }
    return error;
}

/* Under the object lock, with the index for wherever the end is by then: an append elsewhere may have moved
 * it. */
static int write_lock_at_end(struct piece *piece) {
    struct object *object = piece->object;
    for (;;) {
        piece_set_extent(piece, atomic_load(&object->header->size_bytes));
        if (piece->offset + piece->bytes > object->store->max_bytes) {
            return EFBIG;
        }
        int error = index_ensure(object, piece->first, piece->end, space_reserve);
        error = error != 0 ? error : object_lock(object);
        if (error != 0) {
            return error;
        }
        piece_set_extent(piece, atomic_load(&object->header->size_bytes));
        if (piece->offset + piece->bytes <= object->store->max_bytes &&
            index_has_granules(object, piece->first, piece->end)) {
            return 0;
        }
        object_unlock(object);
    }
}

/* Where the end is, is decided under the lock, so that two appends never overlap. */
int piece_append(struct piece *piece) {
    struct object *object = piece->object;
    struct store *store = object->store;
    piece_set_extent(piece, atomic_load(&object->header->size_bytes));
    if (piece->offset + piece->bytes > store->max_bytes) {
        return EFBIG;
    }
    int error = index_ensure(object, piece->first, piece->end, space_reserve);
    if (error != 0) {
        return error;
    }
    piece_set_extent(piece, store->granule_bytes - 1); /* as many granules as the worst alignment takes */
    error = write_reserve_whole(piece);
    bool through = error != 0 && store->config.full_through;
    if (error == 0 || through) {
        error = write_lock_at_end(piece);
    }
    if (error != 0) {
        return error;
    }
    if (through) {
        write_through(piece);
    } else {
        write_locked(piece);
    }
    object_unlock(object);
    return 0;
}
