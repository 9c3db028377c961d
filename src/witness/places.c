/* At how many places of the files the transfers of a span began, by linear counting: a library that leads all
 * of them to one part of a file moves as many bytes as it should, and is given away by this alone. */
#include "witness.h"

/* Of the span that is open; a process has one at a time. */
static _Atomic(struct places *) current;

void places_begin(struct places *places) {
    atomic_store(&current, places);
}

static uint64_t mixed(uint64_t value) {
    value = (value ^ (value >> 33)) * 0xff51afd7ed558ccdu;
    value = (value ^ (value >> 33)) * 0xc4ceb9fe1a85ec53u;
    return value ^ (value >> 33);
}

void places_seen(const struct record *record, bool writes, int64_t offset) {
    struct places *places = atomic_load_explicit(&current, memory_order_relaxed);
    if (places == NULL) {
        return;
    }
    places += writes;
    add(&places->calls, 1);
    if (offset < 0) {
        add(&places->unplaced, 1);
        return;
    }
    unsigned slot = mixed((uint64_t)offset ^ ((uint64_t)(uintptr_t)record << 24)) % PLACES_SLOTS;
    uint64_t mark = (uint64_t)1 << slot % 64;
    if ((atomic_load_explicit(&places->marks[slot / 64], memory_order_relaxed) & mark) == 0) {
        atomic_fetch_or_explicit(&places->marks[slot / 64], mark, memory_order_relaxed);
    }
}

unsigned places_marked(const struct places *places) {
    unsigned marked = 0;
    for (unsigned i = 0; i < PLACES_SLOTS / 64; i++) {
        marked += (unsigned)__builtin_popcountll(atomic_load(&places->marks[i]));
    }
    return marked;
}
