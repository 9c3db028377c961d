/* The beginning and the end of a store. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "client/file.h"

static int setup_make_directories(const char *path, mode_t mode) {
    char partial[PATH_MAX];
    snprintf(partial, sizeof partial, "%s", path);
    for (char *slash = strchr(partial + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(partial, 0777);
        *slash = '/';
    }
    return mkdir(partial, mode) == 0 || errno == EEXIST ? 0 : errno;
}

/* Only root and this user can exchange what is in it: theirs or ours, or sticky as /tmp is. */
static int setup_parent_is_safe(const char *path) {
    char parent[PATH_MAX];
    struct stat status;
    snprintf(parent, sizeof parent, "%s", path);
    char *slash = strrchr(parent, '/');
    slash[slash == parent ? 1 : 0] = '\0';
    if (stat(parent, &status) != 0) {
        return errno;
    }
    bool trusted = status.st_uid == 0 || status.st_uid == geteuid();
    return trusted && ((status.st_mode & 022) == 0 || (status.st_mode & S_ISVTX) != 0) ? 0 : EPERM;
}

static int setup_make_private(const char *path) {
    int error = setup_make_directories(path, 0700);
    error = error != 0 ? error : setup_parent_is_safe(path);
    error = error != 0 ? error : directory_is_private(path);
    return error != 0 ? error : chmod(path, 0700) == 0 ? 0 : errno;
}

/* The backing must take hard links: they are how a drain finds a file that was renamed. */
static int setup_probe_links(const char *backing) {
    char links[PATH_MAX + 16];
    char first[PATH_MAX + 32];
    char second[PATH_MAX + 32];
    snprintf(links, sizeof links, "%s/%s", backing, LINKS_DIRECTORY);
    snprintf(first, sizeof first, "%s/.probe", links);
    snprintf(second, sizeof second, "%s/.probe-link", links);
    if (mkdir(links, 0700) != 0 && errno != EEXIST) {
        return errno;
    }
    int refused = directory_is_private(links);
    if (refused != 0) {
        return refused;
    }
    unlink(first); /* left by a kill */
    unlink(second);
    int fd = open(first, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    int error = fd < 0 || link(first, second) != 0 ? errno : 0;
    if (fd >= 0) {
        close(fd);
    }
    unlink(first);
    unlink(second);
    return error;
}

/* The capacity holds data and indices; the control file and what the file system needs for itself come on
 * top. */
static bool setup_has_room(const struct config *config, char *message, size_t message_bytes) {
    struct statvfs status;
    uint64_t needed = config->capacity_bytes + config->capacity_bytes / 64 + sizeof(struct control);
    if (statvfs(config->fast, &status) != 0 || (uint64_t)status.f_bavail * status.f_frsize >= needed) {
        return true;
    }
    snprintf(message, message_bytes,
             "%s: capacity = %llu bytes: %s has only %llu bytes free: lower the capacity", config->file,
             (unsigned long long)config->capacity_bytes, config->fast,
             (unsigned long long)status.f_bavail * status.f_frsize);
    return false;
}

static int setup_write_control(const struct config *config, const char *temporary, const char *final) {
    struct control *control = calloc(1, sizeof *control);
    if (control == NULL) {
        return ENOMEM;
    }
    memcpy(control->magic, "weir-ime", 8);
    control->layout = STORE_LAYOUT;
    control->granule_bytes = (uint32_t)config->granule_bytes;
    control->capacity_bytes = config->capacity_bytes;
    store_read_boot_id(control->boot_id);
    snprintf(control->backing, sizeof control->backing, "%s", config->backing);
    int error = 0;
    int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, control, sizeof *control) != (ssize_t)sizeof *control || fsync(fd) != 0) {
        error = errno;
    }
    if (fd >= 0) {
        close(fd);
    }
    if (error == 0 && link(temporary, final) != 0) { /* link, not rename: of two that create, one must fail */
        error = errno;
    }
    unlink(temporary);
    free(control);
    return error;
}

int store_create(const struct config *config, char *message, size_t message_bytes) {
    char objects[PATH_MAX + 16];
    char temporary[PATH_MAX + 48];
    char final[PATH_MAX + 16];
    snprintf(objects, sizeof objects, "%s/objects", config->fast);
    snprintf(temporary, sizeof temporary, "%s/control.%ld", config->fast, (long)getpid());
    snprintf(final, sizeof final, "%s/control", config->fast);
    if (path_below(config->fast, config->backing) != NULL ||
        path_below(config->backing, config->fast) != NULL) {
        snprintf(message, message_bytes, "%s: fast = %s and backing = %s: neither may lie below the other",
                 config->file, config->fast, config->backing);
        return -1;
    }
    const char *where = config->fast;
    int error = setup_make_private(config->fast);
    if (error == 0) {
        where = config->backing;
        error = setup_make_directories(config->backing, 0777);
    }
    error = error == 0 ? setup_probe_links(config->backing) : error;
    if (error == 0) {
        where = objects;
        error = setup_make_private(objects);
    }
    if (error == 0 && !setup_has_room(config, message, message_bytes)) {
        return -1;
    }
    if (error == 0) {
        where = final;
        error = setup_write_control(config, temporary, final);
    }
    if (error == EEXIST) {
        snprintf(message, message_bytes, "%s: a store is here already: use it, or run imectl destroy",
                 config->fast);
    } else if (error == EPERM || error == ENOTDIR) {
        snprintf(message, message_bytes,
                 "%s: it and the directory it lies in must be safe from other users: choose a directory of "
                 "your own "
                 "with mode 700",
                 where);
    } else if (error != 0) {
        snprintf(message, message_bytes, "%s: %s", where, strerror(error));
    }
    return error == 0 ? 0 : -1;
}

static void setup_remove_object(struct store *store, const char *name, void *unused) {
    (void)unused;
    unlinkat(store->objects_fd, name, 0);
    unlinkat(store->links_fd, name, 0);
}

int store_destroy(struct store *store) {
    char path[PATH_MAX + 32];
    struct config config = store->config;
    store_collect(store);
    objects_each(store, setup_remove_object, NULL);
    store_close(store);
    int error = 0;
    snprintf(path, sizeof path, "%s/%s", config.backing, LINKS_DIRECTORY);
    error = rmdir(path) != 0 ? errno : error;
    snprintf(path, sizeof path, "%s/objects", config.fast);
    error = rmdir(path) != 0 ? errno : error;
    snprintf(path, sizeof path, "%s/control", config.fast);
    error = unlink(path) != 0 ? errno : error;
    rmdir(config.fast); /* stays if something else lies in it */
    return error;
}
