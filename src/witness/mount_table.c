/* Mounts by their points. File systems without files of people (proc, cgroup) are no storage. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accounts.h"
#include "closing.h"

#define MOUNTS     64 /* room for so many more at a time */
#define LINE_BYTES 4096
#define TESTED     8

struct mount_point {
    char *point;
    size_t length;
    bool is_storage;
};

/* All of them: a file on one that the table lacks would be one of the mount above. */
static struct mount_point *mounts;
static unsigned used;
static char tested[TESTED][WITNESS_PATH_BYTES];
static unsigned tested_used;

static const char *const no_storage[] = {"proc",       "sysfs",    "cgroup",    "cgroup2", "devtmpfs",
                                         "devpts",     "mqueue",   "debugfs",   "tracefs", "bpf",
                                         "securityfs", "pstore",   "configfs",  "fusectl", "binfmt_misc",
                                         "autofs",     "efivarfs", "selinuxfs", "nsfs",    "rpc_pipefs"};

static bool is_storage(const char *file_system) {
    for (unsigned i = 0; i < sizeof no_storage / sizeof no_storage[0]; i++) {
        if (strcmp(file_system, no_storage[i]) == 0) {
            return false;
        }
    }
    return true;
}

/* The directory under test by its device and its path in that file system, which are the same in a container
 * and for bind mounts, where it has other paths. */
static void add_tested(const struct weir_mount *mount) {
    const char *place = getenv("WEIR_WITNESS_PLACE"), *rest;
    unsigned major_number, minor_number;
    int at = 0;
    if (tested_used == TESTED || place == NULL ||
        sscanf(place, "%u:%u %n", &major_number, &minor_number, &at) != 2 ||
        major_number != mount->major_number || minor_number != mount->medium.minor_number) {
        return;
    }
    rest = rest_below(mount->root, place + at) != NULL ? "" : rest_below(place + at, mount->root);
    const char *point = strcmp(mount->medium.point, "/") == 0 ? "" : mount->medium.point;
    if (rest != NULL && strlen(point) + strlen(rest) < sizeof tested[0]) {
        sprintf(tested[tested_used++], "%s%s", point, rest);
    }
}

static void add_point(const char *point, bool holds_files) {
    if (used % MOUNTS == 0) {
        struct mount_point *more = realloc(mounts, (used + MOUNTS) * sizeof *mounts);
        if (more == NULL) {
            return;
        }
        mounts = more;
    }
    char *kept = strdup(point);
    if (kept != NULL) {
        mounts[used++] = (struct mount_point){kept, strlen(kept), holds_files};
    }
}

static void add_line(const char *line) {
    static struct weir_mount mount; /* large; the table is read once, before the program runs */
    if (!weir_mount_parse(line, &mount)) {
        return;
    }
    add_tested(&mount);
    add_point(mount.medium.point, is_storage(mount.medium.file_system));
}

/* The root of a chroot may be an ordinary directory, whose mount the table does not have. */
static void add_root(void) {
    for (unsigned i = 0; i < used; i++) {
        if (mounts[i].length == 1) {
            return;
        }
    }
    add_point("/", true);
}

void mount_table_read(void) {
    char line[LINE_BYTES];
    WEIR_FILE *table = fopen("/proc/self/mountinfo", "re");
    used = tested_used = 0;
    while (table != NULL && fgets(line, sizeof line, table) != NULL) {
        add_line(line);
    }
    add_root();
}

/* The last one of the mounts at a point covers the others. */
const char *mount_table_point(const char *path) {
    int found = -1;
    for (unsigned i = 0; i < used; i++) {
        if ((found < 0 || mounts[i].length >= mounts[found].length) && is_below(path, mounts[i].point)) {
            found = (int)i;
        }
    }
    return found >= 0 && mounts[found].is_storage ? mounts[found].point : NULL;
}

bool mount_table_is_tested(const char *path) {
    for (unsigned i = 0; i < tested_used; i++) {
        if (is_below(path, tested[i])) {
            return true;
        }
    }
    return false;
}
