#include <errno.h>
#include <time.h>

#include "layout/store.h"

int64_t now_ns(int clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void throttle_sleep_until(int64_t deadline_ns) {
    /* The kernel wakes some 60 us late, so the end of every wait is spent awake. */
    const int64_t awake_ns = 80000;
    struct timespec time;
    if (deadline_ns - now_ns(CLOCK_MONOTONIC) > awake_ns) {
        time.tv_sec = (deadline_ns - awake_ns) / 1000000000;
        time.tv_nsec = (deadline_ns - awake_ns) % 1000000000;
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR) {
        }
    }
    while (now_ns(CLOCK_MONOTONIC) < deadline_ns) {
    }
}

/* Take the next free piece of a bandwidth that all clients share, and wait until it is over. A delay of up to
 * memory_ns is caught up; after a longer pause the count begins anew. */
void pace(_Atomic int64_t *next_ns, double bytes_s, uint64_t bytes, int64_t memory_ns) {
    if (bytes_s <= 0 || bytes == 0) {
        return;
    }
    int64_t cost_ns = (int64_t)((double)bytes / bytes_s * 1e9);
    int64_t seen = atomic_load(next_ns);
    int64_t end;
    do {
        int64_t now = now_ns(CLOCK_MONOTONIC);
        end = (seen > now - memory_ns ? seen : now) + cost_ns;
    } while (!atomic_compare_exchange_weak(next_ns, &seen, end));
    throttle_sleep_until(end);
}

static bool throttle_fires(struct store *store, unsigned index) {
    const struct fault *fault = &store->config.faults[index];
    uint64_t passed = atomic_fetch_add(&store->fault_passed[index], 1);
    if (passed < fault->after || (passed - fault->after) % fault->every != 0) {
        return false;
    }
    return atomic_fetch_add(&store->fault_fired[index], 1) < fault->count;
}

struct injection inject(struct store *store, enum operation operation, uint64_t bytes) {
    struct injection injection = {0, false};
    const struct config *config = &store->config;
    if (config->latency_us[operation] > 0) {
        throttle_sleep_until(now_ns(CLOCK_MONOTONIC) + (int64_t)(config->latency_us[operation] * 1000));
    }
    if (operation == OP_READ) {
        pace(&store->control->read_next_ns, config->read_bytes_s, bytes, 0);
    } else if (operation == OP_WRITE) {
        pace(&store->control->write_next_ns, config->write_bytes_s, bytes, 0);
    }
    for (unsigned i = 0; i < config->fault_count; i++) {
        if (config->faults[i].operation == operation && throttle_fires(store, i)) {
            injection.error = config->faults[i].error;
            injection.halve = config->faults[i].error == 0;
        }
    }
    return injection;
}
