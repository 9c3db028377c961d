/* The end of objects. The object goes before its link: a link without an object is harmless, an object
 * without a link could be taken for that of another file with the same inode number. */
#include <sys/file.h>
#include <unistd.h>

#include "object/object.h"

bool object_is_orphan(const struct object *object) {
    char name[24];
    struct stat status;
    object_name(object->inode, name);
    return fstatat(object->store->links_fd, name, &status, 0) == 0 && status.st_nlink == 1;
}

static bool ending_is_empty(struct object *object) {
    const struct object_header *header = object->header;
    if (!is_settled(header) || atomic_load(&header->gate) != 0 || atomic_load(&header->work) != WORK_NONE) {
        return false;
    }
    return atomic_load(&header->ever_resident) == 0 ||
           object_count(object, 0, MAX_GRANULES, RESIDENT_SET) == 0;
}

/* The caller holds the file exclusively, and it has no magic number. */
void object_unlink(struct store *store, const char *name) {
    unlinkat(store->links_fd, name, 0);
    unlinkat(store->objects_fd, name, 0);
    atomic_fetch_add(&store->control->objects_dropped, 1);
}

bool object_drop_if_idle(struct object *object) {
    bool orphan = object_is_orphan(object);
    if (!orphan && !ending_is_empty(object)) {
        return false;
    }
    if (orphan) {
        object->store->save_for_readers(object);
    }
    if (flock(object->fd, LOCK_EX | LOCK_NB) != 0) {
        return false; /* in use by another process, whose last close comes here too */
    }
    /* Some kernels give the shared lock up before they take the exclusive one: another client may have
     * dropped the object between, and its name may be that of a new one already. */
    if (atomic_load(&object->header->magic) != OBJECT_MAGIC) {
        return false;
    }
    if (!object_is_orphan(object) && !ending_is_empty(object)) {
        return false;
    }
    char name[24];
    object_name(object->inode, name);
    struct thread_slot *slot =
        slot_enter(object->store, object->inode | SLOT_LOCKED, 0, 0); /* or a recount counts it */
    uint64_t used = index_bytes(object->fd) +
                    (object_count(object, 0, MAX_GRANULES, RESIDENT_SET) << object->store->granule_shift);
    atomic_store(&object->header->magic, 0);
    object_unlink(object->store, name);
    space_return(object->store, used);
    slot_leave(slot);
    return true;
}
