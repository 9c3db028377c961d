/* Room for the pages of an index, before its object is locked. */
#include "space/space.h"

static int take_page(struct object *object, uint64_t page, reservation *reserve) {
    struct store *store = object->store;
    bool taken;
    int error = reserve(store, INDEX_PAGE_BYTES);
    if (error != 0) {
        return error;
    }
    struct thread_slot *slot = slot_of_thread(store);
    uint64_t held = atomic_load(&slot->credit_bytes);
    atomic_store(&slot->credit_bytes, held + INDEX_PAGE_BYTES); /* so that a recount knows of it */
    slot = slot_enter(store, object->inode | SLOT_LOCKED, 0, 0);
    error = index_take(object, page, &taken);
    atomic_store(&slot->credit_bytes, held);
    slot_leave(slot);
    if (!taken) {
        space_return(store, INDEX_PAGE_BYTES);
    }
    return error;
}

int index_ensure_page(struct object *object, uint64_t page, reservation *reserve) {
    return index_has(object, page) ? 0 : take_page(object, page, reserve);
}

int index_ensure(struct object *object, uint64_t first, uint64_t end, reservation *reserve) {
    int error = 0;
    for (uint64_t page = index_page_of(first); first < end && page <= index_page_of(end - 1) && error == 0;
         page++) {
        error = index_ensure_page(object, page, reserve);
    }
    return error;
}
