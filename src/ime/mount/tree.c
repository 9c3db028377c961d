#include "mount.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct inode **tree_bucket_of(struct tree *tree, uint64_t number) {
    return &tree->buckets[number % BUCKETS];
}

void tree_init(struct tree *tree, const struct stat *root) {
    pthread_rwlock_init(&tree->names, NULL);
    pthread_mutex_init(&tree->mutex, NULL);
    tree->root = (struct inode){
        .device = root->st_dev, .number = root->st_ino, .type = S_IFDIR, .lookups = 1, .hashed = true};
    *tree_bucket_of(tree, root->st_ino) = &tree->root;
}

struct inode *tree_inode(struct tree *tree, fuse_ino_t number) {
    return number == FUSE_ROOT_ID ? &tree->root : (struct inode *)(uintptr_t)number;
}

static void tree_unhash(struct tree *tree, struct inode *inode) {
    struct inode **link = tree_bucket_of(tree, inode->number);
    if (!inode->hashed) {
        return;
    }
    while (*link != inode) {
        link = &(*link)->next;
    }
    *link = inode->next;
    inode->hashed = false;
}

/* A parent outlives its children: names are the only way from one inode to another. */
static void tree_free_if_unused(struct tree *tree, struct inode *inode) {
    if (inode == &tree->root || inode->lookups > 0 || inode->children > 0 || inode->opens > 0) {
        return;
    }
    tree_unhash(tree, inode);
    while (inode->names != NULL) {
        struct name *name = inode->names;
        inode->names = name->next;
        name->parent->children--;
        tree_free_if_unused(tree, name->parent);
        free(name);
    }
    free(inode);
}

static struct name **tree_find_name(struct inode *inode, const struct inode *parent, const char *text) {
    struct name **link = &inode->names;
    while (*link != NULL && ((*link)->parent != parent || strcmp((*link)->text, text) != 0)) {
        link = &(*link)->next;
    }
    return link;
}

static void tree_drop_name(struct tree *tree, struct name **link) {
    struct name *name = *link;
    *link = name->next;
    name->parent->children--;
    tree_free_if_unused(tree, name->parent);
    free(name);
}

static void tree_drop_names_behind(struct tree *tree, struct name **link) {
    while (*link != NULL) {
        tree_drop_name(tree, link);
    }
}

/* From now on its first name; the only one where the file has no other link. */
static void tree_set_name(struct tree *tree, struct inode *inode, struct inode *parent, const char *text,
                          bool only) {
    if (inode == &tree->root) {
        return;
    }
    struct name **link = tree_find_name(inode, parent, text);
    struct name *name = *link;
    if (name != NULL) {
        *link = name->next;
    } else {
        name = malloc(sizeof *name + strlen(text) + 1);
        if (name == NULL) {
            return;
        }
        name->parent = parent;
        strcpy(name->text, text);
        parent->children++;
    }
    name->next = inode->names;
    inode->names = name;
    if (only) {
        tree_drop_names_behind(tree, &name->next);
    }
}

static struct inode *tree_find(struct tree *tree, const struct stat *status) {
    struct inode *inode = *tree_bucket_of(tree, status->st_ino);
    while (inode != NULL && (inode->number != status->st_ino || inode->device != status->st_dev)) {
        inode = inode->next;
    }
    return inode;
}

/* The inode of the answer to the kernel; NULL without memory. */
struct inode *tree_learn(struct tree *tree, struct inode *parent, const char *name,
                         const struct stat *status) {
    pthread_mutex_lock(&tree->mutex);
    struct inode *inode = tree_find(tree, status);
    if (inode != NULL && inode->type != (status->st_mode & S_IFMT)) {
        tree_unhash(tree, inode); /* removed by another interface, and its number given to something else */
        inode = NULL;
    }
    if (inode == NULL) {
        inode = calloc(1, sizeof *inode);
        if (inode != NULL) {
            struct inode **bucket = tree_bucket_of(tree, status->st_ino);
            *inode = (struct inode){.next = *bucket,
                                    .device = status->st_dev,
                                    .number = status->st_ino,
                                    .type = status->st_mode & S_IFMT,
                                    .hashed = true};
            *bucket = inode;
        }
    }
    if (inode != NULL) {
        inode->lookups++;
        tree_set_name(tree, inode, parent, name, S_ISDIR(status->st_mode) || status->st_nlink <= 1);
    }
    pthread_mutex_unlock(&tree->mutex);
    return inode;
}

void tree_forget(struct tree *tree, struct inode *inode, uint64_t lookups) {
    pthread_mutex_lock(&tree->mutex);
    inode->lookups = inode->lookups > lookups ? inode->lookups - lookups : 0;
    tree_free_if_unused(tree, inode);
    pthread_mutex_unlock(&tree->mutex);
}

/* A name is gone; gone is what it named, before, with the links that it had then. */
void tree_lose_name(struct tree *tree, struct inode *parent, const char *name, const struct stat *gone) {
    pthread_mutex_lock(&tree->mutex);
    struct inode *inode = tree_find(tree, gone);
    if (inode != NULL && inode != &tree->root) {
        struct name **link = tree_find_name(inode, parent, name);
        if (*link != NULL) {
            tree_drop_name(tree, link);
        }
        if (S_ISDIR(gone->st_mode) || gone->st_nlink <= 1) {
            tree_drop_names_behind(tree,
                                   &inode->names); /* learnt once, and changed by another interface since */
        }
        if (inode->names == NULL && inode->opens == 0) {
            tree_unhash(tree, inode); /* the next file with this number is another one */
        }
        tree_free_if_unused(tree, inode);
    }
    pthread_mutex_unlock(&tree->mutex);
}

void tree_move(struct tree *tree, struct inode *from, const char *name, struct inode *to,
               const char *new_name, const struct stat *moved) {
    pthread_mutex_lock(&tree->mutex);
    struct inode *inode = tree_find(tree, moved);
    struct name **link = inode != NULL ? tree_find_name(inode, from, name) : NULL;
    if (link != NULL && *link != NULL) {
        tree_set_name(tree, inode, to, new_name, false);
        if (from != to || strcmp(name, new_name) != 0) {
            tree_drop_name(tree, tree_find_name(inode, from, name));
        }
    }
    pthread_mutex_unlock(&tree->mutex);
}

static int tree_prepend(char *path, size_t *start, const char *name) {
    size_t length = strlen(name);
    if (*start < length + 1) {
        return ENAMETOOLONG;
    }
    if (path[*start] != '\0') {
        path[--*start] = '/';
    }
    *start -= length;
    memcpy(path + *start, name, length);
    return 0;
}

/* Relative to the backing: the inode's path, or that of a child of it. */
int tree_path(struct tree *tree, struct inode *inode, const char *child, char path[PATH_MAX]) {
    size_t start = PATH_MAX - 1;
    int error = 0;
    path[start] = '\0';
    if (child != NULL) {
        error = tree_prepend(path, &start, child);
    }
    pthread_mutex_lock(&tree->mutex);
    while (error == 0 && inode != &tree->root) {
        const struct name *name = inode->names;
        error = name == NULL ? ENOENT : tree_prepend(path, &start, name->text);
        inode = name == NULL ? inode : name->parent;
    }
    pthread_mutex_unlock(&tree->mutex);
    if (path[start] == '\0' && error == 0) {
        path[--start] = '.';
    }
    memmove(path, path + start, PATH_MAX - start);
    return error;
}

void tree_opened(struct tree *tree, struct open_file *open_file) {
    pthread_mutex_lock(&tree->mutex);
    open_file->references = 1;
    open_file->inode->opens++;
    open_file->next = open_file->inode->files;
    open_file->inode->files = open_file;
    pthread_mutex_unlock(&tree->mutex);
}

/* A request about an inode without a name uses a descriptor that another program may close meanwhile. */
struct open_file *tree_take_open_file(struct tree *tree, struct inode *inode) {
    pthread_mutex_lock(&tree->mutex);
    struct open_file *open_file = inode->files;
    if (open_file != NULL) {
        open_file->references++;
    }
    pthread_mutex_unlock(&tree->mutex);
    return open_file;
}

void tree_give_back(struct tree *tree, struct open_file *open_file) {
    pthread_mutex_lock(&tree->mutex);
    bool last = --open_file->references == 0;
    pthread_mutex_unlock(&tree->mutex);
    if (last) {
        file_close(open_file->file);
        free(open_file);
    }
}

void tree_closed(struct tree *tree, struct open_file *open_file) {
    struct inode *inode = open_file->inode;
    pthread_mutex_lock(&tree->mutex);
    struct open_file **link = &inode->files;
    while (*link != open_file) {
        link = &(*link)->next;
    }
    *link = open_file->next;
    inode->opens--;
    if (inode->names == NULL && inode->opens == 0) {
        tree_unhash(tree, inode);
    }
    tree_free_if_unused(tree, inode);
    pthread_mutex_unlock(&tree->mutex);
    tree_give_back(tree, open_file);
}
