/* Data. The kernel keeps none of it: every read and write comes here, so that all interfaces see the same
 * bytes.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mount.h"

#define OPEN_FLAGS (FOPEN_DIRECT_IO | FOPEN_PARALLEL_DIRECT_WRITES | FOPEN_NOFLUSH)

static struct file *file_of(const struct fuse_file_info *info) {
    return ((struct open_file *)(uintptr_t)info->fh)->file;
}

static struct open_file *files_remember(struct mount *mount, struct inode *inode, struct file *file) {
    struct open_file *open_file = calloc(1, sizeof *open_file);
    if (open_file != NULL) {
        open_file->file = file;
        open_file->inode = inode;
        tree_opened(&mount->tree, open_file);
    }
    return open_file;
}

/* NULL after an error, this one or its own: it is the reply then. */
static struct open_file *files_begin(fuse_req_t req, struct inode *inode, struct file *file, int error) {
    struct open_file *open_file = error == 0 ? files_remember(mount_of(req), inode, file) : NULL;
    if (open_file == NULL) {
        if (file != NULL) {
            file_close(file);
        }
        fuse_reply_err(req, error != 0 ? error : ENOMEM);
    }
    return open_file;
}

/* The library's own reply cannot have "parallel direct writes", so the reply is made here. */
static struct fuse_open_out files_open_reply(const struct open_file *open_file) {
    return (struct fuse_open_out){.fh = (uint64_t)(uintptr_t)open_file, .open_flags = OPEN_FLAGS};
}

static void files_do_open(fuse_req_t req, fuse_ino_t number, struct fuse_file_info *info) {
    struct mount *mount = mount_of(req);
    struct inode *inode = tree_inode(&mount->tree, number);
    struct file *file = NULL;
    char path[PATH_MAX];
    pthread_rwlock_rdlock(&mount->tree.names);
    int error = tree_path(&mount->tree, inode, NULL, path);
    if (error == 0) {
        int flags = (info->flags & ~(O_CREAT | O_EXCL)) | O_NOFOLLOW;
        error = file_open(mount->store, path, flags, 0, true, &file);
        if (error == 0 && (flags & O_TRUNC) != 0) {
            error = drop_privileges_of(req, file);
        }
    }
    pthread_rwlock_unlock(&mount->tree.names);
    struct open_file *open_file = files_begin(req, inode, file, error);
    if (open_file == NULL) {
        return;
    }
    struct fuse_open_out reply = files_open_reply(open_file);
    if (fuse_reply_buf(req, (const char *)&reply, sizeof reply) == -ENOENT) {
        tree_closed(&mount->tree, open_file); /* interrupted: no release will come */
    }
}

static struct fuse_attr files_attributes_of(const struct stat *status) {
    return (struct fuse_attr){.ino = status->st_ino,
                              .size = (uint64_t)status->st_size,
                              .blocks = (uint64_t)status->st_blocks,
                              .atime = (uint64_t)status->st_atim.tv_sec,
                              .mtime = (uint64_t)status->st_mtim.tv_sec,
                              .ctime = (uint64_t)status->st_ctim.tv_sec,
                              .atimensec = (uint32_t)status->st_atim.tv_nsec,
                              .mtimensec = (uint32_t)status->st_mtim.tv_nsec,
                              .ctimensec = (uint32_t)status->st_ctim.tv_nsec,
                              .mode = status->st_mode,
                              .nlink = (uint32_t)status->st_nlink,
                              .uid = status->st_uid,
                              .gid = status->st_gid,
                              .blksize = (uint32_t)status->st_blksize};
}

static void files_reply_create(fuse_req_t req, struct open_file *open_file,
                               const struct fuse_entry_param *entry) {
    struct mount *mount = mount_of(req);
    struct {
        struct fuse_entry_out entry;
        struct fuse_open_out open;
    } reply = {.open = files_open_reply(open_file)};
    reply.entry.nodeid = entry->ino;
    reply.entry.entry_valid = reply.entry.attr_valid = (uint64_t)mount->attribute_s;
    reply.entry.attr = files_attributes_of(&entry->attr);
    if (fuse_reply_buf(req, (const char *)&reply, sizeof reply) == -ENOENT) {
        struct inode *inode = open_file->inode;
        tree_closed(&mount->tree, open_file);
        tree_forget(&mount->tree, inode, 1);
    }
}

static void files_do_create(fuse_req_t req, fuse_ino_t parent_number, const char *name, mode_t mode,
                            struct fuse_file_info *info) {
    struct mount *mount = mount_of(req);
    struct inode *parent = tree_inode(&mount->tree, parent_number);
    struct fuse_entry_param entry;
    struct file *file = NULL;
    char path[PATH_MAX];
    pthread_rwlock_rdlock(&mount->tree.names);
    int error = tree_path(&mount->tree, parent, name, path);
    if (error == 0 && parent == &mount->tree.root && strcmp(name, LINKS_DIRECTORY) == 0) {
        error = EPERM;
    }
    if (error == 0) {
        error = file_open(mount->store, path, info->flags | O_CREAT | O_NOFOLLOW, permitted_mode(req, mode),
                          true, &file);
    }
    if (error == 0) {
        error = make_entry(mount, parent, name, path, &entry);
    }
    pthread_rwlock_unlock(&mount->tree.names);
    struct inode *inode = error == 0 ? tree_inode(&mount->tree, entry.ino) : NULL;
    struct open_file *open_file = files_begin(req, inode, file, error);
    if (open_file != NULL) {
        files_reply_create(req, open_file, &entry);
    }
}

static void files_do_release(fuse_req_t req, fuse_ino_t number, struct fuse_file_info *info) {
    (void)number;
    tree_closed(&mount_of(req)->tree, (struct open_file *)(uintptr_t)info->fh);
    fuse_reply_err(req, 0);
}

/* One buffer a thread, as large as the largest request so far. */
static char *files_thread_buffer(size_t bytes) {
    static _Thread_local char *buffer;
    static _Thread_local size_t room;
    if (room < bytes) {
        free(buffer);
        room = 0;
        buffer = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
        room = buffer != NULL ? bytes : 0;
    }
    return buffer;
}

static void files_do_read(fuse_req_t req, fuse_ino_t number, size_t bytes, off_t offset,
                          struct fuse_file_info *info) {
    (void)number;
    char *buffer = files_thread_buffer(bytes);
    if (buffer == NULL) {
        fuse_reply_err(req, ENOMEM);
        return;
    }
    struct iovec iov = {buffer, bytes};
    ssize_t n = file_read(file_of(info), &iov, 1, offset);
    if (n < 0) {
        fuse_reply_err(req, (int)-n);
    } else {
        fuse_reply_buf(req, buffer, (size_t)n);
    }
}

static void files_do_write(fuse_req_t req, fuse_ino_t number, const char *buffer, size_t bytes, off_t offset,
                           struct fuse_file_info *info) {
    (void)number;
    struct iovec iov = {(void *)(uintptr_t)buffer, bytes};
    int error = drop_privileges_of(req, file_of(info));
    ssize_t n = error != 0 ? -error : file_write(file_of(info), &iov, 1, offset);
    if (n < 0) {
        fuse_reply_err(req, (int)-n);
    } else {
        fuse_reply_write(req, (size_t)n);
    }
}

static void files_do_fsync(fuse_req_t req, fuse_ino_t number, int data_only, struct fuse_file_info *info) {
    (void)number;
    (void)data_only;
    fuse_reply_err(req, file_sync(file_of(info)));
}

/* Space is not set aside: the capacity is taken when data come. */
static void files_do_fallocate(fuse_req_t req, fuse_ino_t number, int mode, off_t offset, off_t length,
                               struct fuse_file_info *info) {
    (void)number;
    struct file *file = file_of(info);
    int error = mode != 0 ? EOPNOTSUPP : 0;
    if (error == 0 && offset + length > file_size(file)) {
        error = file_truncate(file, offset + length, true);
    }
    fuse_reply_err(req, error);
}

void set_file_operations(struct fuse_lowlevel_ops *operations) {
    operations->open = files_do_open;
    operations->create = files_do_create;
    operations->release = files_do_release;
    operations->read = files_do_read;
    operations->write = files_do_write;
    operations->fsync = files_do_fsync;
    operations->fallocate = files_do_fallocate;
}
