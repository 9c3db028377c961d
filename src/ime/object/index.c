/* The pages of an object's index: header, participants, states. The index is sparse and mapped, and touching
 * a page that the file lacks would take room that is not counted, or be a SIGBUS where there is none. So a
 * page is looked up before it is touched, and taken, with its capacity, before it is written. It stays until
 * the object goes. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "object/object.h"

uint64_t index_page_of(uint64_t granule) {
    return (STATES_OFFSET + granule) / INDEX_PAGE_BYTES;
}

static bool index_is_in_file(const struct object *object, uint64_t page) {
    off_t start = (off_t)(page * INDEX_PAGE_BYTES);
    return lseek(object->fd, start, SEEK_DATA) == start;
}

bool index_has(const struct object *object, uint64_t page) {
    _Atomic uint64_t *word = &object->pages->known[page / 64];
    uint64_t bit = UINT64_C(1) << (page % 64);
    if ((atomic_load_explicit(word, memory_order_acquire) & bit) != 0) {
        return true;
    }
    /* The last page that was missing is remembered, until any process takes one. */
    uint64_t missing = (uint64_t)atomic_load(&object->header->pages_taken) << 32 | (page + 1);
    if (page != HEADER_PAGE && atomic_load(&object->pages->missing) == missing) {
        return false;
    }
    if (index_is_in_file(object, page)) {
        atomic_fetch_or(word, bit);
        return true;
    }
    atomic_store(&object->pages->missing, missing);
    return false;
}

bool index_has_granules(const struct object *object, uint64_t first, uint64_t end) {
    for (uint64_t page = index_page_of(first); first < end && page <= index_page_of(end - 1); page++) {
        if (!index_has(object, page)) {
            return false;
        }
    }
    return true;
}

/* A page that was only allocated still counts as a hole for SEEK_DATA, and another client that looked for it
 * now would remember it as missing. So it is touched before anyone hears of it. */
static int index_allocate(struct object *object, uint64_t page) {
    off_t start = (off_t)(page * INDEX_PAGE_BYTES);
    if (fallocate(object->fd, 0, start, (off_t)INDEX_PAGE_BYTES) != 0) {
        return errno;
    }
    atomic_fetch_or((_Atomic uint8_t *)object->header + start, 0);
    return 0;
}

/* The caller holds INDEX_PAGE_BYTES of capacity, which go into the page; *taken is false if it was there. */
int index_take(struct object *object, uint64_t page, bool *taken) {
    *taken = false;
    pthread_mutex_lock(&object->index_mutex);
    int error = lock_byte(object->fd, 1, true);
    if (error == 0) {
        if (!index_is_in_file(object, page)) {
            error = index_allocate(object, page);
            *taken = error == 0;
            if (*taken) {
                atomic_fetch_add(&object->header->pages_taken, 1);
            }
        }
        if (error == 0) {
            atomic_fetch_or(&object->pages->known[page / 64], UINT64_C(1) << (page % 64));
        }
        unlock_byte(object->fd, 1);
    }
    pthread_mutex_unlock(&object->index_mutex);
    return error;
}

uint64_t index_bytes(int fd) {
    uint64_t bytes = 0;
    off_t end = 0;
    for (;;) {
        off_t start = lseek(fd, end, SEEK_DATA);
        if (start < 0 || (uint64_t)start >= INDEX_BYTES) {
            return bytes;
        }
        end = lseek(fd, start, SEEK_HOLE);
        if (end < start) {
            return bytes;
        }
        uint64_t stop = (uint64_t)end < INDEX_BYTES ? (uint64_t)end : INDEX_BYTES;
        bytes += stop - (uint64_t)start;
    }
}

uint8_t object_state(const struct object *object, uint64_t granule) {
    return index_has(object, index_page_of(granule)) ? atomic_load(&object->states[granule]) : GRANULE_NONE;
}
