/* Lines of /proc/self/mountinfo as kernels write them. */
#include "medium.h"

#include "check.h"

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static struct weir_medium medium;
static struct weir_mount mount_line;

static bool parse(const char *line) {
    bool good = weir_mount_parse(line, &mount_line);
    medium = mount_line.medium;
    return good;
}

/* One file system replaces another between two looks, mostly with the same device number. */
static void check_that_a_change_is_seen(void) {
    static const char *const types[] = {"tmpfs", "ramfs", "tmpfs"};
    struct weir_mounts mounts = WEIR_MOUNTS_UNREAD;
    char folder[] = "/tmp/weir-medium-XXXXXX", path[64];
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/file", folder);
    weir_medium_of(path, &mounts, &medium);
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) {
        printf("skipped: a change of the mounts; mounting is not permitted\n");
        rmdir(folder);
        return;
    }
    close(mounts.descriptor); /* of the namespace that was left */
    mounts.descriptor = -1;
    for (unsigned i = 0; i < sizeof types / sizeof types[0]; i++) {
        CHECK(mount(types[i], folder, types[i], 0, NULL) == 0);
        for (int look = 0; look < 2; look++) {
            weir_medium_of(path, &mounts, &medium);
            CHECK(strcmp(medium.file_system, types[i]) == 0 && strcmp(medium.source, types[i]) == 0);
        }
        CHECK(umount(folder) == 0);
    }
    close(mounts.descriptor);
    rmdir(folder);
}

/* In a directory that is not a mount point the process does not see what its root is mounted from. */
static void check_that_a_chroot_is_seen_through(void) {
    char folder[] = "/var/tmp/weir-medium-XXXXXX", proc[64];
    struct weir_medium outside;
    CHECK(mkdtemp(folder) != NULL);
    snprintf(proc, sizeof proc, "%s/proc", folder);
    weir_medium_of(proc, NULL, &outside);
    int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (mkdir(proc, 0700) != 0 || mount("proc", proc, "proc", 0, NULL) != 0 || chroot(folder) != 0) {
        printf("skipped: a look from a chroot; mounting is not permitted\n");
        close(root);
        rmdir(proc);
        rmdir(folder);
        return;
    }
    CHECK(outside.file_system[0] != '\0');
    weir_medium_of("/file", NULL, &medium);
    CHECK(strcmp(medium.file_system, outside.file_system) == 0);
    CHECK(strcmp(medium.source, outside.source) == 0);
    CHECK(fchdir(root) == 0 && chroot(".") == 0 && close(root) == 0);
    CHECK(umount2(proc, MNT_DETACH) == 0 && rmdir(proc) == 0 && rmdir(folder) == 0);
}

/* Space, tab, newline and backslash; an overlay also writes its commas so. */
static void check_octal_escapes(void) {
    CHECK(parse("36 35 0:40 / /a\\040b\\134c rw - btrfs /dev/my\\011disk\\054x rw\n"));
    CHECK(strcmp(mount_line.medium.point, "/a b\\c") == 0);
    CHECK(strcmp(medium.source, "/dev/my\tdisk,x") == 0);
    CHECK(parse("36 35 0:40 / /a\\04 rw - btrfs /dev/sda rw\n"));
    CHECK(strcmp(mount_line.medium.point, "/a\\04") == 0);
    CHECK(weir_mount_above(&mount_line, "/a\\04/file") > 0);
}

static void check_what_is_below(void) {
    CHECK(parse("36 35 0:40 / /m rw - overlay overlay rw,lowerdir=/l,upperdir=/u\\054p,workdir=/w\n"));
    CHECK(strcmp(medium.lower, "/u,p") == 0);
    CHECK(parse("36 35 0:40 / /m rw - overlay overlay ro,lowerdir=/l:/k\n") && medium.lower[0] == '\0');
    CHECK(parse("36 35 0:40 / /m rw - fuse /srv/data rw,user_id=0\n"));
    CHECK(strcmp(medium.lower, "/srv/data") == 0);
    CHECK(parse("36 35 0:40 / /m rw - fuse.mergerfs /srv/a:/srv/b rw\n"));
    CHECK(strcmp(medium.lower, "/srv/a:/srv/b") == 0);
    CHECK(parse("36 35 0:40 / /m rw - fuse mfs#10.0.0.1:9421 rw\n") && medium.lower[0] == '\0');
    CHECK(parse("36 35 0:40 / /m rw - xfs /dev/sda rw\n") && medium.lower[0] == '\0');
    /* Without a number of the mount: the longest mount point above the path. */
    CHECK(parse("36 35 0:40 / /m rw - btrfs /dev/sda rw\n"));
    CHECK(weir_mount_above(&mount_line, "/m/file") == 3 && weir_mount_above(&mount_line, "/mm/file") == 0);
    CHECK(parse("36 35 0:40 / / rw - btrfs /dev/sda rw\n"));
    CHECK(weir_mount_above(&mount_line, "/mm/file") == 2 && weir_mount_above(&mount_line, "mm") == 0);
}

int main(void) {
    CHECK(parse("36 35 98:3 / /data rw,noatime master:1 - ext4 /dev/sda rw,errors=continue\n"));
    CHECK(strcmp(medium.file_system, "ext4") == 0 && strcmp(medium.source, "/dev/sda") == 0 && !medium.dax);
    CHECK(
        parse("36 35 98:3 / /a\\040b rw shared:7 master:1 - xfs /dev/pmem0 rw,attr2,dax=always,noquota\n") &&
        medium.dax);
    CHECK(parse("36 35 98:3 / /data rw - xfs /dev/pmem0 rw,dax\n") && medium.dax);
    CHECK(parse("36 35 98:3 / /data rw - xfs /dev/pmem0 rw,dax=never\n") && !medium.dax);
    CHECK(parse("36 35 98:3 / /data rw - lustre 10.0.0.1@tcp:10.0.0.2@tcp:/work rw,flock\n"));
    CHECK(strcmp(medium.file_system, "lustre") == 0);
    CHECK(mount_line.id == 36 && mount_line.major_number == 98 && mount_line.medium.minor_number == 3);
    check_octal_escapes();
    check_what_is_below();
    CHECK(!parse("36 35 9"));
    CHECK(!parse(""));
    weir_medium_of("/proc/self/no-such-folder/file", NULL, &medium);
    CHECK(medium.file_system[0] == '\0' && !medium.counted);
    weir_medium_of("/proc/self/status", NULL, &medium);
    CHECK(strcmp(medium.file_system, "proc") == 0 && !medium.counted);
    check_that_a_change_is_seen();
    check_that_a_chroot_is_seen_through();
    return finish();
}
