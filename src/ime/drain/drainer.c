#include "drain/drainer.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "drain/drain.h"

#define START_PAUSE_NS INT64_C(1000000000) /* a drainer that was just started gets so long to come up */

static volatile sig_atomic_t end_requested;

static void drainer_end_on_signal(int signal_number) {
    (void)signal_number;
    end_requested = 1;
}

bool drainer_is_running(const struct store *store, int *pid) {
    *pid = (int)atomic_load(&store->control->drainer_pid);
    return byte_is_locked(store->control_fd, LOCK_DRAINER);
}

int drainer_process(const struct store *store) {
    int pid;
    if (!drainer_is_running(store, &pid) || pid == 0) {
        return 0;
    }
    /* One that has only begun holds the lock beside the id of an earlier one. */
    return process_start_ticks(pid) == atomic_load(&store->control->drainer_started) ? pid : 0;
}

int drainer_start(struct store *store) {
    int pid;
    if (drainer_is_running(store, &pid)) {
        return 0;
    }
    int error = spawn_drainer(store->config.file);
    for (unsigned tries = 0; error == 0 && !drainer_is_running(store, &pid); tries++) {
        usleep(1000);
        error = tries > 5000 ? ETIMEDOUT : 0;
    }
    return error;
}

int drainer_stop(struct store *store, bool at_once) {
    const struct control *control = store->control;
    uint64_t signalled = 0; /* start time of the process that has got the signal */
    int pid;
    for (unsigned tries = 0; tries < 20000; tries++) {
        if (!drainer_is_running(store, &pid)) {
            return 0;
        }
        uint64_t started = atomic_load(&control->drainer_started);
        if (started != signalled && process_signal(pid, started, at_once ? SIGKILL : SIGTERM) == 0) {
            signalled = started;
        }
        usleep(1000);
    }
    return ETIMEDOUT;
}

void drainer_revive(struct store *store) {
    int pid;
    if (store->config.drain_auto && !drainer_is_running(store, &pid) && pid != 0) {
        spawn_drainer(store->config.file);
    }
}

void drainer_check(struct store *store, int64_t pause_ns) {
    int pid;
    if (!store->config.drain_auto) {
        return;
    }
    int64_t now = now_ns(CLOCK_MONOTONIC_COARSE);
    int64_t last = atomic_load(&store->drainer_checked_ns);
    if ((last == 0 || now - last > pause_ns) &&
        atomic_compare_exchange_strong(&store->drainer_checked_ns, &last, now) &&
        !drainer_is_running(store, &pid)) {
        spawn_drainer(store->config.file); /* if that fails, whoever needs room drains itself */
    }
}

void drainer_wake(struct store *store) {
    atomic_fetch_add(&store->control->dirtied, 1);
    if (store->config.drain_auto) {
        syscall(SYS_futex, &store->control->dirtied, FUTEX_WAKE, 1, NULL, NULL, 0);
        drainer_check(store, START_PAUSE_NS);
    }
}

struct pass {
    uint64_t moved_bytes;
    bool unsettled;
    int error;
    bool drain;
};

static void drainer_visit(struct store *store, const char *name, void *context) {
    struct pass *pass = context;
    struct object_header header;
    uint64_t inode;
    int error;
    if (end_requested || !object_inode(name, &inode) || !object_peek(store, inode, &header) ||
        is_settled(&header)) {
        return;
    }
    struct object *object = object_find(store, inode, &error);
    if (object == NULL) {
        return;
    }
    if (!object_is_orphan(object)) {
        error = pass->drain ? object_drain(object, UINT64_MAX, &pass->moved_bytes) : 0;
        pass->error = pass->error != 0 ? pass->error : error;
        pass->unsettled = pass->unsettled || !is_settled(object->header);
    }
    object_release(object);
}

int drain_everything(struct store *store, uint64_t *moved_bytes) {
    struct pass pass = {.drain = true};
    objects_each(store, drainer_visit, &pass);
    *moved_bytes += pass.moved_bytes;
    return pass.error;
}

bool everything_settled(struct store *store) {
    struct pass pass = {.drain = false};
    objects_each(store, drainer_visit, &pass);
    return !pass.unsettled;
}

static void drainer_sync_one(struct store *store, const char *name, void *context) {
    int *first_error = context;
    struct object_header header;
    uint64_t inode;
    int error = 0;
    if (!object_inode(name, &inode) || !object_peek(store, inode, &header) || header.backing_unsynced == 0) {
        return;
    }
    struct object *object = object_find(store, inode, &error);
    if (object != NULL) {
        error = object_sync_backing(object);
        object_release(object);
    }
    *first_error = *first_error != 0 ? *first_error : error;
}

int sync_backings(struct store *store) {
    int error = 0;
    objects_each(store, drainer_sync_one, &error);
    return error;
}

static void drainer_drain_until_idle(struct store *store) {
    const double longest_sleep_s = 0.5; /* to notice the dead, and a signal to end */
    double idle_s = 0;
    while (!end_requested && idle_s < store->config.drainer_idle_s) {
        uint32_t seen = atomic_load(&store->control->dirtied);
        struct pass pass = {.drain = true};
        objects_each(store, drainer_visit, &pass);
        atomic_store(&store->control->drain_error, (uint32_t)pass.error);
        clients_reap(store);
        if (atomic_load(&store->control->recount) != 0) {
            clients_recount(store);
        }
        if (pass.moved_bytes > 0) {
            idle_s = 0;
            continue;
        }
        /* Files under change stay unsettled: look again soon, but do not spin on them. */
        double sleep_s = pass.error != 0 ? longest_sleep_s : pass.unsettled ? 0.002 : longest_sleep_s;
        idle_s = pass.unsettled ? 0 : idle_s + sleep_s;
        struct timespec limit = {0, (long)(sleep_s * 1e9)};
        syscall(SYS_futex, &store->control->dirtied, FUTEX_WAIT,
                pass.unsettled ? atomic_load(&store->control->dirtied) : seen, &limit, NULL, 0);
        if (atomic_load(&store->control->dirtied) != seen) {
            idle_s = 0;
        }
    }
}

int drainer_run(struct store *store) {
    if (!store_trylock(store, LOCK_DRAINER)) {
        return EALREADY;
    }
    struct sigaction action = {.sa_handler = drainer_end_on_signal};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    prctl(PR_SET_NAME, "ime-drainer");
    atomic_store(&store->control->drainer_started, process_start_ticks(getpid()));
    atomic_store(&store->control->drainer_pid, (int32_t)getpid());
    store_collect(store);
    drainer_drain_until_idle(store);
    atomic_store(&store->control->drainer_pid, 0);
    store_unlock(store, LOCK_DRAINER);
    return 0;
}
