/* The process's one store, and the table from descriptors to open files. */
#pragma once

#include <errno.h>

#include "client/file.h"

/* What dup2 shares: the file and its position. */
struct description {
    _Atomic unsigned references;
    struct file *file;
    pthread_mutex_t position_mutex;
    off_t position;
};

struct store *session_store(void); /* NULL with errno ENODEV if there is none */
bool session_begin(void);
void session_end(void);

int descriptors_add(struct file *file);      /* the new descriptor, or -1 with errno; closes the file then */
struct description *descriptors_get(int fd); /* NULL with errno EBADF; give it back with descriptors_put */
void descriptors_put(struct description *description);
int descriptors_close(int fd);
int descriptors_duplicate(int from, int to);
unsigned descriptors_open(void);

/* 0, or -1 with errno, as the functions of the interface return it. */
static inline int native_posix_result(int error) {
    errno = error != 0 ? error : errno;
    return error != 0 ? -1 : 0;
}

void aio_finish(void); /* waits for transfers under way */
