/* Who uses the store, and which of their threads operates on which file. */
#pragma once

#include "layout/store.h"

/* clients.c */
int clients_enter(struct store *store);    /* take a process slot; errno on failure */
void clients_reenter(struct store *store); /* a child of fork becomes a client of its own */
void clients_leave(struct store *store);
bool client_is_alive(const struct store *store, uint32_t process);
unsigned clients_count(const struct store *store);
void clients_reap(struct store *store);    /* repair after the dead, unless another process does it now */
void clients_recount(struct store *store); /* caller holds no object lock and is in no operation */

/* slots.c: "this thread is operating on that file". */
struct thread_slot *slot_enter(struct store *store, uint64_t inode, uint64_t write_low, uint64_t write_high);
void slot_leave(struct thread_slot *slot);
struct thread_slot *slot_of_thread(struct store *store);
void slots_wait(struct store *store, uint64_t inode); /* until all operations under way on inode have ended */
