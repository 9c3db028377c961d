/* Moving bytes between the caller's vectors and the tiers, and the read path. */
#include <time.h>

#include "client/client.h"

#define VECTORS 64
#define PIECE_BYTES                                                                                          \
    (UINT64_C(8) << 20) /* an operation is interrupted here, so that a freeze is never far away */

enum source { FROM_FAST, FROM_BACKING, FROM_NOWHERE };

static enum source read_source_of(const struct object *object, uint64_t granule) {
    uint8_t state = object_state(object, granule);
    if (granule_is_backed(object, granule, state)) {
        return FROM_BACKING;
    }
    return state == GRANULE_NONE ? FROM_NOWHERE : FROM_FAST;
}

static int read_run(struct object *object, struct cursor *cursor, uint64_t offset, uint64_t bytes,
                    enum source source) {
    uint64_t moved = 0;
    int error = 0;
    if (source == FROM_FAST) {
        error = move_all(object->fd, cursor, DATA_OFFSET + offset, bytes, false, &moved);
    } else if (source == FROM_BACKING) {
        int fd;
        error = object_backing_fd(object, &fd);
        if (error == 0) {
            error = move_all(fd, cursor, offset, bytes, false, &moved);
        }
    }
    if (error == 0) {
        cursor_zero(cursor, bytes - moved);
    }
    return error;
}

/* The caller is in its slot and saw the gate open: no granule leaves the fast tier meanwhile. */
static ssize_t read_open(struct object *object, struct cursor *cursor, uint64_t offset, uint64_t bytes) {
    uint64_t size = atomic_load(&object->header->size_bytes);
    uint64_t end = size < offset + bytes ? size : offset + bytes;
    uint64_t at = offset;
    while (at < end) {
        uint64_t granule = granule_of(object, at);
        enum source source = read_source_of(object, granule);
        uint64_t run_end;
        do {
            granule++;
            run_end = granule << object->store->granule_shift;
        } while (run_end < end && read_source_of(object, granule) == source);
        run_end = run_end < end ? run_end : end;
        int error = read_run(object, cursor, at, run_end - at, source);
        if (error != 0) {
            return at > offset ? (ssize_t)(at - offset) : -error;
        }
        at = run_end;
    }
    return at > offset ? (ssize_t)(at - offset) : 0;
}

static ssize_t read_piece(struct object *object, struct cursor *cursor, uint64_t offset, uint64_t bytes) {
    struct object_header *header = object->header;
    for (;;) {
        struct thread_slot *slot = slot_enter(object->store, object->inode, 0, 0);
        if (atomic_load(&header->gate) == 0) {
            ssize_t result = read_open(object, cursor, offset, bytes);
            slot_leave(slot);
            return result;
        }
        slot_leave(slot);
        int error = object_lock(object);
        if (error != 0) {
            return -error;
        }
        object_unlock(object);
    }
}

ssize_t object_read(struct object *object, struct cursor *cursor, uint64_t offset, uint64_t bytes) {
    uint64_t done = 0;
    uint64_t staged = 0;
    atomic_store_explicit(&object->header->used_ns, now_ns(CLOCK_MONOTONIC_COARSE), memory_order_relaxed);
    if (object->store->config.stage_on_read) {
        object_stage(object, offset, offset + bytes,
                     &staged); /* where it does not fit, the read falls through */
    }
    while (done < bytes) {
        uint64_t piece = bytes - done < PIECE_BYTES ? bytes - done : PIECE_BYTES;
        ssize_t n = read_piece(object, cursor, offset + done, piece);
        if (n < 0) {
            return done > 0 ? (ssize_t)done : n;
        }
        done += (uint64_t)n;
        if ((uint64_t)n < piece) {
            break;
        }
    }
    return (ssize_t)done;
}
