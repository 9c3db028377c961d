/* Asynchronous transfers: a few threads that take requests in order and call back when each is done. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "ime_native.h"
#include "session.h"

#define WORKERS 4

struct request {
    struct request *next;
    struct ime_aiocb *aiocb;
    struct description *description; /* kept open until the callback returned */
    bool write;
};

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t work;
    pthread_cond_t idle;
    struct request *first;
    struct request **last;
    unsigned running;
    pthread_t threads[WORKERS];
    pid_t owner; /* a child of fork has none of its parent's threads */
    bool ending;
} pool = {.mutex = PTHREAD_MUTEX_INITIALIZER,
          .work = PTHREAD_COND_INITIALIZER,
          .idle = PTHREAD_COND_INITIALIZER,
          .last = &pool.first};

static void aio_perform(struct request *request) {
    struct ime_aiocb *aiocb = request->aiocb;
    struct file *file = request->description->file;
    ssize_t bytes = request->write ? file_write(file, aiocb->iov, aiocb->iovcnt, aiocb->file_offset)
                                   : file_read(file, aiocb->iov, aiocb->iovcnt, aiocb->file_offset);
    aiocb->complete_cb(aiocb, bytes < 0 ? (int)-bytes : 0, bytes < 0 ? -1 : bytes);
    descriptors_put(request->description);
    free(request);
}

static void *aio_worker(void *unused) {
    (void)unused;
    pthread_mutex_lock(&pool.mutex);
    for (;;) {
        while (pool.first == NULL && !pool.ending) {
            pthread_cond_wait(&pool.work, &pool.mutex);
        }
        struct request *request = pool.first;
        if (request == NULL) {
            break;
        }
        pool.first = request->next;
        if (pool.first == NULL) {
            pool.last = &pool.first;
        }
        pool.running++;
        pthread_mutex_unlock(&pool.mutex);
        aio_perform(request);
        pthread_mutex_lock(&pool.mutex);
        pool.running--;
        pthread_cond_broadcast(&pool.idle);
    }
    pthread_mutex_unlock(&pool.mutex);
    return NULL;
}

static int aio_start_workers(void) {
    if (pool.owner == getpid()) {
        return 0;
    }
    for (unsigned i = 0; i < WORKERS; i++) {
        int error = pthread_create(&pool.threads[i], NULL, aio_worker, NULL);
        if (error != 0) {
            return error;
        }
    }
    pool.owner = getpid();
    return 0;
}

static int aio_submit(struct ime_aiocb *aiocb, bool write) {
    struct description *description = descriptors_get(aiocb->fd);
    if (description == NULL) {
        return -1;
    }
    struct request *request = malloc(sizeof *request);
    int error = request == NULL || aiocb->complete_cb == NULL ? EINVAL : 0;
    if (error == 0) {
        *request = (struct request){NULL, aiocb, description, write};
        pthread_mutex_lock(&pool.mutex);
        error = aio_start_workers();
        if (error == 0) {
            *pool.last = request;
            pool.last = &request->next;
            pthread_cond_signal(&pool.work);
        }
        pthread_mutex_unlock(&pool.mutex);
    }
    if (error != 0) {
        free(request);
        descriptors_put(description);
        errno = error;
        return -1;
    }
    return 0;
}

int ime_native_aio_read(struct ime_aiocb *aiocb) {
    return aio_submit(aiocb, false);
}

int ime_native_aio_write(struct ime_aiocb *aiocb) {
    return aio_submit(aiocb, true);
}

void aio_finish(void) {
    pthread_mutex_lock(&pool.mutex);
    bool ours = pool.owner == getpid();
    while (ours && (pool.first != NULL || pool.running > 0)) {
        pthread_cond_wait(&pool.idle, &pool.mutex);
    }
    pool.ending = ours;
    pthread_cond_broadcast(&pool.work);
    pthread_mutex_unlock(&pool.mutex);
    for (unsigned i = 0; ours && i < WORKERS; i++) {
        pthread_join(pool.threads[i], NULL);
    }
    if (ours) {
        pool.ending = false;
        pool.owner = 0;
    }
}
