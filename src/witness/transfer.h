/* What is done for each transfer, inline: after a call of the kernel each further call costs several
 * nanoseconds, and a transfer of 4 KiB from memory takes five hundred. */
#pragma once

#include <fcntl.h>

#include "image.h"

#define COMPARED_FIRST 32u

#pragma GCC visibility push(hidden)
extern _Atomic(struct record *) descriptors_table[ACCOUNTS_DESCRIPTORS];
extern struct record descriptors_elsewhere; /* in the table: of no file under test, as a look at it showed */
extern _Atomic(struct places *) places_current;
#pragma GCC visibility pop

static inline struct record *file_in_table(int fd) {
    return fd >= 0 && fd < ACCOUNTS_DESCRIPTORS
               ? atomic_load_explicit(&descriptors_table[fd], memory_order_relaxed)
               : &descriptors_elsewhere;
}

/* As file_of, before a transfer: of any program also where no open was seen. */
static inline struct record *file_moved(int fd) {
    struct record *record = file_in_table(fd);
    if (__builtin_expect(accounts_wanted, 0) && record == NULL) {
        record = file_looked_at(fd);
    }
    return record != &descriptors_elsewhere ? record : NULL;
}

#define NO_BUFFER ((struct buffer){NULL, 0})

static inline void count_read(struct record *record, struct buffer buffer, ssize_t bytes) {
    (void)buffer;
    if (record != NULL) {
        count(bytes < 0 ? &record->reads_failed : &record->reads, 1);
        count(&record->read_bytes, bytes < 0 ? 0 : (uint64_t)bytes);
    } else if (bytes > 0) {
        add(&image.elsewhere_read_bytes, (uint64_t)bytes);
    }
}

static inline void count_write(struct record *record, struct buffer buffer, ssize_t bytes) {
    if (record != NULL) {
        if (__builtin_expect(image.sample_used < WITNESS_SAMPLE_BYTES, 0) && bytes > 0 && buffer.at != NULL) {
            sample_take(buffer.at, buffer.bytes < (size_t)bytes ? buffer.bytes : (size_t)bytes);
        }
        count(bytes < 0 ? &record->writes_failed : &record->writes, 1);
        count(&record->written_bytes, bytes < 0 ? 0 : (uint64_t)bytes);
    } else if (bytes > 0) {
        add(&image.elsewhere_written_bytes, (uint64_t)bytes);
    }
}

static inline uint64_t places_mixed(uint64_t value) {
    value = (value ^ (value >> 33)) * 0xff51afd7ed558ccdu;
    value = (value ^ (value >> 33)) * 0xc4ceb9fe1a85ec53u;
    return value ^ (value >> 33);
}

static inline void places_mark(struct places *places, uint64_t hash) {
    unsigned slot = hash % PLACES_SLOTS;
    uint64_t bit = (uint64_t)1 << slot % 64;
    if ((atomic_load_explicit(&places->marks[slot / 64], memory_order_relaxed) & bit) == 0) {
        atomic_fetch_or_explicit(&places->marks[slot / 64], bit, memory_order_relaxed);
    }
}

static inline uint64_t place_of(const struct record *record, int64_t offset) {
    return places_mixed((uint64_t)offset ^ ((uint64_t)(uintptr_t)record << 24));
}

#define LOOKED_AT_FIRST 32 /* reads and writes of a file */

/* Whether the descriptor is looked at after a transfer: the first ones are, and then the longer it took, the
 * more often. A look takes a third of a microsecond, and a whole one where the caches have something else. */
static inline bool is_looked_at(const struct record *record, bool writes, uint64_t hash, ssize_t bytes) {
    unsigned one_of = 1024;
    if (__builtin_expect(bytes >= 64 << 10, 0)) {
        one_of = bytes >= 4 << 20 ? 1 : bytes >= 1 << 20 ? 4 : bytes >= 256 << 10 ? 16 : 128;
    }
    return (hash >> 32 & (one_of - 1)) == 0 ||
           counted(writes ? &record->writes : &record->reads) < LOOKED_AT_FIRST;
}

/* A negative offset is not known. */
static inline void places_seen(struct places *places, int64_t offset, uint64_t hash) {
    count(&places->calls, 1);
    if (offset < 0) {
        count(&places->unplaced, 1);
        return;
    }
    places_mark(places, hash);
}

/* Bytes are compared at the first of these looks, and then at one of 16, of small transfers at one of four:
 * each opens the file. */
static inline bool is_compared(const struct places *places, const struct record *record, int64_t offset,
                               uint64_t hash, ssize_t bytes) {
    bool appends = (atomic_load_explicit(&record->flags, memory_order_relaxed) & O_APPEND) != 0;
    bool is_its_turn = (hash >> 48) % (bytes < 64 << 10 ? 4 : 16) == 0;
    return contents_wanted && !appends && offset >= 0 &&
           (is_its_turn || counted(&places->looked) < COMPARED_FIRST);
}

/* Counts for a file under test; false where the descriptor is another file's, so that nothing counts. */
static inline __attribute__((always_inline)) bool transfer_seen(const struct record *record, int fd,
                                                                bool writes, int64_t offset,
                                                                struct buffer buffer, ssize_t bytes) {
    struct places *places = atomic_load_explicit(&places_current, memory_order_relaxed);
    uint64_t hash = place_of(record, offset);
    places = places != NULL ? places + writes : NULL;
    if (__builtin_expect(is_looked_at(record, writes, hash, bytes), 0)) {
        if (!file_is_still(fd)) {
            return false;
        }
        buffer.bytes = buffer.bytes < (size_t)bytes ? buffer.bytes : (size_t)bytes;
        if (places != NULL && buffer.at != NULL && is_compared(places, record, offset, hash, bytes)) {
            contents_look(places, fd, buffer, offset, bytes);
        }
    }
    if (places != NULL) {
        places_seen(places, offset, hash);
    }
    return true;
}
