#include "device.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char blocks[] = "/sys/dev/block";
#define SECTOR_BYTES 512u /* in these files, whatever the device has */

bool weir_device_read_line(const char *path, char *text, int bytes) {
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

bool weir_device_add_part(unsigned major_number, unsigned minor_number, struct weir_device *device) {
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

int weir_device_follow_members(const char *sys, const char *directory, int depth,
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
        bool good = weir_device_read_line(path, number, sizeof number) &&
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
    char path[400], backing[1024];
    snprintf(path, sizeof path, "%.200s/%u:%u/stat", sys, major_number, minor_number);
    if (depth > WEIR_DEVICE_DEEPEST || access(path, R_OK) != 0) {
        return false;
    }
    snprintf(path, sizeof path, "%.200s/%u:%u/loop/backing_file", sys, major_number, minor_number);
    if (weir_device_read_line(path, backing, sizeof backing)) {
        snprintf(path, sizeof path, "%.200s/%u:%u", sys, major_number, minor_number);
        return weir_device_follow_loop(sys, path, backing, depth, device);
    }
    snprintf(path, sizeof path, "%.200s/%u:%u/slaves", sys, major_number, minor_number);
    int members = weir_device_follow_members(sys, path, depth, device);
    return members > 0 || (members == 0 && weir_device_add_part(major_number, minor_number, device));
}

/* reads merges sectors ms writes merges sectors ms ... */
static bool device_add_counters(const char *path, uint64_t *read_bytes, uint64_t *written_bytes) {
    char text[512];
    unsigned long long sectors_read, sectors_written;
    if (!weir_device_read_line(path, text, sizeof text) ||
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

bool weir_device_now(const struct weir_device *device, uint64_t *counts) {
    return weir_device_count(blocks, device, counts);
}

/* Of the directory: a look at the file itself would speed up its first open. */
static bool device_directory(const char *path, char *directory, size_t room) {
    struct stat facts;
    snprintf(directory, room, "%s", path);
    char *slash = strrchr(directory, '/');
    snprintf(slash != NULL ? slash + 1 : directory, 2, ".");
    return stat(directory, &facts) == 0;
}

static void device_name_it(struct weir_device *device) {
    char path[64], target[256];
    snprintf(path, sizeof path, "%s/%u:%u", blocks, device->major_of[0], device->minor_of[0]);
    ssize_t length = readlink(path, target, sizeof target - 1);
    target[length > 0 ? length : 0] = '\0';
    const char *base = strrchr(target, '/');
    int more = device->parts - 1;
    snprintf(device->name, sizeof device->name, more > 0 ? "%.40s and %d more" : "%.40s",
             base != NULL ? base + 1 : path, more);
}

void weir_device_begin(const char *path, const struct weir_medium *medium, struct weir_device *device) {
    char directory[WEIR_MEDIUM_PATH + 2];
    memset(device, 0, sizeof *device);
    device->copies = 1;
    if (!device_directory(path, directory, sizeof directory)) {
        snprintf(device->reason, sizeof device->reason, "the file has no path of the operating system");
        return;
    }
    if (medium->dax) {
        snprintf(device->reason, sizeof device->reason, "DAX goes around the counters of the device");
        return;
    }
    if (weir_device_follow_medium(directory, medium, 0, device) && weir_device_now(device, device->counts)) {
        device_name_it(device);
        return;
    }
    const char *what = medium->file_system[0] != '\0' ? medium->file_system : "this file system";
    if (device->reason[0] == '\0') {
        snprintf(device->reason, sizeof device->reason, "%s shows no device with counters", what);
    }
}

void weir_device_end(struct weir_device *device) {
    uint64_t now[WEIR_DEVICE_COUNTS];
    if (device->name[0] == '\0') {
        return;
    }
    if (!weir_device_now(device, now)) {
        device->name[0] = '\0';
        snprintf(device->reason, sizeof device->reason, "the counters of the device went away");
        return;
    }
    for (int i = 0; i < WEIR_DEVICE_COUNTS; i++) {
        device->counts[i] = now[i] >= device->counts[i] ? now[i] - device->counts[i] : 0;
    }
}
