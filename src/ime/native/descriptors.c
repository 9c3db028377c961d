/* A descriptor of ours is the number of a real one on the backing file: unique, inherited and limited as
 * usual. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "session.h"

#define MAX_DESCRIPTORS 65536
#define STRIPES         64

static struct description *table[MAX_DESCRIPTORS];
static pthread_mutex_t stripes[STRIPES];
static pthread_once_t stripes_once = PTHREAD_ONCE_INIT;
static _Atomic unsigned open_count;

static void descriptors_init_stripes(void) {
    for (size_t i = 0; i < STRIPES; i++) {
        pthread_mutex_init(&stripes[i], NULL);
    }
    pthread_atfork(NULL, NULL, descriptors_init_stripes);
}

static pthread_mutex_t *descriptors_stripe_of(int fd) {
    pthread_once(&stripes_once, descriptors_init_stripes);
    return &stripes[fd % STRIPES];
}

static struct description *descriptors_exchange(int fd, struct description *description) {
    pthread_mutex_lock(descriptors_stripe_of(fd));
    struct description *before = table[fd];
    table[fd] = description;
    pthread_mutex_unlock(descriptors_stripe_of(fd));
    return before;
}

unsigned descriptors_open(void) {
    return atomic_load(&open_count);
}

int descriptors_add(struct file *file) {
    struct description *description = calloc(1, sizeof *description);
    int fd = file->backing_fd;
    if (description == NULL || fd >= MAX_DESCRIPTORS) {
        free(description);
        file_close(file);
        errno = description == NULL ? ENOMEM : EMFILE;
        return -1;
    }
    atomic_store(&description->references, 1);
    description->file = file;
    pthread_mutex_init(&description->position_mutex, NULL);
    struct description *stale = descriptors_exchange(fd, description);
    if (stale != NULL) {
        descriptors_put(stale); /* its number was closed with close() */
    }
    atomic_fetch_add(&open_count, 1);
    return fd;
}

struct description *descriptors_get(int fd) {
    if (fd < 0 || fd >= MAX_DESCRIPTORS) {
        errno = EBADF;
        return NULL;
    }
    pthread_mutex_lock(descriptors_stripe_of(fd));
    struct description *description = table[fd];
    if (description != NULL) {
        atomic_fetch_add(&description->references, 1);
    }
    pthread_mutex_unlock(descriptors_stripe_of(fd));
    if (description == NULL) {
        errno = EBADF;
    }
    return description;
}

void descriptors_put(struct description *description) {
    if (atomic_fetch_sub(&description->references, 1) == 1) {
        file_close(description->file);
        pthread_mutex_destroy(&description->position_mutex);
        free(description);
    }
}

int descriptors_close(int fd) {
    struct description *description = fd >= 0 && fd < MAX_DESCRIPTORS ? descriptors_exchange(fd, NULL) : NULL;
    if (description == NULL) {
        errno = EBADF;
        return -1;
    }
    if (fd != description->file->backing_fd) {
        close(fd);
    }
    atomic_fetch_sub(&open_count, 1);
    descriptors_put(description);
    return 0;
}

int descriptors_duplicate(int from, int to) {
    struct description *description = descriptors_get(from);
    if (description == NULL || from == to) {
        if (description != NULL) {
            descriptors_put(description);
        }
        return description == NULL ? -1 : to;
    }
    struct file *file = description->file;
    if (to < 0 || to >= MAX_DESCRIPTORS) {
        descriptors_put(description);
        errno = EBADF;
        return -1;
    }
    if (file->backing_fd ==
        from) { /* from now on the file's own descriptor is none of the numbers handed out */
        int own = fcntl(from, F_DUPFD_CLOEXEC, 3);
        if (own < 0) {
            descriptors_put(description);
            return -1;
        }
        file->backing_fd = own;
    }
    struct description *before = descriptors_exchange(to, description);
    if (before != NULL && before->file->backing_fd == to) {
        before->file->backing_fd = fcntl(to, F_DUPFD_CLOEXEC, 3);
    }
    dup3(from, to, O_CLOEXEC);
    if (before != NULL) {
        descriptors_put(before);
    } else {
        atomic_fetch_add(&open_count, 1);
    }
    return to;
}
