/* The end of objects. The object goes before its link: a link without an object is harmless, an object
 * without a link could be taken for that of another file with the same inode number. */
#include <errno.h>
#include <fcntl.h>
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

void object_try_drop(struct store *store, uint64_t inode) {
    int error;
    struct object *object = object_find(store, inode, &error);
    if (object != NULL) {
        object_release(object);
    }
}

/* Left by a kill between two steps: an object file that never got its magic number, or a link without an
 * object. A recount since then has counted its first page as used. */
static void collect_unfinished(struct store *store, const char *name, uint64_t inode) {
    int fd = openat(store->objects_fd, name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) {
        return;
    }
    struct stat opened;
    struct stat named;
    uint64_t magic = 0;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &opened) == 0 &&
        fstatat(store->objects_fd, name, &named, 0) == 0 && opened.st_ino == named.st_ino &&
        (pread(fd, &magic, sizeof magic, 0) != sizeof magic || magic != OBJECT_MAGIC)) {
        struct thread_slot *slot = slot_enter(store, inode | SLOT_LOCKED, 0, 0); /* or a recount counts it */
        uint64_t used = index_bytes(fd);
        object_unlink(store, name);
        space_return(store, used);
        slot_leave(slot);
    }
    close(fd);
}

static void collect_object(struct store *store, const char *name, void *unused) {
    (void)unused;
    uint64_t inode;
    struct object_header header;
    if (!object_inode(name, &inode)) {
        return;
    }
    if (object_peek(store, inode, &header)) {
        object_try_drop(store, inode);
    } else {
        collect_unfinished(store, name, inode);
    }
}

static void collect_link(struct store *store, const char *name, void *unused) {
    (void)unused;
    uint64_t inode;
    struct stat status;
    if (object_inode(name, &inode) && fstatat(store->objects_fd, name, &status, 0) != 0 && errno == ENOENT) {
        collect_unfinished(store, name, inode);
    }
}

void store_collect(struct store *store) {
    objects_each(store, collect_object, NULL);
    names_each(store, store->links_fd, collect_link, NULL);
}
