#include "mount.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void tree_init(struct tree *tree, uint64_t root_number) {
    pthread_rwlock_init(&tree->names, NULL);
    pthread_mutex_init(&tree->mutex, NULL);
    tree->root = (struct inode){.number = root_number, .type = S_IFDIR, .lookups = 1, .hashed = true};
    tree->buckets[root_number % BUCKETS] = &tree->root;
}

struct inode *tree_inode(struct tree *tree, fuse_ino_t number) {
    return number == FUSE_ROOT_ID ? &tree->root : (struct inode *)(uintptr_t)number;
}

static void unhash(struct tree *tree, struct inode *inode) {
    struct inode **link = &tree->buckets[inode->number % BUCKETS];
    if (!inode->hashed) {
        return;
    }
    while (*link != inode) {
        link = &(*link)->next;
    }
    *link = inode->next;
    inode->hashed = false;
}

static void free_if_unused(struct tree *tree, struct inode *inode) {
    while (inode != NULL && inode != &tree->root && inode->lookups == 0 && inode->children == 0 &&
           inode->opens == 0) {
        struct inode *parent = inode->parent;
        unhash(tree, inode);
        free(inode->name);
        free(inode);
        if (parent != NULL) {
            parent->children--;
        }
        inode = parent;
    }
}

static void drop_name(struct tree *tree, struct inode *inode) {
    struct inode *parent = inode->parent;
    free(inode->name);
    inode->name = NULL;
    inode->parent = NULL;
    if (parent != NULL) {
        parent->children--;
        free_if_unused(tree, parent);
    }
}

static void set_name(struct tree *tree, struct inode *inode, struct inode *parent, const char *name) {
    if (inode == &tree->root ||
        (inode->parent == parent && inode->name != NULL && strcmp(inode->name, name) == 0)) {
        return;
    }
    char *copy = strdup(name);
    if (copy == NULL) {
        return;
    }
    parent->children++;
    drop_name(tree, inode);
    inode->parent = parent;
    inode->name = copy;
}

static struct inode *find(struct tree *tree, uint64_t number) {
    struct inode *inode = tree->buckets[number % BUCKETS];
    while (inode != NULL && inode->number != number) {
        inode = inode->next;
    }
    return inode;
}

/* The inode that the kernel is told of now; NULL without memory. */
struct inode *tree_learn(struct tree *tree, struct inode *parent, const char *name,
                         const struct stat *status) {
    pthread_mutex_lock(&tree->mutex);
    struct inode *inode = find(tree, status->st_ino);
    if (inode != NULL && inode->type != (status->st_mode & S_IFMT)) {
        unhash(tree, inode); /* removed behind our back, and its number given to something else */
        inode = NULL;
    }
    if (inode == NULL) {
        inode = calloc(1, sizeof *inode);
        if (inode != NULL) {
            struct inode **bucket = &tree->buckets[status->st_ino % BUCKETS];
            *inode = (struct inode){
                .next = *bucket, .number = status->st_ino, .type = status->st_mode & S_IFMT, .hashed = true};
            *bucket = inode;
        }
    }
    if (inode != NULL) {
        inode->lookups++;
        set_name(tree, inode, parent, name);
    }
    pthread_mutex_unlock(&tree->mutex);
    return inode;
}

void tree_forget(struct tree *tree, struct inode *inode, uint64_t lookups) {
    pthread_mutex_lock(&tree->mutex);
    inode->lookups = inode->lookups > lookups ? inode->lookups - lookups : 0;
    free_if_unused(tree, inode);
    pthread_mutex_unlock(&tree->mutex);
}

/* A name is gone; gone is what it named, before. */
void tree_lose_name(struct tree *tree, struct inode *parent, const char *name, const struct stat *gone) {
    pthread_mutex_lock(&tree->mutex);
    struct inode *inode = find(tree, gone->st_ino);
    if (inode != NULL && inode != &tree->root) {
        if (inode->parent == parent && inode->name != NULL && strcmp(inode->name, name) == 0) {
            drop_name(tree, inode);
        }
        if (inode->name == NULL && inode->opens == 0) {
            unhash(tree, inode); /* the next file with this number is another one */
        }
        free_if_unused(tree, inode);
    }
    pthread_mutex_unlock(&tree->mutex);
}

void tree_move(struct tree *tree, struct inode *from, const char *name, struct inode *to,
               const char *new_name, const struct stat *moved) {
    pthread_mutex_lock(&tree->mutex);
    struct inode *inode = find(tree, moved->st_ino);
    if (inode != NULL && inode->parent == from && inode->name != NULL && strcmp(inode->name, name) == 0) {
        set_name(tree, inode, to, new_name);
    }
    pthread_mutex_unlock(&tree->mutex);
}

static int prepend(char *path, size_t *start, const char *name) {
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
        error = prepend(path, &start, child);
    }
    pthread_mutex_lock(&tree->mutex);
    for (; error == 0 && inode != &tree->root; inode = inode->parent) {
        error = inode->name == NULL || inode->parent == NULL ? ENOENT : prepend(path, &start, inode->name);
        if (error != 0) {
            break;
        }
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
    open_file->inode->opens++;
    open_file->next = open_file->inode->files;
    open_file->inode->files = open_file;
    pthread_mutex_unlock(&tree->mutex);
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
    if (inode->name == NULL && inode->opens == 0) {
        unhash(tree, inode);
    }
    free_if_unused(tree, inode);
    pthread_mutex_unlock(&tree->mutex);
}

struct file *tree_open_file(struct tree *tree, struct inode *inode) {
    pthread_mutex_lock(&tree->mutex);
    struct file *file = inode->files != NULL ? inode->files->file : NULL;
    pthread_mutex_unlock(&tree->mutex);
    return file; /* the kernel keeps the file open while it asks about its inode through a descriptor */
}
