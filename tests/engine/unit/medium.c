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

static bool parse(const char *line) {
    memset(&medium, 0, sizeof medium);
    return weir_medium_parse(line, 98, 3, &medium);
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
    CHECK(!parse("36 35 98:4 / /data rw - ext4 /dev/sda rw\n"));
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
