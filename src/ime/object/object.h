/* A buffered file: its object in the fast tier, mapped once per process and shared by its threads. */
#pragma once

#include "object/clients.h"

/* The pages of the index, as this process knows them. */
struct index_pages {
    _Atomic uint64_t known[INDEX_PAGES / 64]; /* bits: they are in the file */
    _Atomic uint64_t missing; /* the last page that was looked up and is missing; see index.c */
};

struct object {
    struct object *next; /* in its shard */
    struct store *store;
    uint64_t inode;
    unsigned references; /* guarded by the shard's mutex */
    int fd;
    _Atomic int backing_fd; /* -1 until needed */
    struct object_header *header;
    /* Each client's mark of the truncation that was last done: its incarnation * 2, + 1 while it is open. */
    _Atomic uint32_t *participants;
    bool takes_part;         /* this process does */
    _Atomic unsigned files;  /* open files of this process */
    _Atomic uint8_t *states; /* call index_has() first */
    struct index_pages *pages;
    pthread_mutex_t index_mutex; /* in front of the lock that index_take() holds */
    pthread_mutex_t lock;        /* see object_lock */
    pthread_mutex_t open_mutex;  /* guards the opening of backing_fd; nothing is locked inside */
};

/* object.c: the object of the file open as backing_fd, made if create. NULL with *error = 0 if there is none.
 */
/* Making one takes a page of the index: the caller holds its capacity, and keeps it unless *created. */
struct object *object_attach(struct store *store, uint64_t inode, int backing_fd, bool *created, int *error);
struct object *object_find(struct store *store, uint64_t inode, int *error);
void object_release(struct object *object);
void object_reopen_after_fork(struct object *object);
void object_unmap(struct object *object);

/* backing.c: for reading and writing, whatever the file's mode. */
int object_backing_fd(struct object *object, int *fd);

/* ending.c */
void object_unlink(struct store *store,
                   const char *name);               /* the caller has it exclusively; no magic number */
bool object_is_orphan(const struct object *object); /* no name is left but our link */
bool object_drop_if_idle(struct object *object);    /* last reference, shard locked: true if it is gone */

/* collect.c */
void object_try_drop(struct store *store, uint64_t inode);
void store_collect(
    struct store *store); /* remove what kills left: objects and links that nothing refers to */

/* gate.c: exclusion. A holder of the lock may freeze the object: no operation is under way on it then. */
int object_lock(struct object *object);
void object_unlock(struct object *object);
void object_freeze(struct object *object);
void object_thaw(struct object *object);
void object_work(struct object *object, enum object_work work, uint64_t low, uint64_t high);

/* index.c */
uint64_t index_page_of(uint64_t granule);
bool index_has(const struct object *object, uint64_t page);
bool index_has_granules(const struct object *object, uint64_t first, uint64_t end);
int index_take(struct object *object, uint64_t page, bool *taken);
uint64_t index_bytes(int fd); /* that the index takes in the file */
uint8_t object_state(const struct object *object,
                     uint64_t granule); /* wherever it is, without touching a hole */

/* granules.c */
struct run {
    uint64_t first; /* granules */
    uint64_t end;
};
uint64_t granule_of(const struct object *object, uint64_t byte);
uint64_t granules_up_to(const struct object *object, uint64_t bytes); /* rounded up */
bool granule_is_backed(const struct object *object, uint64_t granule, uint8_t state);
bool object_next_run(struct object *object, uint64_t from, uint64_t end, unsigned state_set, uint64_t limit,
                     struct run *run);
uint64_t object_count(struct object *object, uint64_t from, uint64_t end, unsigned state_set);
void object_set_states(struct object *object, const struct run *run, uint8_t from, uint8_t to);
int object_punch(const struct object *object, uint64_t first, uint64_t end); /* their bytes: 0 or errno */
void object_clear_states(struct object *object, uint64_t from, uint64_t end);
#define STATE_SET(state) (1u << (state))
#define RESIDENT_SET                                                                                         \
    (STATE_SET(GRANULE_DIRTY) | STATE_SET(GRANULE_DRAINING) | STATE_SET(GRANULE_CLEAN) |                     \
     STATE_SET(GRANULE_BUSY))
#define DIRTY_SET (STATE_SET(GRANULE_DIRTY) | STATE_SET(GRANULE_DRAINING))

/* scan.c: objects by name, without attaching them. */
void names_each(struct store *store, int folder_fd, void (*visit)(struct store *, const char *, void *),
                void *context);
void objects_each(struct store *store, void (*visit)(struct store *, const char *, void *), void *context);
bool object_peek(struct store *store, uint64_t inode, struct object_header *header);
/* The index alone, without an entry in the process's table: usable whatever locks the caller holds. */
bool object_view(struct store *store, const char *name, int protection, struct object *object);
void object_unview(struct object *object);
uint64_t object_used_bytes(struct store *store, const char *name); /* of the capacity: data and index */
void object_mark_torn(struct store *store, uint64_t inode, uint64_t low, uint64_t high);
int object_name(uint64_t inode, char name[24]);
bool object_inode(const char *name, uint64_t *inode);

/* epoch.c: what a finished drain may record about the object. */
bool epoch_mark_changed(struct object_header *header); /* after the change; true if it was not marked */
uint32_t epoch_begin_drain(struct object_header *header);
void epoch_end_drain(struct object_header *header, uint32_t begun); /* all of begun's changes are drained */
bool is_settled(const struct object_header *header);

/* shrink.c: the caller holds the lock and has frozen the object; safe to repeat from the start. */
int resize_shrink(struct object *object, uint64_t size_bytes);
int resize_clean_tail(struct object *object, uint64_t garbage_end);
