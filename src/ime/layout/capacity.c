/* The bytes of the fast tier that are taken, counted in the control block. */
#include "layout/store.h"

bool space_try(struct store *store, uint64_t bytes) {
    uint64_t used = atomic_load(&store->control->used_bytes);
    do {
        if (used + bytes > store->control->capacity_bytes) {
            return false;
        }
    } while (!atomic_compare_exchange_weak(&store->control->used_bytes, &used, used + bytes));
    return true;
}

void space_return(struct store *store, uint64_t bytes) {
    uint64_t used = atomic_load(&store->control->used_bytes);
    while (
        !atomic_compare_exchange_weak(&store->control->used_bytes, &used, used > bytes ? used - bytes : 0)) {
    }
}
