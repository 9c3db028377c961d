/* Names: they are the backing's. Each operation holds the names still while it goes by a path. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mount.h"

static bool names_is_ours(const struct mount *mount, const struct inode *parent, const char *name) {
    return parent == &mount->tree.root && strcmp(name, LINKS_DIRECTORY) == 0;
}

/* The path of a child, with the names locked for reading if that succeeds. */
static int names_child_path(struct mount *mount, struct inode *parent, const char *name,
                            char path[PATH_MAX]) {
    if (names_is_ours(mount, parent, name)) {
        return ENOENT;
    }
    pthread_rwlock_rdlock(&mount->tree.names);
    int error = tree_path(&mount->tree, parent, name, path);
    if (error != 0) {
        pthread_rwlock_unlock(&mount->tree.names);
    }
    return error;
}

int make_entry(struct mount *mount, struct inode *parent, const char *name, const char *path,
               struct fuse_entry_param *entry) {
    memset(entry, 0, sizeof *entry);
    int error = path_stat(mount->store, mount->store->backing_fd, path, AT_SYMLINK_NOFOLLOW, &entry->attr);
    if (error != 0) {
        return error;
    }
    struct inode *inode = tree_learn(&mount->tree, parent, name, &entry->attr);
    if (inode == NULL) {
        return ENOMEM;
    }
    entry->ino = inode == &mount->tree.root ? FUSE_ROOT_ID : (fuse_ino_t)(uintptr_t)inode;
    entry->attr_timeout = attribute_timeout(mount, &entry->attr);
    entry->entry_timeout = mount->attribute_s;
    return 0;
}

static void names_reply_entry(fuse_req_t req, fuse_ino_t parent, const char *name, const char *path,
                              int error) {
    struct mount *mount = mount_of(req);
    struct fuse_entry_param entry;
    if (error == 0) {
        error = make_entry(mount, tree_inode(&mount->tree, parent), name, path, &entry);
    }
    pthread_rwlock_unlock(&mount->tree.names);
    if (error != 0) {
        fuse_reply_err(req, error);
    } else {
        fuse_reply_entry(req, &entry);
    }
}

static void names_do_lookup(fuse_req_t req, fuse_ino_t parent_number, const char *name) {
    struct mount *mount = mount_of(req);
    struct inode *parent = tree_inode(&mount->tree, parent_number);
    char path[PATH_MAX];
    int error = names_child_path(mount, parent, name, path);
    if (error != 0) {
        fuse_reply_err(req, error);
        return;
    }
    names_reply_entry(req, parent_number, name, path, 0);
}

static void names_do_forget(fuse_req_t req, fuse_ino_t number, uint64_t lookups) {
    struct mount *mount = mount_of(req);
    tree_forget(&mount->tree, tree_inode(&mount->tree, number), lookups);
    fuse_reply_none(req);
}

static void names_do_forget_multi(fuse_req_t req, size_t count, struct fuse_forget_data *forgets) {
    struct mount *mount = mount_of(req);
    for (size_t i = 0; i < count; i++) {
        tree_forget(&mount->tree, tree_inode(&mount->tree, forgets[i].ino), forgets[i].nlookup);
    }
    fuse_reply_none(req);
}

/* What the four ways to make a name have in common; with the names locked if path is set. */
static bool begin_name(fuse_req_t req, fuse_ino_t parent_number, const char *name, char path[PATH_MAX]) {
    struct mount *mount = mount_of(req);
    struct inode *parent = tree_inode(&mount->tree, parent_number);
    int error = names_is_ours(mount, parent, name) ? EPERM : names_child_path(mount, parent, name, path);
    if (error != 0) {
        fuse_reply_err(req, error);
    }
    return error == 0;
}

static void names_do_mknod(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, dev_t device) {
    char path[PATH_MAX];
    if (begin_name(req, parent, name, path)) {
        int result = mknodat(mount_of(req)->store->backing_fd, path, permitted_mode(req, mode), device);
        names_reply_entry(req, parent, name, path, result != 0 ? errno : 0);
    }
}

static void names_do_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode) {
    char path[PATH_MAX];
    if (begin_name(req, parent, name, path)) {
        int result = mkdirat(mount_of(req)->store->backing_fd, path, permitted_mode(req, mode));
        names_reply_entry(req, parent, name, path, result != 0 ? errno : 0);
    }
}

static void names_do_symlink(fuse_req_t req, const char *target, fuse_ino_t parent, const char *name) {
    char path[PATH_MAX];
    if (begin_name(req, parent, name, path)) {
        int result = symlinkat(target, mount_of(req)->store->backing_fd, path);
        names_reply_entry(req, parent, name, path, result != 0 ? errno : 0);
    }
}

static void names_do_link(fuse_req_t req, fuse_ino_t number, fuse_ino_t parent, const char *name) {
    struct mount *mount = mount_of(req);
    int backing_fd = mount->store->backing_fd;
    char from[PATH_MAX];
    char path[PATH_MAX];
    if (begin_name(req, parent, name, path)) {
        int error = tree_path(&mount->tree, tree_inode(&mount->tree, number), NULL, from);
        if (error == 0 && linkat(backing_fd, from, backing_fd, path, 0) != 0) {
            error = errno;
        }
        names_reply_entry(req, parent, name, path, error);
    }
}

static void remove_name(fuse_req_t req, fuse_ino_t parent_number, const char *name, bool directory) {
    struct mount *mount = mount_of(req);
    struct inode *parent = tree_inode(&mount->tree, parent_number);
    int backing_fd = mount->store->backing_fd;
    char path[PATH_MAX];
    struct stat gone;
    int error = names_child_path(mount, parent, name, path);
    bool named = error == 0;
    if (error == 0) {
        error = path_stat(mount->store, backing_fd, path, AT_SYMLINK_NOFOLLOW, &gone);
    }
    if (error == 0) {
        if (directory) {
            error = unlinkat(backing_fd, path, AT_REMOVEDIR) != 0 ? errno : 0;
        } else {
            error = path_unlink(mount->store, backing_fd, path);
        }
        if (error == 0) {
            tree_lose_name(&mount->tree, parent, name, &gone);
        }
    }
    if (named) {
        pthread_rwlock_unlock(&mount->tree.names);
    }
    fuse_reply_err(req, error);
}

static void names_do_unlink(fuse_req_t req, fuse_ino_t parent_number, const char *name) {
    remove_name(req, parent_number, name, false);
}

static void names_do_rmdir(fuse_req_t req, fuse_ino_t parent_number, const char *name) {
    remove_name(req, parent_number, name, true);
}

static int rename_locked(struct mount *mount, struct inode *from, const char *name, struct inode *to,
                         const char *new_name, unsigned flags) {
    struct tree *tree = &mount->tree;
    int directory = mount->store->backing_fd;
    char old_path[PATH_MAX];
    char new_path[PATH_MAX];
    struct stat moved;
    struct stat replaced;
    int error = tree_path(tree, from, name, old_path);
    error = error != 0 ? error : tree_path(tree, to, new_name, new_path);
    if (error != 0) {
        return error;
    }
    bool replaces = path_stat(mount->store, directory, new_path, AT_SYMLINK_NOFOLLOW, &replaced) == 0;
    if (fstatat(directory, old_path, &moved, AT_SYMLINK_NOFOLLOW) != 0) {
        return errno;
    }
    error = path_rename(mount->store, directory, old_path, directory, new_path, flags);
    if (error != 0) {
        return error;
    }
    if (replaces && (flags & RENAME_EXCHANGE) != 0) {
        tree_move(tree, to, new_name, from, name, &replaced);
    } else if (replaces && (replaced.st_ino != moved.st_ino || replaced.st_dev != moved.st_dev)) {
        tree_lose_name(tree, to, new_name, &replaced);
    }
    tree_move(tree, from, name, to, new_name, &moved);
    return 0;
}

static void do_rename(fuse_req_t req, fuse_ino_t from_number, const char *name, fuse_ino_t to_number,
                      const char *new_name, unsigned flags) {
    struct mount *mount = mount_of(req);
    struct inode *from = tree_inode(&mount->tree, from_number);
    struct inode *to = tree_inode(&mount->tree, to_number);
    if (names_is_ours(mount, from, name) || names_is_ours(mount, to, new_name)) {
        fuse_reply_err(req, EPERM);
        return;
    }
    pthread_rwlock_wrlock(&mount->tree.names);
    int error = rename_locked(mount, from, name, to, new_name, flags);
    pthread_rwlock_unlock(&mount->tree.names);
    fuse_reply_err(req, error);
}

static void names_do_readlink(fuse_req_t req, fuse_ino_t number) {
    struct mount *mount = mount_of(req);
    char path[PATH_MAX];
    char target[PATH_MAX];
    pthread_rwlock_rdlock(&mount->tree.names);
    int error = tree_path(&mount->tree, tree_inode(&mount->tree, number), NULL, path);
    ssize_t length = error == 0 ? readlinkat(mount->store->backing_fd, path, target, sizeof target - 1) : -1;
    error = error == 0 && length < 0 ? errno : error;
    pthread_rwlock_unlock(&mount->tree.names);
    if (error != 0) {
        fuse_reply_err(req, error);
    } else {
        target[length] = '\0';
        fuse_reply_readlink(req, target);
    }
}

static void names_do_opendir(fuse_req_t req, fuse_ino_t number, struct fuse_file_info *info) {
    struct mount *mount = mount_of(req);
    char path[PATH_MAX];
    DIR *directory = NULL;
    pthread_rwlock_rdlock(&mount->tree.names);
    int error = tree_path(&mount->tree, tree_inode(&mount->tree, number), NULL, path);
    int fd = error == 0 ? openat(mount->store->backing_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    error = error == 0 && fd < 0 ? errno : error;
    pthread_rwlock_unlock(&mount->tree.names);
    if (error == 0) {
        directory = fdopendir(fd);
        error = directory == NULL ? errno : 0;
    }
    if (error != 0) {
        fuse_reply_err(req, error);
        return;
    }
    info->fh = (uint64_t)(uintptr_t)directory;
    fuse_reply_open(req, info);
}

static void names_do_readdir(fuse_req_t req, fuse_ino_t number, size_t bytes, off_t offset,
                             struct fuse_file_info *info) {
    struct mount *mount = mount_of(req);
    DIR *directory = (DIR *)(uintptr_t)info->fh;
    bool root = tree_inode(&mount->tree, number) == &mount->tree.root;
    char *buffer = malloc(bytes);
    size_t used = 0;
    if (buffer == NULL) {
        fuse_reply_err(req, ENOMEM);
        return;
    }
    if (telldir(directory) != offset) {
        seekdir(directory, offset);
    }
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        if (root && strcmp(entry->d_name, LINKS_DIRECTORY) == 0) {
            continue;
        }
        struct stat status = {.st_ino = entry->d_ino, .st_mode = (mode_t)entry->d_type << 12};
        size_t size =
            fuse_add_direntry(req, buffer + used, bytes - used, entry->d_name, &status, entry->d_off);
        if (size > bytes - used) {
            break; /* it comes again, from its offset, in the next call */
        }
        used += size;
    }
    fuse_reply_buf(req, buffer, used);
    free(buffer);
}

static void names_do_releasedir(fuse_req_t req, fuse_ino_t number, struct fuse_file_info *info) {
    (void)number;
    closedir((DIR *)(uintptr_t)info->fh);
    fuse_reply_err(req, 0);
}

void set_name_operations(struct fuse_lowlevel_ops *operations) {
    operations->lookup = names_do_lookup;
    operations->forget = names_do_forget;
    operations->forget_multi = names_do_forget_multi;
    operations->mknod = names_do_mknod;
    operations->mkdir = names_do_mkdir;
    operations->symlink = names_do_symlink;
    operations->link = names_do_link;
    operations->unlink = names_do_unlink;
    operations->rmdir = names_do_rmdir;
    operations->rename = do_rename;
    operations->readlink = names_do_readlink;
    operations->opendir = names_do_opendir;
    operations->readdir = names_do_readdir;
    operations->releasedir = names_do_releasedir;
}
