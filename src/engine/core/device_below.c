/* From a directory down to the disks that hold its bytes, through stacked file systems, loop devices and the
 * members of btrfs. What cannot be followed to its end is unknown: half of the disks would prove nothing. */
#include "closing.h"
#include "device.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static const char blocks[] = "/sys/dev/block";
#define SECTOR_BYTES 512u
#define DEEPEST      8

static bool below_add_part(unsigned major_number, unsigned minor_number, struct weir_device *device) {
    for (int i = 0; i < device->parts; i++) {
        if (device->major_of[i] == major_number && device->minor_of[i] == minor_number) {
            return true;
        }
    }
    if (device->parts == WEIR_DEVICE_PARTS) {
        return false;
    }
    device->major_of[device->parts] = major_number;
    device->minor_of[device->parts++] = minor_number;
    return true;
}

static void below_multiply(struct weir_device *device, struct weir_copies copies) {
    device->copies *= copies.most;
    device->mirrors_least *= copies.least;
    device->mirrors_most *= copies.most;
}

/* Members share the bytes: the copies of one are of all, and they may differ. */
static void below_take_member(struct weir_device *all, const struct weir_device *member, bool is_first) {
    if (is_first || member->copies > all->copies) {
        all->copies = member->copies;
    }
    if (is_first || member->mirrors_least < all->mirrors_least) {
        all->mirrors_least = member->mirrors_least;
    }
    if (is_first || member->mirrors_most > all->mirrors_most) {
        all->mirrors_most = member->mirrors_most;
    }
}

/* The devices that a directory of /sys lists; 0 where it lists none, -1 where one cannot be followed. */
static int below_members(const char *sys, const char *directory, int depth, struct weir_device *device) {
    char path[600], number[32];
    unsigned member_major, member_minor;
    int found = 0;
    const struct weir_device above = *device;
    struct weir_device joined = above;
    WEIR_DIR *members = opendir(directory);
    for (struct dirent *entry; members != NULL && found >= 0 && (entry = readdir(members)) != NULL;) {
        if (entry->d_name[0] == '.') {
            continue;
        }
        snprintf(path, sizeof path, "%.300s/%.200s/dev", directory, entry->d_name);
        below_take_member(device, &above, true);
        bool good = weir_device_read_line(path, number, sizeof number) &&
                    sscanf(number, "%u:%u", &member_major, &member_minor) == 2 &&
                    weir_device_follow(sys, member_major, member_minor, depth + 1, device);
        below_take_member(&joined, device, found == 0);
        found = good ? found + 1 : -1;
    }
    below_take_member(device, &joined, true);
    return found;
}

/* The kernel's own disks of memory, and those that drivers of tests and of targets make of it; as
 * weir/measure/machine/devices.py has them. */
static bool below_is_memory(const char *sys, unsigned major_number, unsigned minor_number) {
    static const char *const names[] = {"zram", "ram", "nullb"}, *const models[] = {"scsi_debug",
                                                                                    "RAMDISK-MCP"};
    char path[400], text[512], name[128] = "";
    weir_device_kernel_name(sys, major_number, minor_number, name, sizeof name);
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t size = strlen(names[i]);
        if (strncmp(name, names[i], size) == 0 && name[size] >= '0' && name[size] <= '9') {
            return true;
        }
    }
    snprintf(path, sizeof path, "%.200s/%u:%u%s/device/model", sys, major_number, minor_number,
             weir_device_up(sys, major_number, minor_number));
    bool known = weir_device_read_line(path, text, sizeof text);
    for (unsigned i = 0; known && i < sizeof models / sizeof models[0]; i++) {
        if (strncmp(text, models[i], strlen(models[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* The first reason is that of the lowest device. */
static bool below_unknown(struct weir_device *device, const char *what, const char *below) {
    if (device->reason[0] == '\0') {
        snprintf(device->reason, sizeof device->reason, "what is below %.30s (%.90s) is unknown", what,
                 below);
    }
    return false;
}

/* A process serves it (nbd), which alone knows where it keeps the bytes: it may be in its memory. */
static bool below_is_served(const char *sys, unsigned major_number, unsigned minor_number,
                            struct weir_device *device) {
    char directory[400], number[32], name[64], process[64];
    if (!weir_device_read_file(sys, major_number, minor_number, "pid", directory, number, sizeof number)) {
        return false;
    }
    snprintf(name, sizeof name, "device %u:%u", major_number, minor_number);
    snprintf(process, sizeof process, "served by process %.31s", number);
    below_unknown(device, name, process);
    return true;
}

/* The device mapper needs no device below it: its targets zero and error have none. */
static bool below_is_mapping(const char *sys, unsigned major_number, unsigned minor_number) {
    char path[400];
    snprintf(path, sizeof path, "%.200s/%u:%u/dm/name", sys, major_number, minor_number);
    return access(path, F_OK) == 0;
}

static bool below_kernel_name(dev_t number, char *name, size_t room) {
    return weir_device_kernel_name(blocks, major(number), minor(number), name, room);
}

/* A path of another root or namespace may name another file here: its size gives that away. */
static bool below_is_file_of_loop(const char *directory, off_t file_bytes) {
    static const char *const names[] = {"size", "loop/offset", "loop/sizelimit"};
    unsigned long long values[3];
    char path[600], text[64];
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, names[i]);
        if (!weir_device_read_line(path, text, sizeof text) || sscanf(text, "%llu", &values[i]) != 1) {
            return false;
        }
    }
    unsigned long long end = values[0] * SECTOR_BYTES + values[1], bytes = (unsigned long long)file_bytes;
    return end <= bytes && (values[2] != 0 || bytes - end < SECTOR_BYTES);
}

/* The disks below the file of a loop device, whose directory in /sys is given. */
static bool below_loop(const char *sys, const char *directory, const char *backing, int depth,
                       struct weir_device *device) {
    struct stat facts;
    struct weir_medium medium;
    unsigned major_number = 0, minor_number = 0;
    char name[128] = "a loop device", folder[1024], number[32];
    snprintf(folder, sizeof folder, "%.900s/dev", directory);
    bool numbered = weir_device_read_line(folder, number, sizeof number) ||
                    snprintf(number, sizeof number, "%.31s", weir_device_last(directory)) > 0;
    if (numbered && sscanf(number, "%u:%u", &major_number, &minor_number) == 2) {
        snprintf(name, sizeof name, "loop %s", number);
        below_kernel_name(makedev(major_number, minor_number), name, sizeof name);
    }
    if (stat(backing, &facts) == 0 && S_ISBLK(facts.st_mode)) {
        return weir_device_follow(sys, major(facts.st_rdev), minor(facts.st_rdev), depth + 1, device);
    }
    if (stat(backing, &facts) != 0 || !below_is_file_of_loop(directory, facts.st_size)) {
        return below_unknown(device, name, backing);
    }
    weir_medium_of(backing, NULL, &medium);
    if (weir_medium_is_memory(&medium)) {
        device->in_memory = true;
        return below_add_part(major_number, minor_number, device);
    }
    weir_directory_of(backing, folder, sizeof folder);
    return weir_device_follow_medium(folder, &medium, depth + 1, device) ||
           below_unknown(device, name, backing);
}

bool weir_device_follow(const char *sys, unsigned major_number, unsigned minor_number, int depth,
                        struct weir_device *device) {
    char path[400], backing[1024];
    snprintf(path, sizeof path, "%.200s/%u:%u/stat", sys, major_number, minor_number);
    if (depth > DEEPEST || access(path, R_OK) != 0) {
        return false;
    }
    if (weir_device_read_file(sys, major_number, minor_number, "loop/backing_file", path, backing,
                              sizeof backing)) {
        return below_loop(sys, path, backing, depth, device);
    }
    if (below_is_served(sys, major_number, minor_number, device)) {
        return false;
    }
    below_multiply(device, weir_device_array_copies(sys, major_number, minor_number));
    snprintf(path, sizeof path, "%.200s/%u:%u%s/slaves", sys, major_number, minor_number,
             weir_device_up(sys, major_number, minor_number));
    int members = below_members(sys, path, depth, device);
    if (members == 0 && below_is_mapping(sys, major_number, minor_number)) {
        return below_unknown(device, "a mapping", "of no device");
    }
    device->in_memory |= members == 0 && below_is_memory(sys, major_number, minor_number);
    return members > 0 || (members == 0 && below_add_part(major_number, minor_number, device));
}

/* ext4 writes the data to its journal first where it was mounted or made so. */
static bool below_journals_data(dev_t number) {
    char name[128], path[256], line[128];
    bool found = false;
    if (!below_kernel_name(number, name, sizeof name)) {
        return false;
    }
    snprintf(path, sizeof path, "/proc/fs/ext4/%s/options", name);
    WEIR_FILE *options = fopen(path, "re");
    while (options != NULL && !found && fgets(line, sizeof line, options) != NULL) {
        found = strcmp(line, "data=journal\n") == 0;
    }
    return found;
}

/* All devices of the btrfs that has one of this name; 0: none of them has. */
static int below_btrfs(const char *name, int depth, struct weir_device *device) {
    char path[600];
    int members = 0;
    WEIR_DIR *systems = opendir("/sys/fs/btrfs");
    for (struct dirent *entry; systems != NULL && members == 0 && (entry = readdir(systems)) != NULL;) {
        snprintf(path, sizeof path, "/sys/fs/btrfs/%.200s/devices/%.200s", entry->d_name, name);
        if (entry->d_name[0] != '.' && access(path, F_OK) == 0) {
            snprintf(path, sizeof path, "/sys/fs/btrfs/%.200s/devices", entry->d_name);
            members = below_members(blocks, path, depth, device);
            snprintf(path, sizeof path, "/sys/fs/btrfs/%.200s", entry->d_name);
            below_multiply(device, weir_device_btrfs_copies(path));
        }
    }
    return members;
}

/* The number of the mount is not that of a device, but its source is one. */
static bool below_source(const struct weir_medium *medium, int depth, struct weir_device *device) {
    struct stat facts;
    char name[256];
    if (medium->source[0] != '/' || stat(medium->source, &facts) != 0 || !S_ISBLK(facts.st_mode)) {
        return false;
    }
    int members = 0;
    if (strcmp(medium->file_system, "btrfs") == 0 && below_kernel_name(facts.st_rdev, name, sizeof name)) {
        members = below_btrfs(name, depth, device);
    }
    return members > 0 || (members == 0 && weir_device_follow(blocks, major(facts.st_rdev),
                                                              minor(facts.st_rdev), depth, device));
}

/* Directories of other file systems that take the bytes. */
static bool below_directories(const struct weir_medium *medium, int depth, struct weir_device *device) {
    char list[WEIR_MEDIUM_PATH], *rest = list;
    const struct weir_device above = *device;
    struct weir_device joined = above;
    bool is_first = true;
    snprintf(list, sizeof list, "%s", medium->lower);
    for (char *one = strtok_r(list, ":", &rest); one != NULL; one = strtok_r(NULL, ":", &rest)) {
        char directory[WEIR_MEDIUM_PATH + 1];
        struct stat facts;
        struct weir_medium lower;
        snprintf(directory, sizeof directory, "%s/", one);
        bool there = one[0] == '/' && stat(directory, &facts) == 0;
        if (there) {
            weir_medium_of_directory(directory, NULL, &lower);
        }
        below_take_member(device, &above, true);
        if (!there || weir_medium_is_memory(&lower) ||
            !weir_device_follow_medium(directory, &lower, depth + 1, device)) {
            return below_unknown(device, medium->file_system, one);
        }
        below_take_member(&joined, device, is_first);
        is_first = false;
    }
    below_take_member(device, &joined, true);
    return device->parts > 0;
}

bool weir_device_follow_medium(const char *directory, const struct weir_medium *medium, int depth,
                               struct weir_device *device) {
    struct stat facts;
    if (depth > DEEPEST || medium->dax || stat(directory, &facts) != 0) {
        return false;
    }
    if (major(facts.st_dev) != 0) {
        device->copies *= below_journals_data(facts.st_dev) ? 2 : 1;
        return weir_device_follow(blocks, major(facts.st_dev), minor(facts.st_dev), depth, device);
    }
    struct stat source;
    bool is_stacked =
        medium->lower[0] != '\0' && (stat(medium->source, &source) != 0 || !S_ISBLK(source.st_mode));
    return is_stacked ? below_directories(medium, depth, device) : below_source(medium, depth, device);
}
