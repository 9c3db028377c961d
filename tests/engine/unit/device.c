/* Devices followed down to their disks in a tree like /sys/dev/block. */
#include "device.h"

#include "check.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char root[64];

static void put(const char *name, const char *text) {
    char path[512], made[512];
    snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *slash = strchr(path + strlen(root) + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        snprintf(made, sizeof made, "%.*s", (int)(slash - path), path);
        mkdir(made, 0755);
    }
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
}

static void disk(const char *number, unsigned sectors_read, unsigned sectors_written) {
    char name[64], text[128];
    snprintf(name, sizeof name, "%s/stat", number);
    snprintf(text, sizeof text, "   10 0 %u 5   20 1 %u 7 0 0 0\n", sectors_read, sectors_written);
    put(name, text);
}

/* Entries of /sys/dev/block are links into the directories of disks. */
static void linked(const char *name, const char *to) {
    char target[128], link[128];
    snprintf(target, sizeof target, "%s/%s", root, to);
    snprintf(link, sizeof link, "%s/%s", root, name);
    CHECK(symlink(target, link) == 0);
}

static bool follow(unsigned major_number, unsigned minor_number, struct weir_device *device,
                   uint64_t *counts) {
    weir_device_clear(device);
    return weir_device_follow(root, major_number, minor_number, 0, device) &&
           weir_device_count(root, device, counts);
}

/* Of one node: a disk that was written so many bytes before and until then. */
static struct weir_device node(const char *kernel, unsigned minor_number, uint64_t before, uint64_t after) {
    struct weir_device made = {.name = "sda", .copies = 1, .parts = 1};
    made.major_of[0] = 8;
    made.minor_of[0] = minor_number;
    made.before[WEIR_DEVICE_WRITTEN] = before;
    made.counts[WEIR_DEVICE_WRITTEN] = after - before;
    snprintf(made.kernel, sizeof made.kernel, "%s", kernel);
    return made;
}

static uint64_t written(struct weir_device one, struct weir_device two, struct weir_device three) {
    struct weir_device nodes[] = {one, two, three}, all;
    weir_device_join(nodes, 3, &all);
    CHECK(strcmp(all.name, "sda") == 0);
    return all.counts[WEIR_DEVICE_WRITTEN];
}

/* Virtual nodes and containers share a kernel, which counts a disk once for all of them. */
static void check_nodes(void) {
    struct weir_device early = node("a", 0, 100, 150), late = node("a", 0, 120, 190), all;
    CHECK(written(early, late, early) == 90);
    CHECK(written(late, early, node("b", 0, 0, 1000)) == 1090);     /* a node of its own */
    CHECK(written(early, node("b", 0, 100, 150), late) == 90 + 50); /* with the same numbers */
    CHECK(written(early, node("a", 16, 0, 7), late) == 90 + 7);     /* another disk */
    CHECK(written(node("", 0, 1, 2), node("", 0, 1, 2), node("", 0, 1, 2)) == 3);
    struct weir_device nodes[] = {early, {.reason = "tmpfs shows no device"}};
    weir_device_join(nodes, 2, &all);
    CHECK(all.name[0] == '\0' && strstr(all.reason, "a node shows no") != NULL);
    weir_device_read_kernel(all.kernel);
    CHECK(strlen(all.kernel) == 36);
}

/* In a container with a boot_id of its own, as systemd-nspawn gives it; skipped where none can be made. */
static bool read_in_container(const char *boot_id, char kernel[40]) {
    char file[128];
    int ends[2];
    put("boot_id", boot_id);
    snprintf(file, sizeof file, "%s/boot_id", root);
    CHECK(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        const char *path = "/proc/sys/kernel/random/boot_id";
        if ((unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) ||
            mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
            mount(file, path, NULL, MS_BIND, NULL) != 0) {
            _exit(1);
        }
        char text[40] = "";
        weir_device_read_line(path, text, sizeof text);
        CHECK(strncmp(text, boot_id, 35) == 0);
        weir_device_read_kernel(text);
        _exit(write(ends[1], text, sizeof text) == sizeof text ? 0 : 1);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    bool made = status == 0 && read(ends[0], kernel, 40) == 40;
    close(ends[0]);
    close(ends[1]);
    return made;
}

static void check_containers(void) {
    char one[40], two[40];
    if (!read_in_container("00000000-0000-4000-8000-000000000001\n", one) ||
        !read_in_container("00000000-0000-4000-8000-000000000002\n", two)) {
        printf("skipped: no mount namespace can be made here\n");
        return;
    }
    CHECK(strcmp(one, two) == 0); /* one kernel, which counts a disk once */
    CHECK(strncmp(one, "booted at 1", 11) == 0);
}

static void check_disks(void) {
    struct weir_device device;
    uint64_t counts[WEIR_DEVICE_COUNTS];
    struct weir_medium medium = {.file_system = "xfs", .source = "/dev/pmem0", .dax = true};
    weir_device_begin(root, &medium, &device);
    CHECK(device.name[0] == '\0' && strstr(device.reason, "DAX") != NULL);

    disk("8:0", 100, 200);
    CHECK(follow(8, 0, &device, counts) && !device.in_memory);
    CHECK(device.parts == 1 && counts[WEIR_DEVICE_READ] == 51200 && counts[WEIR_DEVICE_WRITTEN] == 102400);
    CHECK(counts[WEIR_DEVICE_DISK_WRITTEN] == 102400);
    CHECK(!follow(0, 27, &device, counts)); /* the number of a mount */
}

/* The whole disk has the flushes of its cache, since Linux 5.5. */
static void check_flushes(void) {
    struct weir_device device;
    uint64_t counts[WEIR_DEVICE_COUNTS];
    put("8:32/stat", "10 0 1 5 20 1 2 7 0 0 0 0 0 0 0 33 9\n");
    CHECK(follow(8, 32, &device, counts) && counts[WEIR_DEVICE_FLUSHES] == 33);
    disk("8:48", 1, 2);
    CHECK(follow(8, 48, &device, counts) && counts[WEIR_DEVICE_FLUSHES] == 0);
}

/* A disk that was told not to count is unknown, also as one of several and below a partition. */
static void check_not_counting(void) {
    struct weir_device device;
    uint64_t counts[WEIR_DEVICE_COUNTS];
    disk("8:64", 100, 200);
    put("8:64/queue/iostats", "1\n");
    CHECK(follow(8, 64, &device, counts) && counts[WEIR_DEVICE_WRITTEN] == 102400);
    put("8:64/queue/iostats", "0\n");
    CHECK(!follow(8, 64, &device, counts));
    weir_device_unknown(root, &device, "no counters");
    CHECK(strstr(device.reason, "8:64 counts nothing") != NULL && strstr(device.reason, "iostats") != NULL);
    disk("8:64/sde1", 10, 20);
    put("8:64/sde1/partition", "1\n");
    linked("8:65", "8:64/sde1");
    CHECK(!follow(8, 65, &device, counts));
    disk("253:9", 7, 7);
    put("253:9/slaves/sda/dev", "8:0\n");
    put("253:9/slaves/sde/dev", "8:64\n");
    CHECK(!follow(253, 9, &device, counts) && device.parts == 2);
    put("8:64/queue/iostats", "1\n");
    CHECK(follow(253, 9, &device, counts));
    weir_device_unknown(root, &device, "no counters");
    CHECK(strcmp(device.reason, "no counters") == 0);
}

/* A partition counts for itself, and its disk for others: 8:1 is a link into the disk's directory. */
static void check_partitions(void) {
    struct weir_device device;
    uint64_t counts[WEIR_DEVICE_COUNTS];
    disk("sda", 1000, 2000);
    disk("sda/sda1", 10, 20);
    put("sda/sda1/partition", "1\n");
    linked("8:1", "sda/sda1");
    CHECK(follow(8, 1, &device, counts));
    CHECK(counts[WEIR_DEVICE_WRITTEN] == 10240 && counts[WEIR_DEVICE_DISK_WRITTEN] == 1024000);
}

/* A logical volume on a RAID of two disks, one of which it names twice. */
static void check_volumes(void) {
    struct weir_device device = {.copies = 0};
    uint64_t counts[WEIR_DEVICE_COUNTS];
    disk("8:16", 1, 1);
    disk("9:0", 7, 7);
    put("9:0/slaves/sda/dev", "8:0\n");
    put("9:0/slaves/sdb/dev", "8:16\n");
    put("9:0/md/level", "raid1\n");
    put("9:0/md/raid_disks", "2\n");
    put("9:0/md/layout", "0\n");
    weir_device_clear(&device);
    CHECK(weir_device_follow(root, 9, 0, 0, &device) && device.copies == 2);
    CHECK(device.mirrors_least == 1 && device.mirrors_most == 2); /* it does not tell whether it is whole */
    put("9:0/md/degraded", "1\n");
    weir_device_clear(&device);
    CHECK(weir_device_follow(root, 9, 0, 0, &device) && device.mirrors_least == 1);
    put("9:0/md/degraded", "0\n");
    weir_device_clear(&device);
    CHECK(weir_device_follow(root, 9, 0, 0, &device) && device.mirrors_least == 2);
    put("9:0/md/bitmap/backlog", "256\n"); /* write-behind */
    weir_device_clear(&device);
    CHECK(weir_device_follow(root, 9, 0, 0, &device) && device.mirrors_least == 1);
    put("9:0/md/bitmap/backlog", "0\n");
    disk("9:0/md0p1", 3, 3); /* a partition of it has the same disks */
    put("9:0/md0p1/partition", "1\n");
    linked("259:9", "9:0/md0p1");
    weir_device_clear(&device);
    CHECK(weir_device_follow(root, 259, 9, 0, &device) && device.copies == 2 && device.parts == 2);
    disk("9:1", 7, 7); /* a stripe over two mirrors writes each byte twice */
    put("9:1/slaves/md0/dev", "9:0\n");
    put("9:1/slaves/md0p1/dev", "259:9\n");
    weir_device_clear(&device);
    CHECK(weir_device_follow(root, 9, 1, 0, &device) && device.copies == 2 && device.mirrors_least == 2);
    disk("253:0", 7, 7);
    put("253:0/slaves/md0/dev", "9:0\n");
    put("253:0/slaves/sda/dev", "8:0\n");
    CHECK(follow(253, 0, &device, counts));
    CHECK(device.mirrors_least == 1 && device.mirrors_most == 2); /* one of its members has no mirror */
    CHECK(device.parts == 2 && counts[WEIR_DEVICE_READ] == 101 * 512);
    disk("253:1", 7, 7); /* dm-zero, also without a file system on it */
    put("253:1/dm/name", "zero\n");
    CHECK(!follow(253, 1, &device, counts));
    put("253:0/slaves/gone/dev", "8:99\n");
    CHECK(!follow(253, 0, &device, counts));
}

/* A btrfs writes by the profiles of its data, and without a device to the others alone. */
static void check_btrfs(void) {
    char directory[96];
    snprintf(directory, sizeof directory, "%s/btrfs", root);
    put("btrfs/devinfo/1/missing", "0\n");
    put("btrfs/devinfo/2/missing", "0\n");
    struct weir_copies copies = weir_device_btrfs_copies(directory); /* an older kernel */
    CHECK(copies.least == 1 && copies.most == 1);
    put("btrfs/allocation/data/raid1/total_bytes", "1\n");
    copies = weir_device_btrfs_copies(directory);
    CHECK(copies.least == 2 && copies.most == 2);
    put("btrfs/devinfo/2/missing", "1\n");
    copies = weir_device_btrfs_copies(directory);
    CHECK(copies.least == 1 && copies.most == 2);
    put("btrfs/devinfo/2/missing", "0\n");
    put("btrfs/allocation/data/single/total_bytes", "1\n");
    copies = weir_device_btrfs_copies(directory);
    CHECK(copies.least == 1 && copies.most == 2);
}

/* A loop device whose file is in memory is its own disk; one whose file is gone, is another file or is
 * on a file system without a device is unknown. */
static void check_loops(void) {
    struct weir_device device;
    uint64_t counts[WEIR_DEVICE_COUNTS];
    char image[] = "/dev/shm/weir-image-XXXXXX", backing[64];
    int descriptor = mkstemp(image);
    CHECK(descriptor >= 0 && ftruncate(descriptor, 8192) == 0 && close(descriptor) == 0);
    disk("7:0", 3, 4);
    snprintf(backing, sizeof backing, "%s\n", image);
    put("7:0/loop/backing_file", backing);
    put("7:0/loop/offset", "0\n");
    put("7:0/loop/sizelimit", "0\n");
    put("7:0/size", "16\n");
    CHECK(follow(7, 0, &device, counts) && device.in_memory);
    CHECK(device.parts == 1 && device.major_of[0] == 7 && counts[WEIR_DEVICE_WRITTEN] == 4 * 512);
    /* So is that of one of its partitions, which has the file beside it. */
    disk("7:0/loop0p1", 1, 1);
    put("7:0/dev", "7:0\n");
    linked("259:0", "7:0/loop0p1");
    CHECK(follow(259, 0, &device, counts) && device.in_memory);
    CHECK(device.major_of[0] == 7 && counts[WEIR_DEVICE_WRITTEN] == 4 * 512);
    put("7:0/size", "17\n");
    CHECK(!follow(7, 0, &device, counts) && strstr(device.reason, image) != NULL);
    put("7:0/size", "0\n");
    put("7:0/loop/backing_file", "/proc/version\n");
    CHECK(!follow(7, 0, &device, counts));
    put("7:0/loop/backing_file", "/srv/image (deleted)\n");
    CHECK(!follow(7, 0, &device, counts));
    CHECK(strstr(device.reason, "(/srv/image (deleted)) is unknown") != NULL);
    CHECK(unlink(image) == 0);
}

/* Of a device that a process serves (nbd), and of a partition of it, nobody knows where the bytes are. */
static void check_served(void) {
    struct weir_device device;
    uint64_t counts[WEIR_DEVICE_COUNTS];
    disk("43:0", 1, 1);
    CHECK(follow(43, 0, &device, counts)); /* not connected */
    put("43:0/pid", "4711\n");
    CHECK(!follow(43, 0, &device, counts) && strstr(device.reason, "served by process 4711") != NULL);
    disk("43:0/nbd0p1", 1, 1);
    linked("259:7", "43:0/nbd0p1");
    CHECK(!follow(259, 7, &device, counts) && strstr(device.reason, "served by process 4711") != NULL);
}

/* Disks of memory by their names, and by the model that their driver has. */
static void check_disks_of_memory(void) {
    struct weir_device device;
    uint64_t counts[WEIR_DEVICE_COUNTS];
    disk("zram0", 1, 1);
    linked("252:0", "zram0");
    CHECK(follow(252, 0, &device, counts) && device.in_memory);
    disk("8:32", 1, 1);
    put("8:32/device/model", "scsi_debug      \n");
    CHECK(follow(8, 32, &device, counts) && device.in_memory);
}

int main(void) {
    snprintf(root, sizeof root, "/tmp/weir-device-XXXXXX");
    CHECK(mkdtemp(root) != NULL);
    check_nodes();
    check_containers();
    check_disks();
    check_flushes();
    check_not_counting();
    check_partitions();
    check_volumes();
    check_btrfs();
    check_loops();
    check_served();
    check_disks_of_memory();

    char command[128];
    snprintf(command, sizeof command, "rm -r %s", root);
    CHECK(system(command) == 0);
    return finish();
}
