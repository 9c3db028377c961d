/* Who uses the store, and what must be repaired when one of them was killed. */
#include <errno.h>
#include <sched.h>
#include <unistd.h>

#include "object/object.h"

bool client_is_alive(const struct store *store, uint32_t process) {
    if (process == store->process) {
        return true;
    }
    return process < MAX_PROCESSES && atomic_load(&store->control->processes[process].live) != 0 &&
           byte_is_locked(store->control_fd, LOCK_PROCESSES + process);
}

unsigned clients_count(const struct store *store) {
    unsigned count = 0;
    for (uint32_t i = 0; i < MAX_PROCESSES; i++) {
        count += client_is_alive(store, i);
    }
    return count;
}

/* A write ended by a kill: what it changed must be drained, and what it left beyond the end must go. */
static void clients_repair_thread(struct store *store, struct thread_slot *slot) {
    uint64_t inode = atomic_load(&slot->active) & ~SLOT_LOCKED;
    uint64_t low = atomic_load(&slot->write_low);
    uint64_t high = atomic_load(&slot->write_high);
    if (inode != 0 && high > low) {
        object_mark_torn(store, inode, low, high);
    }
    atomic_store(&slot->active, 0);
    atomic_store(&slot->credit_bytes, 0);
    atomic_store(&slot->owner, 0);
}

static void clients_repair_process(struct store *store, uint32_t process) {
    struct control *control = store->control;
    for (uint32_t i = 0; i < atomic_load(&control->threads_high); i++) {
        if (atomic_load(&control->threads[i].owner) == process + 1) {
            clients_repair_thread(store, &control->threads[i]);
        }
    }
    if (atomic_load(&control->gate) == process + 1) {
        atomic_store(&control->gate, 0);
    }
    atomic_store(&control->recount, 1);
    atomic_store(&control->processes[process].live, 0);
}

static void clients_reap_locked(struct store *store) {
    for (uint32_t i = 0; i < MAX_PROCESSES; i++) {
        if (atomic_load(&store->control->processes[i].live) != 0 && !client_is_alive(store, i)) {
            clients_repair_process(store, i);
        }
    }
}

void clients_reap(struct store *store) {
    /* Without waiting: the caller may hold an object lock, and whoever has the store lock reaps while it
     * waits. */
    if (store_trylock(store, LOCK_STORE)) {
        clients_reap_locked(store);
        store_unlock(store, LOCK_STORE);
    }
}

static int clients_take_process_slot(struct store *store) {
    for (uint32_t i = 0; i < MAX_PROCESSES; i++) {
        struct process_slot *slot = &store->control->processes[i];
        if (atomic_load(&slot->live) == 0 && lock_byte(store->control_fd, LOCK_PROCESSES + i, false) == 0) {
            store->process = i;
            store->incarnation = atomic_load(&slot->incarnation) + 1;
            atomic_store(&slot->incarnation, store->incarnation);
            atomic_store(&slot->pid, (int32_t)getpid());
            uint64_t job = 0;
            uint32_t rank = 0;
            job_of_environment(&job, &rank);
            atomic_store(&slot->job, job);
            atomic_store(&slot->rank, rank);
            atomic_store(&slot->live, 1);
            return 0;
        }
    }
    return EUSERS;
}

int clients_enter(struct store *store) {
    store->process = NO_PROCESS;
    store_lock(store, LOCK_STORE);
    clients_reap_locked(store);
    int error = clients_take_process_slot(store);
    store_unlock(store, LOCK_STORE);
    if (error == 0 && atomic_load(&store->control->recount) != 0) {
        clients_recount(store);
    }
    return error;
}

void clients_reenter(struct store *store) {
    if (store->process != NO_PROCESS) {
        return;
    }
    pthread_mutex_lock(&store->enter_mutex);
    if (store->process == NO_PROCESS) {
        while (clients_enter(store) != 0) {
            usleep(1000); /* all 1024 slots taken: wait for one */
        }
    }
    pthread_mutex_unlock(&store->enter_mutex);
}

void clients_leave(struct store *store) {
    struct control *control = store->control;
    bool busy = false;
    if (store->process == NO_PROCESS) {
        return;
    }
    for (uint32_t i = 0; i < atomic_load(&control->threads_high); i++) {
        struct thread_slot *slot = &control->threads[i];
        if (atomic_load(&slot->owner) == store->process + 1) {
            busy = busy || atomic_load(&slot->active) != 0;
        }
    }
    if (busy) {
        return; /* exit() in the middle of another thread's write: leave it to the repair */
    }
    for (uint32_t i = 0; i < atomic_load(&control->threads_high); i++) {
        uint32_t owner = store->process + 1;
        atomic_compare_exchange_strong(&control->threads[i].owner, &owner, 0);
    }
    atomic_store(&control->processes[store->process].live, 0);
    unlock_byte(store->control_fd, LOCK_PROCESSES + store->process);
}

static void clients_wait_until_idle(struct store *store) {
    struct control *control = store->control;
    for (uint32_t i = 0; i < atomic_load(&control->threads_high); i++) {
        for (unsigned tries = 1; atomic_load(&control->threads[i].active) != 0; tries++) {
            if (tries < 100) {
                sched_yield();
                continue;
            }
            usleep(50);
            if (tries % 100 == 0) {
                clients_reap_locked(store);
            }
        }
    }
}

static void clients_add_used(struct store *store, const char *name, void *total_bytes) {
    *(uint64_t *)total_bytes += object_used_bytes(store, name);
}

void clients_recount(struct store *store) {
    struct control *control = store->control;
    store_lock(store, LOCK_STORE);
    atomic_store(&control->gate, store->process + 1);
    clients_wait_until_idle(store);
    uint64_t used_bytes = 0;
    objects_each(store, clients_add_used, &used_bytes);
    for (uint32_t i = 0; i < atomic_load(&control->threads_high); i++) {
        used_bytes += atomic_load(&control->threads[i].credit_bytes);
    }
    atomic_store(&control->used_bytes, used_bytes);
    atomic_store(&control->recount, 0);
    atomic_store(&control->gate, 0);
    store_unlock(store, LOCK_STORE);
}
