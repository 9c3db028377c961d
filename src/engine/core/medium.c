#include "medium.h"

#include "closing.h"
#include "words.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#define MOUNTS  "/proc/self/mountinfo"
#define DEEPEST 8 /* file systems that give their bytes to one another */

/* Which mount a path is on. Many file systems (btrfs, overlay, ZFS, bcachefs) give their files the number of
 * a device that no mount has. */
struct medium_place {
    const char *path;
    uint64_t mount_id; /* 0: the kernel does not report it */
    struct stat facts;
    struct statfs system;
    int depth;
};

static void medium_of_directory(const char *path, struct weir_mounts *mounts, int depth,
                                struct weir_medium *medium);

/* The numbers and offsets stand here: the headers that weir is built with may be older than the kernel. */
#define STATX_BYTES        256
#define STATX_MNT_ID_BIT   0x1000u
#define STATX_MNT_ID_PLACE 144

static uint64_t medium_mount_id(const char *path) {
    char answer[STATX_BYTES];
    uint32_t mask;
    uint64_t id = 0;
#ifdef SYS_statx
    if (syscall(SYS_statx, AT_FDCWD, path, AT_NO_AUTOMOUNT, STATX_MNT_ID_BIT, answer) != 0) {
        return 0;
    }
    memcpy(&mask, answer, sizeof mask);
    if ((mask & STATX_MNT_ID_BIT) != 0) {
        memcpy(&id, answer + STATX_MNT_ID_PLACE, sizeof id);
    }
#endif
    return id;
}

static bool medium_look(const char *path, struct medium_place *place) {
    place->path = path;
    if (stat(path, &place->facts) != 0 || statfs(path, &place->system) != 0) {
        return false;
    }
    place->mount_id = medium_mount_id(path);
    return true;
}

/* What a process sees from its root; that of the first process has what is mounted above a chroot, too. */
static const char *const medium_tables[] = {MOUNTS, "/proc/1/mountinfo"};

/* How well a mount fits; 0: not at all. Of two that fit equally, the later one hides the other. */
static size_t medium_fit(const struct weir_mount *mount, const struct medium_place *place,
                         const char *real_path, bool is_own_table) {
    if (place->mount_id != 0 && mount->id == place->mount_id) {
        return SIZE_MAX;
    }
    if (!is_own_table) {
        dev_t number = place->facts.st_dev;
        return major(number) != 0 && major(number) == mount->major_number &&
               minor(number) == mount->medium.minor_number;
    }
    return place->mount_id == 0 ? weir_mount_above(mount, real_path) : 0;
}

static bool medium_find_in_table(const char *table, const struct medium_place *place,
                                 struct weir_medium *medium) {
    struct weir_mount mount;
    char real_path[PATH_MAX], *line = NULL;
    size_t room = 0, best = 0;
    bool is_own_table = table == medium_tables[0];
    if (is_own_table && place->mount_id == 0 && realpath(place->path, real_path) == NULL) {
        return false;
    }
    WEIR_FILE *mounts = fopen(table, "re");
    while (mounts != NULL && best < SIZE_MAX && getline(&line, &room, mounts) > 0) {
        size_t fit = weir_mount_parse(line, &mount) ? medium_fit(&mount, place, real_path, is_own_table) : 0;
        if (fit > 0 && fit >= best) {
            best = fit;
            *medium = mount.medium;
        }
    }
    free(line);
    return best > 0;
}

bool weir_medium_is_memory(const struct weir_medium *medium) {
    static const char *const names[] = {"tmpfs", "ramfs", "hugetlbfs", "devtmpfs", NULL};
    return weir_place_of(medium->file_system, names) >= 0;
}

/* A daemon of FUSE reads and writes for the process, which is then not charged. */
static bool medium_is_counted(const struct medium_place *place, const struct weir_medium *medium) {
    char device[64];
    struct stat source;
    if (medium->dax || strncmp(medium->file_system, "fuse", 4) == 0) {
        return false;
    }
    if (medium->lower[0] != '\0') {
        char lower[WEIR_MEDIUM_PATH + 1];
        struct weir_medium below;
        snprintf(lower, sizeof lower, "%s/", medium->lower);
        medium_of_directory(lower, NULL, place->depth + 1, &below);
        return below.counted;
    }
    dev_t number = place->facts.st_dev;
    snprintf(device, sizeof device, "/sys/dev/block/%u:%u", major(number), minor(number));
    return place->system.f_type == BTRFS_SUPER_MAGIC || access(device, F_OK) == 0 ||
           (medium->source[0] == '/' && stat(medium->source, &source) == 0 && S_ISBLK(source.st_mode));
}

static void medium_find(const struct medium_place *place, struct weir_medium *medium) {
    bool found = false;
    memset(medium, 0, sizeof *medium);
    for (unsigned i = 0; !found && i < sizeof medium_tables / sizeof medium_tables[0]; i++) {
        found = medium_find_in_table(medium_tables[i], place, medium);
    }
    if (!found && place->system.f_type == BTRFS_SUPER_MAGIC) {
        snprintf(medium->file_system, sizeof medium->file_system, "btrfs");
    }
    medium->counted = place->depth < DEEPEST && medium_is_counted(place, medium);
}

/* Since the descriptor was opened or polled last. */
static bool medium_mounts_changed(struct weir_mounts *mounts) {
    struct pollfd change = {.fd = mounts->descriptor, .events = POLLPRI};
    if (mounts->descriptor < 0) {
        mounts->descriptor = open(MOUNTS, O_RDONLY | O_CLOEXEC);
        return true;
    }
    return poll(&change, 1, 0) != 0;
}

static void medium_find_or_keep(const struct medium_place *place, struct weir_mounts *mounts,
                                struct weir_medium *medium) {
    unsigned major_number = major(place->facts.st_dev), minor_number = minor(place->facts.st_dev);
    if (mounts == NULL) {
        medium_find(place, medium);
        return;
    }
    /* First: a change while the table is read is reported the next time. */
    bool changed = medium_mounts_changed(mounts) || mounts->descriptor < 0;
    if (changed || mounts->mount_id != place->mount_id || mounts->major_number != major_number ||
        mounts->minor_number != minor_number) {
        medium_find(place, &mounts->medium);
        mounts->mount_id = place->mount_id;
        mounts->major_number = major_number;
        mounts->minor_number = minor_number;
    }
    *medium = mounts->medium;
}

void weir_directory_of(const char *path, char *directory, size_t bytes) {
    snprintf(directory, bytes, "%s", path);
    char *slash = strrchr(directory, '/');
    snprintf(slash != NULL ? slash + 1 : directory, 2, ".");
}

static void medium_of_directory(const char *path, struct weir_mounts *mounts, int depth,
                                struct weir_medium *medium) {
    char directory[WEIR_MEDIUM_PATH + 2];
    struct medium_place place = {.depth = depth};
    memset(medium, 0, sizeof *medium);
    weir_directory_of(path, directory, sizeof directory);
    if (medium_look(directory, &place)) {
        medium_find_or_keep(&place, mounts, medium);
    }
}

void weir_medium_of(const char *path, struct weir_mounts *mounts, struct weir_medium *medium) {
    struct medium_place place = {.depth = 0};
    memset(medium, 0, sizeof *medium);
    if (!medium_look(path, &place)) {
        medium_of_directory(path, mounts, 0, medium);
    } else if (S_ISREG(place.facts.st_mode) || S_ISDIR(place.facts.st_mode)) {
        medium_find_or_keep(&place, mounts, medium);
    }
}

void weir_medium_of_directory(const char *path, struct weir_mounts *mounts, struct weir_medium *medium) {
    medium_of_directory(path, mounts, 0, medium);
}
