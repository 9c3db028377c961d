/* Objects that nobody needs any more go, and what a kill left behind. */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "object/object.h"

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
