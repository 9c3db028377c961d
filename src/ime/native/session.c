#include "session.h"

#include <errno.h>
#include <stdlib.h>

#include "drain/drainer.h"

static pthread_mutex_t session_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct store *_Atomic session;
static unsigned begun;
static bool reported;

static struct store *open_session(void) {
    struct config config;
    char message[2 * PATH_MAX];
    const char *file = getenv(CONFIG_VARIABLE);
    struct store *store = NULL;
    if (file == NULL) {
        snprintf(message, sizeof message, "set " CONFIG_VARIABLE " to the file that describes the store");
    } else if (config_read(file, &config, message, sizeof message) == 0) {
        store = store_open(&config, message, sizeof message);
        if (store != NULL) {
            drainer_revive(store);
        }
    }
    if (store == NULL && !reported) {
        fprintf(stderr, "libim_client: %s\n", message);
        reported = true;
    }
    return store;
}

bool session_begin(void) {
    pthread_mutex_lock(&session_mutex);
    if (atomic_load(&session) == NULL) {
        atomic_store(&session, open_session());
    }
    begun++;
    bool usable = atomic_load(&session) != NULL;
    pthread_mutex_unlock(&session_mutex);
    return usable;
}

void session_end(void) {
    aio_finish();
    pthread_mutex_lock(&session_mutex);
    if (begun > 0 && --begun == 0 && descriptors_open() == 0 && atomic_load(&session) != NULL) {
        store_close(atomic_exchange(&session, NULL));
    }
    pthread_mutex_unlock(&session_mutex);
}

struct store *session_store(void) {
    struct store *store = atomic_load(&session);
    if (store == NULL && session_begin()) { /* a program that forgot to initialise */
        store = atomic_load(&session);
    }
    if (store == NULL) {
        errno = ENODEV;
    }
    return store;
}

__attribute__((destructor)) static void leave_at_exit(void) {
    struct store *store = atomic_load(&session);
    if (store != NULL) {
        clients_leave(store); /* a client that leaves needs no repair */
    }
}
