/* A file system that keeps sizes and the first 4 KiB of each file, as the small files of weir need: what is
 * written beyond is dropped, fsync reports success, a read gives zeros. Started as `lying-fuse MOUNTPOINT
 * -f`. */
#define FUSE_USE_VERSION 31
#include <errno.h>
#include <fuse.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define ENTRIES    256
#define KEPT_BYTES 4096

static struct {
    char path[512];
    mode_t mode;
    off_t bytes;
    char kept[KEPT_BYTES];
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
        memset(entries[at].kept, 0, KEPT_BYTES);
        used++;
    }
    pthread_mutex_unlock(&mutex);
    return at;
}

static int get_facts(const char *path, struct stat *facts, struct fuse_file_info *info) {
    (void)info;
    memset(facts, 0, sizeof *facts);
    facts->st_nlink = 1;
    facts->st_uid = getuid();
    facts->st_gid = getgid();
    facts->st_mode = S_IFDIR | 0755;
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
    if (bytes > 0 && offset < KEPT_BYTES) {
        size_t room = (size_t)(KEPT_BYTES - offset);
        memcpy(into, entries[at].kept + offset, bytes < room ? bytes : room);
    }
    return (int)bytes;
}

static int drop(const char *path, const char *from, size_t bytes, off_t offset, struct fuse_file_info *info) {
    int at = find(path);
    (void)info;
    if (at < 0) {
        return at;
    }
    if (offset < KEPT_BYTES) {
        size_t room = (size_t)(KEPT_BYTES - offset);
        memcpy(entries[at].kept + offset, from, bytes < room ? bytes : room);
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

static int pretend_mode(const char *path, mode_t mode, struct fuse_file_info *info) {
    (void)path;
    (void)mode;
    (void)info;
    return 0;
}

static int pretend_times(const char *path, const struct timespec times[2], struct fuse_file_info *info) {
    (void)path;
    (void)times;
    (void)info;
    return 0;
}

static int get_room(const char *path, struct statvfs *room) {
    (void)path;
    memset(room, 0, sizeof *room);
    room->f_bsize = room->f_frsize = 4096;
    room->f_blocks = room->f_bfree = room->f_bavail = 1 << 24;
    room->f_files = room->f_ffree = ENTRIES;
    room->f_namemax = 255;
    return 0;
}

static int move(const char *path, const char *to, unsigned flags) {
    int at = find(path), old = find(to);
    (void)flags;
    if (at < 0 || strlen(to) >= sizeof entries[0].path) {
        return at < 0 ? at : -ENAMETOOLONG;
    }
    if (old >= 0) {
        entries[old].path[0] = '\0';
    }
    strcpy(entries[at].path, to);
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
                                               .fsyncdir = pretend,
                                               .statfs = get_room,
                                               .chmod = pretend_mode,
                                               .utimens = pretend_times,
                                               .rename = move,
                                               .readdir = list};
    return fuse_main(argc, argv, &operations, NULL);
}
