#include "medium.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

static bool medium_has_dax(char *options) {
    char *rest = options;
    for (char *word = strtok_r(options, ", \n", &rest); word != NULL; word = strtok_r(NULL, ", \n", &rest)) {
        if (strncmp(word, "dax", 3) == 0 && strcmp(word, "dax=never") != 0) {
            return true;
        }
    }
    return false;
}

/* 36 35 98:0 /root /point rw,noatime master:1 - ext4 /dev/sda rw,errors=continue */
bool weir_medium_parse(const char *line, unsigned major_number, unsigned minor_number,
                       struct weir_medium *medium) {
    unsigned line_major, line_minor;
    char options[256] = "";
    const char *tail = strstr(line, " - ");
    if (sscanf(line, "%*u %*u %u:%u", &line_major, &line_minor) != 2 || tail == NULL ||
        line_major != major_number || line_minor != minor_number) {
        return false;
    }
    if (sscanf(tail, " - %31s %255s %255s", medium->file_system, medium->source, options) < 2) {
        return false;
    }
    medium->dax = medium_has_dax(options);
    return true;
}

static bool medium_facts_of(const char *path, struct stat *facts, struct statfs *system) {
    return stat(path, facts) == 0 && statfs(path, system) == 0;
}

static bool medium_facts_of_directory(const char *path, struct stat *facts, struct statfs *system) {
    char directory[1024];
    snprintf(directory, sizeof directory, "%s", path);
    char *slash = strrchr(directory, '/');
    snprintf(slash != NULL ? slash + 1 : directory, 2, ".");
    return medium_facts_of(directory, facts, system);
}

#define MOUNTS "/proc/self/mountinfo"

/* What a process sees from its root; that of the first process has what is mounted above a chroot, too. */
static const char *const medium_tables[] = {MOUNTS, "/proc/1/mountinfo"};

static bool medium_find_in_table(const char *table, unsigned major_number, unsigned minor_number,
                                 struct weir_medium *medium) {
    char line[4096];
    FILE *mounts = fopen(table, "re");
    bool found = false;
    while (mounts != NULL && !found && fgets(line, sizeof line, mounts) != NULL) {
        found = weir_medium_parse(line, major_number, minor_number, medium);
    }
    if (mounts != NULL) {
        fclose(mounts);
    }
    return found;
}

static bool medium_find_line(unsigned major_number, unsigned minor_number, struct weir_medium *medium) {
    bool found = false;
    for (unsigned i = 0; !found && i < sizeof medium_tables / sizeof medium_tables[0]; i++) {
        found = medium_find_in_table(medium_tables[i], major_number, minor_number, medium);
    }
    return found;
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

static bool medium_find_or_keep_line(unsigned major_number, unsigned minor_number, struct weir_mounts *mounts,
                                     struct weir_medium *medium) {
    if (mounts == NULL) {
        return medium_find_line(major_number, minor_number, medium);
    }
    /* First: a change while the table is read is reported the next time. */
    bool changed = medium_mounts_changed(mounts) || mounts->descriptor < 0;
    if (changed || mounts->major_number != major_number || mounts->minor_number != minor_number) {
        memset(&mounts->medium, 0, sizeof mounts->medium);
        mounts->found = medium_find_line(major_number, minor_number, &mounts->medium);
        mounts->major_number = major_number;
        mounts->minor_number = minor_number;
    }
    *medium = mounts->medium;
    return mounts->found;
}

static void medium_find_mount(const struct stat *facts, const struct statfs *system,
                              struct weir_mounts *mounts, struct weir_medium *medium) {
    char device[64];
    unsigned major_number = major(facts->st_dev), minor_number = minor(facts->st_dev);
    bool found = medium_find_or_keep_line(major_number, minor_number, mounts, medium);
    /* A subvolume of btrfs has a device number that no mount has, yet its transfers are counted. */
    bool btrfs = system->f_type == BTRFS_SUPER_MAGIC;
    if (btrfs && !found) {
        snprintf(medium->file_system, sizeof medium->file_system, "btrfs");
    }
    snprintf(device, sizeof device, "/sys/dev/block/%u:%u", major_number, minor_number);
    medium->counted = !medium->dax && (btrfs || access(device, F_OK) == 0);
}

void weir_medium_of(const char *path, struct weir_mounts *mounts, struct weir_medium *medium) {
    struct stat facts;
    struct statfs system;
    memset(medium, 0, sizeof *medium);
    if (medium_facts_of(path, &facts, &system)) {
        if (S_ISREG(facts.st_mode) || S_ISDIR(facts.st_mode)) {
            medium_find_mount(&facts, &system, mounts, medium);
        }
    } else if (medium_facts_of_directory(path, &facts, &system)) {
        medium_find_mount(&facts, &system, mounts, medium);
    }
}

void weir_medium_of_directory(const char *path, struct weir_mounts *mounts, struct weir_medium *medium) {
    struct stat facts;
    struct statfs system;
    memset(medium, 0, sizeof *medium);
    if (medium_facts_of_directory(path, &facts, &system)) {
        medium_find_mount(&facts, &system, mounts, medium);
    }
}
