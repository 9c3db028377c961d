/* The mount: what its files share. Names are kept as a tree of inodes, not as open descriptors, so that a run
 * over a million files needs no million descriptors. */
#pragma once

#define FUSE_USE_VERSION 312

#include <fuse3/fuse_lowlevel.h>
#include <pthread.h>

#include "client/file.h"

/* One of the names of an inode: hard links have several. */
struct name {
    struct name *next;
    struct inode *parent;
    char text[];
};

struct inode {
    struct inode *next; /* in its bucket */
    dev_t device;       /* of the backing: another file system below it has numbers of its own */
    uint64_t number;
    mode_t type;
    uint64_t lookups;  /* what the kernel holds; guarded by the tree's mutex, as all below */
    unsigned children; /* inodes whose parent this is */
    unsigned opens;
    bool hashed;
    struct name *names; /* that we know of, the last one learnt first */
    struct open_file *files;
};

struct open_file {
    struct open_file *next; /* of the same inode */
    struct file *file;
    struct inode *inode;
    unsigned references; /* guarded by the tree's mutex; whoever gives back the last one closes the file */
};

#define BUCKETS 65536u

struct tree {
    pthread_rwlock_t names; /* written by renames: a path stays true while the lock is held for reading */
    pthread_mutex_t mutex;
    struct inode *buckets[BUCKETS];
    struct inode root;
};

struct mount {
    struct store *store;
    struct tree tree;
    double attribute_s; /* how long the kernel may believe its answers */
    const char *folder;
};

/* How long the kernel may believe the attributes in its answers. Of a directory it checks mode and
 * owner at every step of a path, right after it got them; nothing but the mount changes these. */
static inline double attribute_timeout(const struct mount *mount, const struct stat *status) {
    const double directory_s = 0.1;
    return S_ISDIR(status->st_mode) && mount->attribute_s < directory_s ? directory_s : mount->attribute_s;
}

static inline struct mount *mount_of(fuse_req_t req) {
    return fuse_req_userdata(req);
}

/* tree.c */
void tree_init(struct tree *tree, const struct stat *root);
struct inode *tree_inode(struct tree *tree, fuse_ino_t number);
struct inode *tree_learn(struct tree *tree, struct inode *parent, const char *name,
                         const struct stat *status);
void tree_forget(struct tree *tree, struct inode *inode, uint64_t lookups);
void tree_lose_name(struct tree *tree, struct inode *parent, const char *name, const struct stat *gone);
void tree_move(struct tree *tree, struct inode *from, const char *name, struct inode *to,
               const char *new_name, const struct stat *moved);
int tree_path(struct tree *tree, struct inode *inode, const char *child,
              char path[PATH_MAX]); /* 0 or errno */
void tree_opened(struct tree *tree, struct open_file *open_file);
void tree_closed(struct tree *tree, struct open_file *open_file); /* gives back the opener's reference */
struct open_file *tree_take_open_file(struct tree *tree, struct inode *inode); /* any of them, or NULL */
void tree_give_back(struct tree *tree, struct open_file *open_file);

/* names.c, attributes.c, files.c: the operations */
void set_name_operations(struct fuse_lowlevel_ops *operations);
void set_attribute_operations(struct fuse_lowlevel_ops *operations);
void set_file_operations(struct fuse_lowlevel_ops *operations);
int make_entry(struct mount *mount, struct inode *parent, const char *name, const char *path,
               struct fuse_entry_param *entry);

/* privileges.c */
mode_t permitted_mode(fuse_req_t req, mode_t mode); /* files belong to the server, whoever makes them */
int drop_privileges_of(fuse_req_t req, const struct file *file); /* a write removes set-user-id; errno */

/* flags.c: settings of the connection that the library does not know of */
int set_connection_flags(struct fuse_session *session);
