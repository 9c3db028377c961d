#include "device.h"

#include "llite.h"
#include "osc.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static const char blocks[] = "/sys/dev/block";
#define SECTOR_BYTES 512u /* in these files, whatever the device has */
#define DEEPEST      8

static bool device_read_line(const char *path, char *text, int bytes) {
    FILE *file = fopen(path, "re");
    bool good = file != NULL && fgets(text, bytes, file) != NULL;
    if (file != NULL) {
        fclose(file);
    }
    if (good) {
        text[strcspn(text, "\n")] = '\0';
    }
    return good;
}

static bool device_add_part(unsigned major_number, unsigned minor_number, struct weir_device *device) {
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

/* Members of a RAID or of a logical volume; 0 where it has none, -1 where one cannot be followed. */
static int device_follow_members(const char *sys, const char *directory, int depth,
                                 struct weir_device *device) {
    char path[600], number[32];
    unsigned member_major, member_minor;
    int found = 0;
    DIR *members = opendir(directory);
    for (struct dirent *entry; members != NULL && found >= 0 && (entry = readdir(members)) != NULL;) {
        if (entry->d_name[0] == '.') {
            continue;
        }
        snprintf(path, sizeof path, "%.300s/%.200s/dev", directory, entry->d_name);
        bool good = device_read_line(path, number, sizeof number) &&
                    sscanf(number, "%u:%u", &member_major, &member_minor) == 2 &&
                    weir_device_follow(sys, member_major, member_minor, depth + 1, device);
        found = good ? found + 1 : -1;
    }
    if (members != NULL) {
        closedir(members);
    }
    return found;
}

bool weir_device_follow(const char *sys, unsigned major_number, unsigned minor_number, int depth,
                        struct weir_device *device) {
    char path[400], backing[256];
    struct stat facts;
    snprintf(path, sizeof path, "%.200s/%u:%u/stat", sys, major_number, minor_number);
    if (depth > DEEPEST || access(path, R_OK) != 0) {
        return false;
    }
    snprintf(path, sizeof path, "%.200s/%u:%u/loop/backing_file", sys, major_number, minor_number);
    if (device_read_line(path, backing, sizeof backing) && stat(backing, &facts) == 0 &&
        weir_device_follow(sys, major(facts.st_dev), minor(facts.st_dev), depth + 1, device)) {
        return true;
    }
    snprintf(path, sizeof path, "%.200s/%u:%u/slaves", sys, major_number, minor_number);
    int members = device_follow_members(sys, path, depth, device);
    return members > 0 || (members == 0 && device_add_part(major_number, minor_number, device));
}

/* reads merges sectors ms writes merges sectors ms ... */
static bool device_add_counters(const char *path, uint64_t *read_bytes, uint64_t *written_bytes) {
    char text[512];
    unsigned long long sectors_read, sectors_written;
    if (!device_read_line(path, text, sizeof text) ||
        sscanf(text, "%*u %*u %llu %*u %*u %*u %llu", &sectors_read, &sectors_written) != 2) {
        return false;
    }
    *read_bytes += sectors_read * SECTOR_BYTES;
    *written_bytes += sectors_written * SECTOR_BYTES;
    return true;
}

bool weir_device_count(const char *sys, const struct weir_device *device, uint64_t *counts) {
    char path[400];
    memset(counts, 0, WEIR_DEVICE_COUNTS * sizeof *counts);
    for (int i = 0; i < device->parts; i++) {
        unsigned major_number = device->major_of[i], minor_number = device->minor_of[i];
        snprintf(path, sizeof path, "%.200s/%u:%u/stat", sys, major_number, minor_number);
        if (!device_add_counters(path, &counts[WEIR_DEVICE_READ], &counts[WEIR_DEVICE_WRITTEN])) {
            return false;
        }
        /* The directory above a partition is its disk; two partitions of one disk count it twice. */
        snprintf(path, sizeof path, "%.200s/%u:%u/partition", sys, major_number, minor_number);
        bool is_partition = access(path, F_OK) == 0;
        snprintf(path, sizeof path, "%.200s/%u:%u/%sstat", sys, major_number, minor_number,
                 is_partition ? "../" : "");
        if (!device_add_counters(path, &counts[WEIR_DEVICE_DISK_READ], &counts[WEIR_DEVICE_DISK_WRITTEN])) {
            return false;
        }
    }
    return device->parts > 0;
}

bool weir_device_nfs_parse(FILE *file, const char *source, uint64_t *counts) {
    char line[1024], device[512];
    unsigned long long fetched, stored;
    bool here = false;
    while (fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "device %511s mounted on", device) == 1) {
            here = strcmp(device, source) == 0 && strstr(line, " with fstype nfs") != NULL;
        } else if (here && sscanf(line, " bytes: %*u %*u %*u %*u %llu %llu", &fetched, &stored) == 2) {
            counts[WEIR_DEVICE_READ] = counts[WEIR_DEVICE_DISK_READ] = fetched;
            counts[WEIR_DEVICE_WRITTEN] = counts[WEIR_DEVICE_DISK_WRITTEN] = stored;
            return true;
        }
    }
    return false;
}

static bool device_count_lustre(const struct weir_medium *medium, uint64_t *counts) {
    char name[64];
    const char *root;
    int targets = 0;
    weir_lustre_name(medium->source, name);
    for (int i = 0; targets == 0 && (root = weir_lustre_root(i)) != NULL; i++) {
        targets = weir_osc_count(root, name, &counts[WEIR_DEVICE_READ], &counts[WEIR_DEVICE_WRITTEN]);
    }
    counts[WEIR_DEVICE_DISK_READ] = counts[WEIR_DEVICE_READ];
    counts[WEIR_DEVICE_DISK_WRITTEN] = counts[WEIR_DEVICE_WRITTEN];
    return targets > 0;
}

bool weir_device_now(const struct weir_medium *medium, const struct weir_device *device, uint64_t *counts) {
    if (device->is_lustre) {
        return device_count_lustre(medium, counts);
    }
    if (!device->is_nfs) {
        return weir_device_count(blocks, device, counts);
    }
    FILE *file = fopen("/proc/self/mountstats", "re");
    bool good = file != NULL && weir_device_nfs_parse(file, medium->source, counts);
    if (file != NULL) {
        fclose(file);
    }
    return good;
}

/* The number of the mount is not that of a device: btrfs lists its devices, others have one as their source.
 */
static bool device_find_by_source(const struct weir_medium *medium, struct weir_device *device) {
    char path[600];
    struct stat facts;
    const char *base = strrchr(medium->source, '/');
    if (medium->source[0] != '/' || stat(medium->source, &facts) != 0 || !S_ISBLK(facts.st_mode)) {
        return false;
    }
    DIR *systems = strcmp(medium->file_system, "btrfs") == 0 ? opendir("/sys/fs/btrfs") : NULL;
    int members = 0;
    for (struct dirent *entry; systems != NULL && members == 0 && (entry = readdir(systems)) != NULL;) {
        snprintf(path, sizeof path, "/sys/fs/btrfs/%.200s/devices/%.200s", entry->d_name, base + 1);
        if (entry->d_name[0] != '.' && access(path, F_OK) == 0) {
            snprintf(path, sizeof path, "/sys/fs/btrfs/%.200s/devices", entry->d_name);
            members = device_follow_members(blocks, path, 0, device);
        }
    }
    if (systems != NULL) {
        closedir(systems);
    }
    return members > 0 || (members == 0 &&
                           weir_device_follow(blocks, major(facts.st_rdev), minor(facts.st_rdev), 0, device));
}

/* Of the directory: a look at the file itself would speed up its first open. */
static bool device_number(const char *path, struct stat *facts) {
    char directory[1024];
    snprintf(directory, sizeof directory, "%s", path);
    char *slash = strrchr(directory, '/');
    snprintf(slash != NULL ? slash + 1 : directory, 2, ".");
    return stat(directory, facts) == 0;
}

static void device_name_it(const struct weir_medium *medium, struct weir_device *device) {
    char path[64], target[256];
    if (device->is_nfs || device->is_lustre) {
        snprintf(device->name, sizeof device->name, "%.60s", medium->source);
        return;
    }
    snprintf(path, sizeof path, "%s/%u:%u", blocks, device->major_of[0], device->minor_of[0]);
    ssize_t length = readlink(path, target, sizeof target - 1);
    target[length > 0 ? length : 0] = '\0';
    const char *base = strrchr(target, '/');
    int more = device->parts - 1;
    snprintf(device->name, sizeof device->name, more > 0 ? "%.40s and %d more" : "%.40s",
             base != NULL ? base + 1 : path, more);
}

void weir_device_begin(const char *path, const struct weir_medium *medium, struct weir_device *device) {
    struct stat facts;
    memset(device, 0, sizeof *device);
    if (!device_number(path, &facts)) {
        snprintf(device->reason, sizeof device->reason, "the file has no path of the operating system");
        return;
    }
    if (medium->dax) {
        snprintf(device->reason, sizeof device->reason, "DAX goes around the counters of the device");
        return;
    }
    device->is_nfs = strncmp(medium->file_system, "nfs", 3) == 0;
    device->is_lustre = strcmp(medium->file_system, "lustre") == 0;
    bool found = device->is_nfs || device->is_lustre ||
                 (major(facts.st_dev) != 0
                      ? weir_device_follow(blocks, major(facts.st_dev), minor(facts.st_dev), 0, device)
                      : device_find_by_source(medium, device));
    if (found && weir_device_now(medium, device, device->counts)) {
        device_name_it(medium, device);
        return;
    }
    const char *what = medium->file_system[0] != '\0' ? medium->file_system : "this file system";
    snprintf(device->reason, sizeof device->reason, "%s shows no device with counters", what);
}

void weir_device_end(const struct weir_medium *medium, struct weir_device *device) {
    uint64_t now[WEIR_DEVICE_COUNTS];
    if (device->name[0] == '\0') {
        return;
    }
    if (!weir_device_now(medium, device, now)) {
        device->name[0] = '\0';
        snprintf(device->reason, sizeof device->reason, "the counters of the device went away");
        return;
    }
    for (int i = 0; i < WEIR_DEVICE_COUNTS; i++) {
        device->counts[i] = now[i] >= device->counts[i] ? now[i] - device->counts[i] : 0;
    }
}
