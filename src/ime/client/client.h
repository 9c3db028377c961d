/* A store and its buffered files as a client operates on them. */
#pragma once

#include "drain/drain.h"

/* store.c: the store of config, entered as a new client. NULL with a sentence in message. */
struct store *store_open(const struct config *config, char *message, size_t message_bytes);
void store_close(struct store *store);

/* setup.c */
int store_create(const struct config *config, char *message, size_t message_bytes);
int store_destroy(struct store *store); /* ends the store as well, whatever comes out; 0 or errno */

/* recover.c: for objects_each(), after a boot, with the store locked and without clients. */
void recover_object(struct store *store, const char *name, void *unused);

/* change.c */
void object_touch(struct object *object); /* the data or size changed: time of change, and work for a drain */
void object_notify(struct object *object);
void object_grow(struct object *object, uint64_t size_bytes);
int object_resize(struct object *object, uint64_t size_bytes);
int object_truncate_repeatable(struct object *object); /* to zero, harmless if others just did it */
int object_set_time(struct object *object, int64_t changed_ns);

/* read.c and write.c: offset and size are within the limits; result is bytes or -errno. */
ssize_t object_read(struct object *object, struct cursor *cursor, uint64_t offset, uint64_t bytes);
ssize_t object_write(struct object *object, struct cursor *cursor, uint64_t offset, uint64_t bytes,
                     bool append); /* at the end, wherever the offset is */
