/* Writing back: what is dirty to the backing, and room for what comes. */
#pragma once

#include "space/space.h"

/* drain.c: 0 or errno, adds to *moved_bytes */
int object_drain(struct object *object, uint64_t limit_bytes, uint64_t *moved_bytes);
void drain_for_readers(struct object *object); /* for store->save_for_readers */

/* room.c: drains and evicts until the bytes are there, and takes them; 0 or errno */
int space_reserve(struct store *store, uint64_t bytes);
