/* The state bytes of an object, read in long steps. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "object/object.h"

uint64_t granule_of(const struct object *object, uint64_t byte) {
    return byte >> object->store->granule_shift;
}

uint64_t granules_up_to(const struct object *object, uint64_t bytes) {
    return (bytes + object->store->granule_bytes - 1) >> object->store->granule_shift;
}

bool granule_is_backed(const struct object *object, uint64_t granule, uint8_t state) {
    if (state == GRANULE_EVICTED || state == GRANULE_BUSY) {
        return true;
    }
    return state == GRANULE_NONE &&
           (granule << object->store->granule_shift) < atomic_load(&object->header->origin_bytes);
}

static bool granules_in_set(uint8_t state, unsigned set) {
    return (set & STATE_SET(state)) != 0;
}

/* Pages of state bytes that were never written are holes, and reading one would allocate it: query the file
 * first. */
static uint64_t granules_skip_hole(const struct object *object, uint64_t granule, uint64_t end) {
    off_t data = lseek(object->fd, (off_t)(STATES_OFFSET + granule), SEEK_DATA);
    if (data < 0 || (uint64_t)data >= STATES_OFFSET + end) {
        return end;
    }
    uint64_t found = (uint64_t)data - STATES_OFFSET;
    return found > granule ? found : granule;
}

static uint64_t granules_first_in_page(const struct object *object, uint64_t from, uint64_t end,
                                       unsigned set) {
    for (uint64_t granule = from; granule < end; granule++) {
        const _Atomic uint8_t *state = &object->states[granule];
        if (granule % 8 == 0 && granule + 8 <= end && !granules_in_set(GRANULE_NONE, set) &&
            atomic_load_explicit((const _Atomic uint64_t *)(const void *)state, memory_order_relaxed) == 0) {
            granule += 7;
            continue;
        }
        if (granules_in_set(atomic_load(state), set)) {
            return granule;
        }
    }
    return end;
}

/* The first run of granules in from..end whose states are in the set (NONE not among them), limit granules at
 * most. */
bool object_next_run(struct object *object, uint64_t from, uint64_t end, unsigned state_set, uint64_t limit,
                     struct run *run) {
    uint64_t granule = from;
    while (granule < end) {
        granule = granules_skip_hole(object, granule, end);
        uint64_t page_end = (granule / STATES_PER_PAGE + 1) * STATES_PER_PAGE;
        uint64_t stop = page_end < end ? page_end : end;
        granule = granules_first_in_page(object, granule, stop, state_set);
        if (granule < stop) {
            break;
        }
    }
    if (granule >= end) {
        return false;
    }
    run->first = granule;
    while (granule < end && granule - run->first < limit &&
           granules_in_set(object_state(object, granule), state_set)) {
        granule++;
    }
    run->end = granule;
    return true;
}

uint64_t object_count(struct object *object, uint64_t from, uint64_t end, unsigned state_set) {
    uint64_t count = 0;
    struct run run = {0, from};
    while (object_next_run(object, run.end, end, state_set, UINT64_MAX, &run)) {
        count += run.end - run.first;
    }
    return count;
}

/* The pages stay: other processes know that they are there. */
int object_punch(const struct object *object, uint64_t first, uint64_t end) {
    unsigned shift = object->store->granule_shift;
    int status = fallocate(object->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                           (off_t)(DATA_OFFSET + (first << shift)), (off_t)((end - first) << shift));
    return status == 0 ? 0 : errno;
}

void object_clear_states(struct object *object, uint64_t from, uint64_t end) {
    for (uint64_t granule = granules_skip_hole(object, from, end); granule < end;
         granule = granules_skip_hole(object, granule, end)) {
        uint64_t page_end = (granule / STATES_PER_PAGE + 1) * STATES_PER_PAGE;
        for (uint64_t stop = page_end < end ? page_end : end; granule < stop; granule++) {
            if (atomic_load_explicit(&object->states[granule], memory_order_relaxed) != GRANULE_NONE) {
                atomic_store(&object->states[granule], GRANULE_NONE);
            }
        }
    }
}

void object_set_states(struct object *object, const struct run *run, uint8_t from, uint8_t to) {
    for (uint64_t granule = run->first; granule < run->end; granule++) {
        uint8_t expected = from;
        atomic_compare_exchange_strong(&object->states[granule], &expected, to);
    }
}
