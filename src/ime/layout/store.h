/* One store as one process sees it: directories, the mapped control block, locks and slots. */
#pragma once

#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>

#include "layout/config.h"
#include "layout/layout.h"

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
    uint64_t generation; /* differs between stores opened one after the other, and after fork */
    pthread_mutex_t enter_mutex;
    pthread_mutex_t locks[3]; /* beside the kernel's locks, which threads of one process share */
    struct shard shards[OBJECT_SHARDS];
    _Atomic uint64_t fault_passed[MAX_FAULTS];
    _Atomic uint64_t fault_fired[MAX_FAULTS];
    _Atomic int64_t drainer_checked_ns;
    /* Set by the layer of the drain: readers of a file that lost its last name need what its object holds. */
    void (*save_for_readers)(struct object *object);
};

/* lock.c: exclusion between threads and processes; the kernel gives a dead holder's lock to the next one. */
void store_lock(struct store *store, int64_t which);
bool store_trylock(struct store *store, int64_t which);
void store_unlock(struct store *store, int64_t which);
int lock_byte(int fd, int64_t byte, bool wait); /* 0 or errno */
int share_byte(int fd, int64_t byte);
void unlock_byte(int fd, int64_t byte);
bool byte_is_locked(int fd, int64_t byte);     /* by another open description */
bool byte_may_be_locked(int fd, int64_t byte); /* or the file system has no such locks */
bool locks_are_missing(int error); /* the file system has none: Lustre without flock, NFS with nolock */

/* private.c: 0, or EPERM or ENOTDIR */
int directory_is_private(const char *path);

/* process.c */
void store_read_boot_id(char boot_id[40]);
/* 0 if there is none. Equal ids with equal start times are one process. */
uint64_t process_start_ticks(int pid);
int process_signal(int pid, uint64_t start_ticks,
                   int signal_number); /* 0, or ESRCH if it is another one now */

/* job.c: the parallel job, by the environment, that this process is a rank of; false if there is none. */
bool job_of_environment(uint64_t *job, uint32_t *rank);

/* capacity.c */
bool space_try(struct store *store, uint64_t bytes); /* take them; false if they are not there */
void space_return(struct store *store, uint64_t bytes);

/* throttle.c: settable latency, bandwidth and faults. */
struct injection {
    int error;
    bool halve;
};
struct injection inject(struct store *store, enum operation operation, uint64_t bytes);
void pace(_Atomic int64_t *next_ns, double bytes_s, uint64_t bytes, int64_t memory_ns);
int64_t now_ns(int clock);
