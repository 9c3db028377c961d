/* Whether an object is settled, while writers write and any number of drains run over it at the same time.
 *
 * A writer changes first and marks then, a drain begins first and looks then: a change that a drain did not
 * see leaves a mark that is newer than the drain's beginning. So a drain vouches for the epoch it began with
 * and for nothing later, and one that ends late takes nothing back from one that began after it. */
#include "object/object.h"

bool epoch_mark_changed(struct object_header *header) {
    /* Mostly the mark is there already, and a load leaves the cache line shared. */
    return atomic_load(&header->epoch) % 2 == 0 && atomic_fetch_or(&header->epoch, 1) % 2 == 0;
}

uint32_t epoch_begin_drain(struct object_header *header) {
    uint32_t epoch = atomic_load(&header->epoch);
    while (epoch % 2 == 1 && !atomic_compare_exchange_weak(&header->epoch, &epoch, epoch + 1)) {
    }
    return epoch % 2 == 1 ? epoch + 1 : epoch;
}

void epoch_end_drain(struct object_header *header, uint32_t begun) {
    uint32_t settled = atomic_load(&header->settled_epoch);
    while ((int32_t)(begun - settled) > 0 &&
           !atomic_compare_exchange_weak(&header->settled_epoch, &settled, begun)) {
    }
}

bool is_settled(const struct object_header *header) {
    /* The older number first: if both are equal, nothing had changed between the two looks. */
    uint32_t settled = atomic_load(&header->settled_epoch);
    return atomic_load(&header->epoch) == settled;
}
