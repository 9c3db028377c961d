/* Every thread that operates on a file marks that in a slot of the mapped control block. Whoever must change
 * what operations rely on shuts the file's gate and waits for those under way: they pay two stores, no lock.
 */
#include <sched.h>
#include <unistd.h>

#include "object/clients.h"

static _Thread_local struct thread_slot *own_slot;
static _Thread_local uint64_t own_generation;
static pthread_key_t slot_key;
static pthread_once_t slot_key_once = PTHREAD_ONCE_INIT;

static void slots_give_back(void *slot) {
    atomic_store(&((struct thread_slot *)slot)->owner, 0);
    own_slot = NULL;
}

static void slots_make_key(void) {
    pthread_key_create(&slot_key, slots_give_back);
}

static struct thread_slot *take_slot(struct store *store) {
    struct control *control = store->control;
    pthread_once(&slot_key_once, slots_make_key);
    clients_reenter(store);
    for (;;) {
        for (uint32_t i = 0; i < MAX_THREADS; i++) {
            struct thread_slot *slot = &control->threads[i];
            uint32_t no_owner = 0;
            if (atomic_load(&slot->owner) != 0 ||
                !atomic_compare_exchange_strong(&slot->owner, &no_owner, store->process + 1)) {
                continue;
            }
            uint32_t high = atomic_load(&control->threads_high);
            while (high <= i && !atomic_compare_exchange_weak(&control->threads_high, &high, i + 1)) {
            }
            pthread_setspecific(slot_key, slot);
            own_slot = slot;
            own_generation = store->generation;
            return slot;
        }
        clients_reap(store); /* more than 4096 threads: wait for one to end */
        usleep(1000);
    }
}

struct thread_slot *slot_of_thread(struct store *store) {
    /* A child of fork has its parent's variables, but must not use its parent's slot; and the slot of a store
     * that was closed is not mapped any more. */
    return own_slot != NULL && own_generation == store->generation ? own_slot : take_slot(store);
}

static void slots_wait_for_gate(struct store *store) {
    for (unsigned tries = 1;; tries++) {
        uint32_t holder = atomic_load(&store->control->gate);
        if (holder == 0) {
            return;
        }
        usleep(100);
        if (tries % 100 == 0 && !client_is_alive(store, holder - 1)) {
            clients_reap(store);
        }
    }
}

struct thread_slot *slot_enter(struct store *store, uint64_t inode, uint64_t write_low, uint64_t write_high) {
    struct thread_slot *slot = slot_of_thread(store);
    atomic_store_explicit(&slot->write_low, write_low, memory_order_relaxed);
    atomic_store_explicit(&slot->write_high, write_high, memory_order_relaxed);
    uint64_t sequence = atomic_load_explicit(&slot->sequence, memory_order_relaxed);
    atomic_store_explicit(&slot->sequence, sequence + 1, memory_order_relaxed);
    for (;;) {
        atomic_store(&slot->active, inode); /* seen by a waiter, or the waiter's gate is seen by us */
        if (atomic_load(&store->control->gate) == 0) {
            return slot;
        }
        atomic_store(&slot->active, 0);
        slots_wait_for_gate(store);
    }
}

void slot_leave(struct thread_slot *slot) {
    atomic_store_explicit(&slot->active, 0, memory_order_release);
}

static void wait_for_slot(struct store *store, struct thread_slot *slot, uint64_t inode) {
    uint64_t sequence = atomic_load(&slot->sequence);
    for (unsigned tries = 1; atomic_load(&slot->active) == inode && atomic_load(&slot->sequence) == sequence;
         tries++) {
        if (tries < 100) {
            sched_yield();
            continue;
        }
        usleep(50);
        uint32_t owner = atomic_load(&slot->owner);
        if (tries % 100 == 0 && (owner == 0 || !client_is_alive(store, owner - 1))) {
            clients_reap(store);
        }
    }
}

void slots_wait(struct store *store, uint64_t inode) {
    uint32_t high = atomic_load(&store->control->threads_high);
    for (uint32_t i = 0; i < high; i++) {
        struct thread_slot *slot = &store->control->threads[i];
        if (slot != own_slot && atomic_load(&slot->active) == inode) {
            wait_for_slot(store, slot, inode);
        }
    }
}
