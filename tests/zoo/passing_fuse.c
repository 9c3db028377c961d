/* An honest file system that passes all on to FOLDER, as bindfs does. Started as
 * `passing-fuse FOLDER MOUNTPOINT -f -o fsname=...`. */
#define _GNU_SOURCE
#define FUSE_USE_VERSION 31
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES 512

static const char *folder;

static const char *below(const char *path, char full[2 * PATH_BYTES]) {
    snprintf(full, 2 * PATH_BYTES, "%s%s", folder, path);
    return full;
}

static int answer(int result) {
    return result < 0 ? -errno : result;
}

static int get_facts(const char *path, struct stat *facts, struct fuse_file_info *info) {
    char full[2 * PATH_BYTES];
    return answer(info != NULL ? fstat((int)info->fh, facts) : lstat(below(path, full), facts));
}

static int open_file(const char *path, struct fuse_file_info *info) {
    char full[2 * PATH_BYTES];
    int fd = open(below(path, full), info->flags, 0644);
    info->fh = (uint64_t)fd;
    return fd < 0 ? -errno : 0;
}

static int create_file(const char *path, mode_t mode, struct fuse_file_info *info) {
    (void)mode;
    info->flags |= O_CREAT;
    return open_file(path, info);
}

static int read_file(const char *path, char *buffer, size_t bytes, off_t at, struct fuse_file_info *info) {
    (void)path;
    return answer((int)pread((int)info->fh, buffer, bytes, at));
}

static int write_file(const char *path, const char *buffer, size_t bytes, off_t at,
                      struct fuse_file_info *info) {
    (void)path;
    return answer((int)pwrite((int)info->fh, buffer, bytes, at));
}

static int synchronise(const char *path, int data_only, struct fuse_file_info *info) {
    (void)path;
    (void)data_only;
    return answer(fsync((int)info->fh));
}

static int cut(const char *path, off_t bytes, struct fuse_file_info *info) {
    char full[2 * PATH_BYTES];
    return answer(info != NULL ? ftruncate((int)info->fh, bytes) : truncate(below(path, full), bytes));
}

static int release_file(const char *path, struct fuse_file_info *info) {
    (void)path;
    return answer(close((int)info->fh));
}

static int remove_file(const char *path) {
    char full[2 * PATH_BYTES];
    return answer(unlink(below(path, full)));
}

int main(int count, char **arguments) {
    static const struct fuse_operations operations = {.getattr = get_facts,
                                                      .open = open_file,
                                                      .create = create_file,
                                                      .read = read_file,
                                                      .write = write_file,
                                                      .fsync = synchronise,
                                                      .truncate = cut,
                                                      .release = release_file,
                                                      .unlink = remove_file};
    if (count < 3) {
        return 2;
    }
    folder = arguments[1];
    arguments[1] = arguments[0];
    return fuse_main(count - 1, arguments + 1, &operations, NULL);
}
