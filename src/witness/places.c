/* At how many places of the files the transfers of a span began, and how many names the operations of a turn
 * had, by linear counting: a library that leads all of them to one part of a file, or to one file, makes as
 * many calls as it should, and is given away by this alone. */
#include <string.h>

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

static void mark(struct places *places, uint64_t value) {
    unsigned slot = mixed(value) % PLACES_SLOTS;
    uint64_t bit = (uint64_t)1 << slot % 64;
    if ((atomic_load_explicit(&places->marks[slot / 64], memory_order_relaxed) & bit) == 0) {
        atomic_fetch_or_explicit(&places->marks[slot / 64], bit, memory_order_relaxed);
    }
}

void places_named(struct places *places, int directory, const char *path) {
    uint64_t hash = (uint64_t)(unsigned)directory;
    size_t left = strlen(path);
    uint64_t word;
    /* Eight at a time: a look at a name that is in memory takes a microsecond. */
    for (; left >= sizeof word; left -= sizeof word, path += sizeof word) {
        memcpy(&word, path, sizeof word);
        hash = (hash ^ word) * 0xff51afd7ed558ccdu;
        hash ^= hash >> 32;
    }
    for (; left > 0; left--, path++) {
        hash = (hash ^ (unsigned char)*path) * 0x100000001b3u;
    }
    add(&places->calls, 1);
    mark(places, hash);
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
    mark(places, (uint64_t)offset ^ ((uint64_t)(uintptr_t)record << 24));
}

unsigned places_marked(const struct places *places) {
    unsigned marked = 0;
    for (unsigned i = 0; i < PLACES_SLOTS / 64; i++) {
        marked += (unsigned)__builtin_popcountll(atomic_load(&places->marks[i]));
    }
    return marked;
}
