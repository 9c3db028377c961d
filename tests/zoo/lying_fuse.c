/* A file system that keeps sizes and no bytes: a write is counted and dropped, fsync reports success, a read
 * gives zeros. Started as `lying-fuse MOUNTPOINT -f`. */
#define FUSE_USE_VERSION 31
#include <errno.h>
#include <fuse.h>
#include <pthread.h>
#include <string.h>

#define ENTRIES 64

static struct {
    char path[512];
    mode_t mode;
    off_t bytes;
} entries[ENTRIES];
static int used;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int find(const char *path) {
    for (int i = 0; i < used; i++) {
        if (strcmp(entries[i].path, path) == 0) {
            return i;
        }
    }
    return -ENOENT;
}

static int add(const char *path, mode_t mode) {
    pthread_mutex_lock(&mutex);
    int at = used < ENTRIES && strlen(path) < sizeof entries[0].path ? used : -ENOSPC;
    if (at >= 0) {
        strcpy(entries[at].path, path);
        entries[at].mode = mode;
        entries[at].bytes = 0;
        used++;
    }
    pthread_mutex_unlock(&mutex);
    return at;
}

static int get_facts(const char *path, struct stat *facts, struct fuse_file_info *info) {
    (void)info;
    memset(facts, 0, sizeof *facts);
    facts->st_nlink = 1;
    facts->st_mode = S_IFDIR | 0777;
    int at = strcmp(path, "/") == 0 ? 0 : find(path);
    if (at >= 0 && strcmp(path, "/") != 0) {
        facts->st_mode = entries[at].mode;
        facts->st_size = entries[at].bytes;
    }
    return at < 0 ? at : 0;
}

static int make_directory(const char *path, mode_t mode) {
    int at = add(path, S_IFDIR | mode);
    return at < 0 ? at : 0;
}

static int create(const char *path, mode_t mode, struct fuse_file_info *info) {
    int at = find(path) >= 0 ? find(path) : add(path, S_IFREG | mode);
    (void)info;
    return at < 0 ? at : 0;
}

static int open_file(const char *path, struct fuse_file_info *info) {
    (void)info;
    return find(path) < 0 ? -ENOENT : 0;
}

static int remove_entry(const char *path) {
    int at = find(path);
    if (at >= 0) {
        entries[at].path[0] = '\0';
    }
    return at < 0 ? at : 0;
}

static int read_zeros(const char *path, char *into, size_t bytes, off_t offset, struct fuse_file_info *info) {
    int at = find(path);
    off_t left = at >= 0 && entries[at].bytes > offset ? entries[at].bytes - offset : 0;
    (void)info;
    bytes = (off_t)bytes < left ? bytes : (size_t)left;
    memset(into, 0, bytes);
    return (int)bytes;
}

static int drop(const char *path, const char *from, size_t bytes, off_t offset, struct fuse_file_info *info) {
    int at = find(path);
    (void)from;
    (void)info;
    if (at < 0) {
        return at;
    }
    off_t end = offset + (off_t)bytes;
    entries[at].bytes = end > entries[at].bytes ? end : entries[at].bytes;
    return (int)bytes;
}

static int cut(const char *path, off_t bytes, struct fuse_file_info *info) {
    int at = find(path);
    (void)info;
    if (at >= 0) {
        entries[at].bytes = bytes;
    }
    return at < 0 ? at : 0;
}

static int pretend(const char *path, int only_data, struct fuse_file_info *info) {
    (void)path;
    (void)only_data;
    (void)info;
    return 0;
}

static int list(const char *path, void *list, fuse_fill_dir_t fill, off_t offset, struct fuse_file_info *info,
                enum fuse_readdir_flags flags) {
    size_t length = strcmp(path, "/") == 0 ? 0 : strlen(path);
    (void)offset;
    (void)info;
    (void)flags;
    for (int i = 0; i < used; i++) {
        const char *name = entries[i].path + length + 1;
        if (strncmp(entries[i].path, path, length) == 0 && entries[i].path[length] == '/' && *name != '\0' &&
            strchr(name, '/') == NULL) {
            fill(list, name, NULL, 0, 0);
        }
    }
    return 0;
}

int main(int argc, char **argv) {
    const struct fuse_operations operations = {.getattr = get_facts,
                                               .mkdir = make_directory,
                                               .rmdir = remove_entry,
                                               .create = create,
                                               .open = open_file,
                                               .unlink = remove_entry,
                                               .read = read_zeros,
                                               .write = drop,
                                               .truncate = cut,
                                               .fsync = pretend,
                                               .readdir = list};
    return fuse_main(argc, argv, &operations, NULL);
}
