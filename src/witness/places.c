/* At how many places of the files the transfers of a span began, and how many names the operations of a turn
 * had, by linear counting: a library that leads all of them to one part of a file, or to one file, makes as
 * many calls as it should, and is given away by this alone. */
#include <string.h>

#include "transfer.h"

/* The places of the open span; a process has one at a time. */
_Atomic(struct places *) places_current;

void places_begin(struct places *places) {
    atomic_store(&places_current, places);
}

/* Eight bytes at a time: a look at a name that is in memory takes a microsecond. */
uint64_t places_hash(uint64_t hash, const char *path, size_t left) {
    uint64_t word;
    for (; left >= sizeof word; left -= sizeof word, path += sizeof word) {
        memcpy(&word, path, sizeof word);
        hash = (hash ^ word) * 0xff51afd7ed558ccdu;
        hash ^= hash >> 32;
    }
    for (; left > 0; left--, path++) {
        hash = (hash ^ (unsigned char)*path) * 0x100000001b3u;
    }
    return places_mixed(hash);
}

void places_named(struct places *places, int directory, const char *path) {
    count(&places->calls, 1);
    places_mark(places, places_hash((uint64_t)(unsigned)directory, path, strlen(path)));
}

unsigned places_marked(const struct places *places) {
    unsigned marked = 0;
    for (unsigned i = 0; i < PLACES_SLOTS / 64; i++) {
        marked += (unsigned)__builtin_popcountll(atomic_load(&places->marks[i]));
    }
    return marked;
}
