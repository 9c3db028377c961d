/* Bytes in motion between caller, fast tier and backing, and the room they take. */
#pragma once

#include <sys/uio.h>

#include "object/object.h"

/* copy.c */
struct cursor {
    const struct iovec *iov;
    int count;
    size_t skip; /* bytes of iov[0] already used */
};
int move_all(int fd, struct cursor *cursor, uint64_t offset, uint64_t bytes, bool write, uint64_t *moved);
void cursor_skip(struct cursor *cursor, uint64_t bytes);
void cursor_zero(struct cursor *cursor, uint64_t bytes);
int copy_range(int from, uint64_t from_base, int to, uint64_t to_base, uint64_t at, uint64_t bytes);

/* evict.c; 0 or errno, adds to *moved_bytes */
int object_sync_backing(struct object *object);
int object_evict(struct object *object, uint64_t limit_bytes, uint64_t *moved_bytes);

/* oldest.c: objects in the order of their last use */
typedef int migration(struct object *, uint64_t limit_bytes, uint64_t *moved_bytes);
int migrate_oldest(struct store *store, migration *migrate, uint64_t wanted_bytes, uint64_t *freed_bytes);
int space_evict(struct store *store, uint64_t bytes, uint64_t *freed_bytes); /* clean granules only */

/* pages.c: the pages of the index that hold the states of first..end, taken with room from reserve; 0 or
 * errno. The caller holds no object lock. */
typedef int reservation(struct store *, uint64_t bytes);
int index_ensure(struct object *object, uint64_t first, uint64_t end, reservation *reserve);
int index_ensure_page(struct object *object, uint64_t page, reservation *reserve);
int space_reserve_clean(struct store *store, uint64_t bytes); /* by eviction alone */

/* stage.c */
int object_stage(struct object *object, uint64_t low, uint64_t high, uint64_t *moved_bytes);
int object_fill(struct object *object, const struct run *run); /* the caller holds the lock; made CLEAN */
