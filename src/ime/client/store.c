#include "client/client.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct store *open_stores; /* one in practice; walked by the fork handlers */
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;
static _Atomic uint64_t generations = 1;

static void store_init_mutexes(struct store *store) {
    for (size_t i = 0; i < sizeof store->locks / sizeof store->locks[0]; i++) {
        pthread_mutex_init(&store->locks[i], NULL);
    }
    for (size_t i = 0; i < OBJECT_SHARDS; i++) {
        pthread_mutex_init(&store->shards[i].mutex, NULL);
    }
    pthread_mutex_init(&store->enter_mutex, NULL);
}

/* Locks belong to open descriptions, which fork shares: the child takes its own, and becomes a client with
 * its first operation. */
static void store_after_fork_in_child(void) {
    struct store *store = open_stores;
    if (store == NULL) {
        return;
    }
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", store->control_fd);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd >= 0) {
        dup3(fd, store->control_fd, O_CLOEXEC);
        close(fd);
    }
    store_init_mutexes(store);
    for (size_t i = 0; i < OBJECT_SHARDS; i++) {
        for (struct object *object = store->shards[i].objects; object != NULL; object = object->next) {
            object_reopen_after_fork(object);
        }
    }
    store->process = NO_PROCESS;
    store->generation = atomic_fetch_add(&generations, 1);
}

static void store_register_fork(void) {
    pthread_atfork(NULL, NULL, store_after_fork_in_child);
}

static int store_open_directories(struct store *store, char *message, size_t message_bytes) {
    const struct config *config = &store->config;
    if (directory_is_private(config->fast) == EPERM) {
        snprintf(message, message_bytes,
                 "%s: fast = %s: it belongs to another user, or others may write to it: a store "
                 "is used by its owner alone",
                 config->file, config->fast);
        return -1;
    }
    int fast_fd = open(config->fast, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    store->backing_fd = open(config->backing, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (store->backing_fd < 0) {
        snprintf(message, message_bytes, "%s: backing = %s: %s", config->file, config->backing,
                 strerror(errno));
    } else if (fast_fd >= 0) {
        store->objects_fd = openat(fast_fd, "objects", O_PATH | O_DIRECTORY | O_CLOEXEC);
        store->links_fd = openat(store->backing_fd, LINKS_DIRECTORY, O_PATH | O_DIRECTORY | O_CLOEXEC);
        store->control_fd = openat(fast_fd, "control", O_RDWR | O_CLOEXEC);
    }
    if (store->backing_fd >= 0 &&
        (fast_fd < 0 || store->objects_fd < 0 || store->links_fd < 0 || store->control_fd < 0)) {
        snprintf(message, message_bytes, "%s: fast = %s: no store here (%s): run imectl create", config->file,
                 config->fast, strerror(errno));
    }
    if (fast_fd >= 0) {
        close(fast_fd);
    }
    if (store->backing_fd < 0 || store->control_fd < 0 || store->links_fd < 0 || store->objects_fd < 0) {
        return -1;
    }
    return fstat(store->links_fd, &store->links_status);
}

static int store_map_control(struct store *store, char *message, size_t message_bytes) {
    const struct config *config = &store->config;
    struct stat status;
    if (fstat(store->control_fd, &status) != 0 || (size_t)status.st_size < sizeof(struct control)) {
        snprintf(message, message_bytes, "%s/control is damaged: destroy the store and create it anew",
                 config->fast);
        return -1;
    }
    void *map = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, store->control_fd, 0);
    if (map == MAP_FAILED) {
        snprintf(message, message_bytes, "%s/control: %s", config->fast, strerror(errno));
        return -1;
    }
    store->control = map;
    if (store->control->layout != STORE_LAYOUT) {
        snprintf(message, message_bytes,
                 "%s holds layout %u, this library knows %u: use the library that made it", config->fast,
                 store->control->layout, STORE_LAYOUT);
        return -1;
    }
    if (strcmp(store->control->backing, config->backing) != 0) {
        snprintf(message, message_bytes, "%s: backing = %s: the store in %s was created for %s", config->file,
                 config->backing, config->fast, store->control->backing);
        return -1;
    }
    store->granule_bytes = store->control->granule_bytes;
    store->granule_shift = (unsigned)__builtin_ctzll(store->granule_bytes);
    store->max_bytes = MAX_GRANULES << store->granule_shift;
    return 0;
}

static void store_recover_after_boot(struct store *store) {
    char boot_id[40];
    store_read_boot_id(boot_id);
    store->process = NO_PROCESS;
    store_lock(store, LOCK_STORE);
    if (strcmp(boot_id, store->control->boot_id) != 0) {
        memset(store->control->processes, 0, sizeof store->control->processes);
        memset(store->control->threads, 0, sizeof store->control->threads);
        atomic_store(&store->control->gate, 0);
        atomic_store(&store->control->recount, 1);
        atomic_store(&store->control->drain_next_ns, 0);
        atomic_store(&store->control->read_next_ns, 0);
        atomic_store(&store->control->write_next_ns, 0);
        objects_each(store, recover_object, NULL);
        strcpy(store->control->boot_id, boot_id);
    }
    store_unlock(store, LOCK_STORE);
}

struct store *store_open(const struct config *config, char *message, size_t message_bytes) {
    struct store *store = calloc(1, sizeof *store);
    if (store == NULL) {
        snprintf(message, message_bytes, "no memory");
        return NULL;
    }
    store->config = *config;
    store->save_for_readers = drain_for_readers;
    store->process = NO_PROCESS;
    store->generation = atomic_fetch_add(&generations, 1);
    store->backing_fd = store->links_fd = store->objects_fd = store->control_fd = -1;
    store_init_mutexes(store);
    if (store_open_directories(store, message, message_bytes) != 0 ||
        store_map_control(store, message, message_bytes) != 0) {
        store_close(store);
        return NULL;
    }
    store_recover_after_boot(store);
    int error = clients_enter(store);
    if (error != 0) {
        snprintf(message, message_bytes, "%s: more than %u clients", config->fast, MAX_PROCESSES);
        store_close(store);
        return NULL;
    }
    open_stores = store;
    pthread_once(&fork_once, store_register_fork);
    return store;
}

void store_close(struct store *store) {
    const int fds[] = {store->control_fd, store->objects_fd, store->links_fd, store->backing_fd};
    if (open_stores == store) {
        open_stores = NULL;
    }
    if (store->control != NULL) {
        clients_leave(store);
        munmap(store->control, sizeof(struct control));
    }
    for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++) {
        if (fds[i] >= 0) {
            close(fds[i]);
        }
    }
    free(store);
}
