/* An open file of the store: its descriptor on the backing and, once it is buffered, its object. */
#pragma once

#include <sys/uio.h>

#include "client/client.h"

struct file {
    struct store *store;
    _Atomic(struct object *) object;
    int backing_fd;
    int flags;
    uint64_t inode;
    bool regular;
    _Atomic uint32_t seen_created; /* objects_created when we last looked for an object */
    pthread_mutex_t attach_mutex;
};

/* All return 0 or errno, or bytes or -errno. strict: a truncation is never taken for a repetition. */
int file_open(struct store *store, const char *path, int flags, mode_t mode, bool strict, struct file **file);
int file_adopt(struct store *store, int backing_fd, int flags, bool strict,
               struct file **file); /* closes on failure */
void file_close(struct file *file);
ssize_t file_read(struct file *file, const struct iovec *iov, int count, off_t offset);
ssize_t file_write(struct file *file, const struct iovec *iov, int count, off_t offset);
int file_truncate(struct file *file, off_t size, bool strict);
int file_sync(struct file *file);
int file_stat(struct file *file, struct stat *status);
off_t file_size(struct file *file);
int file_stage(struct file *file, uint64_t *moved_bytes); /* all of it into the fast tier */

/* status.c */
bool path_is_bufferable(const struct store *store, const struct stat *status);
int path_stat(struct store *store, int directory_fd, const char *name, int flags, struct stat *status);
bool path_overlay(struct store *store, struct stat *status); /* what the backing does not know yet */
void status_overlay(const struct object_header *header, struct stat *status);

/* beneath.c: paths relative to the backing that stay in it. */
struct parent {
    int directory_fd;
    bool own; /* to be closed */
    char name[NAME_MAX + 1];
};
int open_beneath(const struct store *store, const char *path, int flags, mode_t mode);  /* -1 with errno */
int parent_beneath(const struct store *store, const char *path, struct parent *parent); /* 0 or errno */
void parent_leave(const struct parent *parent);                                         /* keeps errno */

/* paths.c: names in the store, relative to the backing. */
const char *path_below(const char *path, const char *directory); /* the rest of it; NULL: it is elsewhere */
int path_in_store(const struct store *store, const char *path, char relative[PATH_MAX]); /* 0 or errno */
int path_look(struct store *store, const char *path, struct stat *status); /* through links; 0 or errno */
int path_unlink(struct store *store, int directory_fd, const char *name);
int path_rename(struct store *store, int from_fd, const char *from, int to_fd, const char *to,
                unsigned flags);
