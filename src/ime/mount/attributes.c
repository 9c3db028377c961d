/* Attributes: size and time of change are the store's, all others the backing's. */
#include <errno.h>
#include <fcntl.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "mount.h"

/* How to reach an inode: by a descriptor that is open, or by its path. */
struct place {
    int directory_fd;
    char path[PATH_MAX]; /* "" for a descriptor */
    int flags;
    struct open_file *taken; /* whose descriptor it is, to be given back */
};

static struct file *attributes_file_of(const struct fuse_file_info *info) {
    return info != NULL && info->fh != 0 ? ((struct open_file *)(uintptr_t)info->fh)->file : NULL;
}

/* With the names locked for reading. */
static int attributes_find_place(struct mount *mount, struct inode *inode, struct file *file,
                                 struct place *place) {
    place->directory_fd = mount->store->backing_fd;
    place->flags = AT_SYMLINK_NOFOLLOW;
    place->taken = NULL;
    int error = tree_path(&mount->tree, inode, NULL, place->path);
    if (error == ENOENT) {
        if (file == NULL) {
            place->taken = tree_take_open_file(&mount->tree, inode);
            file = place->taken != NULL ? place->taken->file : NULL;
        }
        if (file != NULL) {
            place->directory_fd = file->backing_fd;
            place->path[0] = '\0';
            place->flags = AT_EMPTY_PATH;
            error = 0;
        }
    }
    return error;
}

static void attributes_leave_place(struct mount *mount, struct place *place) {
    if (place->taken != NULL) {
        tree_give_back(&mount->tree, place->taken);
    }
}

static int attributes_get_status(struct mount *mount, struct inode *inode, struct file *file,
                                 struct stat *status) {
    struct place place;
    if (file != NULL) {
        return file_stat(file, status);
    }
    int error = attributes_find_place(mount, inode, file, &place);
    if (error == 0) {
        error = path_stat(mount->store, place.directory_fd, place.path, place.flags, status);
    }
    attributes_leave_place(mount, &place);
    return error;
}

static void reply_attributes(fuse_req_t req, struct inode *inode, struct file *file, int error) {
    struct mount *mount = mount_of(req);
    struct stat status;
    error = error != 0 ? error : attributes_get_status(mount, inode, file, &status);
    pthread_rwlock_unlock(&mount->tree.names);
    if (error != 0) {
        fuse_reply_err(req, error);
    } else {
        fuse_reply_attr(req, &status, attribute_timeout(mount, &status));
    }
}

static void attributes_do_getattr(fuse_req_t req, fuse_ino_t number, struct fuse_file_info *info) {
    struct mount *mount = mount_of(req);
    pthread_rwlock_rdlock(&mount->tree.names);
    reply_attributes(req, tree_inode(&mount->tree, number), attributes_file_of(info), 0);
}

static int attributes_set_size(fuse_req_t req, const struct place *place, struct file *file, off_t size) {
    struct mount *mount = mount_of(req);
    if (file != NULL) {
        int refused = drop_privileges_of(req, file);
        return refused != 0 ? refused : file_truncate(file, size, true);
    }
    char proc_path[64];
    int fd = -1;
    if (place->path[0] == '\0') {
        snprintf(proc_path, sizeof proc_path, "/proc/self/fd/%d", place->directory_fd);
        fd = open(proc_path, O_WRONLY | O_CLOEXEC);
    } else {
        fd = openat(place->directory_fd, place->path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    }
    if (fd < 0) {
        return errno;
    }
    int error = file_adopt(mount->store, fd, O_WRONLY, true, &file);
    if (error == 0) {
        error = drop_privileges_of(req, file);
        error = error != 0 ? error : file_truncate(file, size, true);
        file_close(file);
    }
    return error;
}

static int attributes_set_mode(const struct place *place, mode_t mode) {
    char proc_path[64];
    if (place->path[0] != '\0') {
        return fchmodat(place->directory_fd, place->path, mode, 0) == 0 ? 0 : errno;
    }
    snprintf(proc_path, sizeof proc_path, "/proc/self/fd/%d", place->directory_fd);
    return chmod(proc_path, mode) == 0 ? 0 : errno;
}

static int attributes_set_owner(const struct place *place, const struct stat *requested, int which) {
    uid_t user = (which & FUSE_SET_ATTR_UID) != 0 ? requested->st_uid : (uid_t)-1;
    gid_t group = (which & FUSE_SET_ATTR_GID) != 0 ? requested->st_gid : (gid_t)-1;
    return fchownat(place->directory_fd, place->path, user, group, place->flags) == 0 ? 0 : errno;
}

/* The time of change of a buffered file is in its object; the backing learns of it with the drain. */
static int attributes_set_object_time(struct mount *mount, const struct place *place,
                                      const struct timespec *time) {
    struct stat status;
    struct object_header header;
    int error;
    if (fstatat(place->directory_fd, place->path, &status, place->flags) != 0) {
        return errno;
    }
    if (!path_is_bufferable(mount->store, &status) || !object_peek(mount->store, status.st_ino, &header)) {
        return 0;
    }
    struct object *object = object_find(mount->store, status.st_ino, &error);
    if (object == NULL) {
        return error;
    }
    struct timespec now = *time;
    if (time->tv_nsec == UTIME_NOW) {
        clock_gettime(CLOCK_REALTIME, &now);
    }
    error = object_set_time(object, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
    object_release(object);
    return error;
}

static int attributes_set_times(struct mount *mount, const struct place *place, const struct stat *requested,
                                int which) {
    struct timespec times[2] = {{0, UTIME_OMIT}, {0, UTIME_OMIT}};
    if ((which & FUSE_SET_ATTR_ATIME_NOW) != 0) {
        times[0].tv_nsec = UTIME_NOW;
    } else if ((which & FUSE_SET_ATTR_ATIME) != 0) {
        times[0] = requested->st_atim;
    }
    if ((which & FUSE_SET_ATTR_MTIME_NOW) != 0) {
        times[1].tv_nsec = UTIME_NOW;
    } else if ((which & FUSE_SET_ATTR_MTIME) != 0) {
        times[1] = requested->st_mtim;
    }
    if (utimensat(place->directory_fd, place->path, times, place->flags) != 0) {
        return errno;
    }
    return times[1].tv_nsec == UTIME_OMIT ? 0 : attributes_set_object_time(mount, place, &times[1]);
}

static void attributes_do_setattr(fuse_req_t req, fuse_ino_t number, struct stat *requested, int which,
                                  struct fuse_file_info *info) {
    const int times =
        FUSE_SET_ATTR_ATIME | FUSE_SET_ATTR_MTIME | FUSE_SET_ATTR_ATIME_NOW | FUSE_SET_ATTR_MTIME_NOW;
    struct mount *mount = mount_of(req);
    struct inode *inode = tree_inode(&mount->tree, number);
    struct file *file = attributes_file_of(info);
    struct place place;
    pthread_rwlock_rdlock(&mount->tree.names);
    int error = attributes_find_place(mount, inode, file, &place);
    if (error == 0 && (which & FUSE_SET_ATTR_MODE) != 0) {
        error = attributes_set_mode(&place, permitted_mode(req, requested->st_mode & 07777));
    }
    if (error == 0 && (which & (FUSE_SET_ATTR_UID | FUSE_SET_ATTR_GID)) != 0) {
        error = attributes_set_owner(&place, requested, which);
    }
    if (error == 0 && (which & FUSE_SET_ATTR_SIZE) != 0) {
        error = attributes_set_size(req, &place, file, requested->st_size);
    }
    if (error == 0 && (which & times) != 0) {
        error = attributes_set_times(mount, &place, requested, which);
    }
    attributes_leave_place(mount, &place);
    reply_attributes(req, inode, file, error);
}

static void attributes_do_statfs(fuse_req_t req, fuse_ino_t number) {
    struct mount *mount = mount_of(req);
    struct statvfs status;
    (void)number;
    if (fstatvfs(mount->store->backing_fd, &status) != 0) {
        fuse_reply_err(req, errno);
    } else {
        fuse_reply_statfs(req, &status);
    }
}

void set_attribute_operations(struct fuse_lowlevel_ops *operations) {
    operations->getattr = attributes_do_getattr;
    operations->setattr = attributes_do_setattr;
    operations->statfs = attributes_do_statfs;
}
