/* Numbers that many calls add to. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A count that each transfer adds to: an addition that locks costs more than all else here, so the thread
 * that the process began with has a part of its own. */
struct counter {
    _Atomic uint64_t first, others;
};

extern _Thread_local bool is_first_thread __attribute__((tls_model("initial-exec")));

static inline void count(struct counter *counter, uint64_t amount) {
#ifdef __x86_64__
    if (__builtin_expect(is_first_thread, 1)) {
        /* One instruction: a handler of a signal that transfers, too, loses nothing. */
        __asm__("addq %1, %0" : "+m"(counter->first) : "er"(amount) : "cc");
        return;
    }
#endif
    atomic_fetch_add_explicit(&counter->others, amount, memory_order_relaxed);
}

static inline uint64_t counted(const struct counter *counter) {
    return atomic_load_explicit(&counter->first, memory_order_relaxed) +
           atomic_load_explicit(&counter->others, memory_order_relaxed);
}

/* Where the C library tells it, from glibc 2.32 on; a zero before, and until we have begun. */
extern const char *calls_single_threaded __attribute__((visibility("hidden")));

static inline bool is_single_threaded(void) {
    return *calls_single_threaded != 0;
}

/* Threads are rare in benchmarks, and a locked addition costs more than all else here. */
static inline void add(_Atomic uint64_t *counter, uint64_t amount) {
    if (is_single_threaded()) {
        atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + amount,
                              memory_order_relaxed);
    } else {
        atomic_fetch_add_explicit(counter, amount, memory_order_relaxed);
    }
}
