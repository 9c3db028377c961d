/* One store as one process sees it: directories, the mapped control block, locks and slots. */
#ifndef IME_STORE_H
#define IME_STORE_H

#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>

#include "config.h"
#include "layout.h"

#define OBJECT_SHARDS 64u
#define NO_PROCESS    UINT32_MAX

struct object;

struct shard {
    pthread_mutex_t mutex;
    struct object *objects;
};

struct store {
    struct config config;
    int backing_fd; /* directories, opened O_PATH except for the two that are listed */
    int links_fd;
    int objects_fd;
    int control_fd;
    struct control *control;
    uint64_t granule_bytes;
    unsigned granule_shift;
    uint64_t max_bytes; /* largest file */
    struct stat links_status;
    uint32_t process; /* index of our process slot */
    uint32_t incarnation;
    uint64_t fork_generation;
    pthread_mutex_t enter_mutex;
    pthread_mutex_t locks[3]; /* beside the kernel's locks, which threads of one process share */
    struct shard shards[OBJECT_SHARDS];
    _Atomic uint64_t fault_passed[MAX_FAULTS];
    _Atomic uint64_t fault_fired[MAX_FAULTS];
    _Atomic int64_t drainer_tried_ns;
};

/* store.c: the store of config, entered as a new client. NULL with a sentence in message. */
struct store *store_open(const struct config *config, char *message, size_t message_bytes);
void store_close(struct store *store);
void store_enter_again(struct store *store); /* a child of fork becomes a client of its own */

/* setup.c */
int store_create(const struct config *config, char *message, size_t message_bytes);
int store_destroy(struct store *store); /* ends the store as well, whatever comes out; 0 or errno */
void store_read_boot_id(char boot_id[40]);

/* lock.c: exclusion between threads and processes; the kernel gives a dead holder's lock to the next one. */
void store_lock(struct store *store, int64_t which);
bool store_trylock(struct store *store, int64_t which);
void store_unlock(struct store *store, int64_t which);
int lock_byte(int fd, int64_t byte, bool wait); /* 0 or errno */
int share_byte(int fd, int64_t byte);
void unlock_byte(int fd, int64_t byte);
bool byte_is_locked(int fd, int64_t byte); /* by another open description */

/* clients.c */
int clients_enter(struct store *store); /* take a process slot; errno on failure */
void clients_leave(struct store *store);
bool client_is_alive(const struct store *store, uint32_t process);
unsigned clients_count(const struct store *store);
void clients_reap(struct store *store);    /* repair after the dead, if nobody else is at it */
void clients_recount(struct store *store); /* caller holds no object lock and is in no operation */

/* slots.c: "this thread is operating on that file". */
struct thread_slot *slot_enter(struct store *store, uint64_t inode, uint64_t write_low, uint64_t write_high);
void slot_leave(struct thread_slot *slot);
struct thread_slot *slot_of_thread(struct store *store);
void slots_wait(struct store *store, uint64_t inode); /* until all operations under way on inode have ended */

/* throttle.c: settable latency, bandwidth and faults. */
struct injection {
    int error;
    bool halve;
};
struct injection inject(struct store *store, enum operation operation, uint64_t bytes);
void pace(_Atomic int64_t *next_ns, double bytes_s, uint64_t bytes, int64_t memory_ns);
int64_t now_ns(int clock);

#endif
