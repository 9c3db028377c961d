/* Making a buffered file shorter, in both tiers. The caller holds the object lock and has frozen the object.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "object/object.h"

static int shrink_backing(struct object *object, uint64_t size_bytes) {
    int fd;
    struct stat status;
    int error = object_backing_fd(object, &fd);
    if (error != 0) {
        return error;
    }
    if (fstat(fd, &status) != 0) {
        return errno;
    }
    if ((uint64_t)status.st_size <= size_bytes) {
        return 0;
    }
    return ftruncate(fd, (off_t)size_bytes) == 0 ? 0 : errno;
}

/* Safe to repeat from the start: a kill in the middle leaves it to the next holder of the lock. */
int resize_shrink(struct object *object, uint64_t size_bytes) {
    struct store *store = object->store;
    uint64_t keep = granules_up_to(object, size_bytes);
    int error = shrink_backing(object, size_bytes);
    if (error != 0) {
        return error;
    }
    if (ftruncate(object->fd, (off_t)(DATA_OFFSET + size_bytes)) != 0) {
        return errno;
    }
    uint64_t freed = object_count(object, keep, MAX_GRANULES, RESIDENT_SET);
    object_clear_states(object, keep, MAX_GRANULES);
    if (atomic_load(&object->header->origin_bytes) > size_bytes) {
        atomic_store(&object->header->origin_bytes, size_bytes);
    }
    atomic_store(&object->header->size_bytes, size_bytes);
    space_return(store, freed << store->granule_shift);
    return 0;
}

int resize_clean_tail(struct object *object, uint64_t garbage_end) {
    uint64_t size = atomic_load(&object->header->size_bytes);
    if (garbage_end > size && fallocate(object->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                        (off_t)(DATA_OFFSET + size), (off_t)(garbage_end - size)) != 0) {
        return errno;
    }
    return shrink_backing(object, size);
}
