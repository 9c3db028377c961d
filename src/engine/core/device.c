#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char blocks[] = "/sys/dev/block";
#define SECTOR_BYTES 512u /* in these files, whatever the device has */

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

/* The last but one of 17 numbers, since Linux 5.5. */
static bool device_add_flushes(const char *path, uint64_t *flushes) {
    char text[512], *kept;
    if (!weir_device_read_line(path, text, sizeof text)) {
        return false;
    }
    int field = 0;
    unsigned long long count = 0;
    for (char *word = strtok_r(text, " \n", &kept); word != NULL; word = strtok_r(NULL, " \n", &kept)) {
        count = ++field == 16 ? strtoull(word, NULL, 10) : count;
    }
    *flushes += count;
    return field >= 17;
}

/* A disk without a cache of its own, or one that the system has as such, is not flushed. */
static bool device_has_cache(const char *sys, unsigned major_number, unsigned minor_number) {
    char directory[400], text[64];
    return weir_device_read_file(sys, major_number, minor_number, "queue/write_cache", directory, text,
                                 sizeof text) &&
           strncmp(text, "write back", 10) == 0;
}

/* Fast disks are often told not to count (queue/iostats): their counters stand still whatever they move. */
static bool device_counts_nothing(const char *sys, unsigned major_number, unsigned minor_number) {
    char directory[400], text[64];
    return weir_device_read_file(sys, major_number, minor_number, "queue/iostats", directory, text,
                                 sizeof text) &&
           strcmp(text, "0") == 0;
}

void weir_device_unknown(const char *sys, struct weir_device *device, const char *otherwise) {
    char name[128];
    for (int i = 0; i < device->parts && device->reason[0] == '\0'; i++) {
        unsigned major_number = device->major_of[i], minor_number = device->minor_of[i];
        if (device_counts_nothing(sys, major_number, minor_number)) {
            snprintf(name, sizeof name, "%u:%u", major_number, minor_number);
            weir_device_kernel_name(sys, major_number, minor_number, name, sizeof name);
            snprintf(device->reason, sizeof device->reason,
                     "%.32s counts nothing of what it moves (queue/iostats is 0)", name);
        }
    }
    if (device->reason[0] == '\0') {
        snprintf(device->reason, sizeof device->reason, "%s", otherwise);
    }
}

static bool device_counts_flushes(const struct weir_device *device) {
    char path[64];
    uint64_t flushes = 0;
    bool all = device->parts > 0;
    for (int i = 0; all && i < device->parts; i++) {
        snprintf(path, sizeof path, "%s/%u:%u/stat", blocks, device->major_of[i], device->minor_of[i]);
        all = device_has_cache(blocks, device->major_of[i], device->minor_of[i]) &&
              device_add_flushes(path, &flushes);
    }
    return all;
}

bool weir_device_count(const char *sys, const struct weir_device *device, uint64_t *counts) {
    char path[400];
    memset(counts, 0, WEIR_DEVICE_COUNTS * sizeof *counts);
    for (int i = 0; i < device->parts; i++) {
        unsigned major_number = device->major_of[i], minor_number = device->minor_of[i];
        if (device_counts_nothing(sys, major_number, minor_number)) {
            return false;
        }
        snprintf(path, sizeof path, "%.200s/%u:%u/stat", sys, major_number, minor_number);
        if (!device_add_counters(path, &counts[WEIR_DEVICE_READ], &counts[WEIR_DEVICE_WRITTEN])) {
            return false;
        }
        /* The directory above a partition is its disk; two partitions of one disk count it twice. */
        snprintf(path, sizeof path, "%.200s/%u:%u%s/stat", sys, major_number, minor_number,
                 weir_device_up(sys, major_number, minor_number));
        if (!device_add_counters(path, &counts[WEIR_DEVICE_DISK_READ], &counts[WEIR_DEVICE_DISK_WRITTEN])) {
            return false;
        }
        device_add_flushes(path, &counts[WEIR_DEVICE_FLUSHES]);
    }
    return device->parts > 0;
}

bool weir_device_now(const struct weir_device *device, uint64_t *counts) {
    return weir_device_count(blocks, device, counts);
}

void weir_device_clear(struct weir_device *device) {
    memset(device, 0, sizeof *device);
    device->copies = device->mirrors_least = device->mirrors_most = 1;
}

static void device_name_it(struct weir_device *device) {
    char first[128];
    int more = device->parts - 1;
    if (!weir_device_kernel_name(blocks, device->major_of[0], device->minor_of[0], first, sizeof first)) {
        snprintf(first, sizeof first, "%s/%u:%u", blocks, device->major_of[0], device->minor_of[0]);
    }
    int named =
        snprintf(device->name, sizeof device->name, more > 0 ? "%.32s and %d more" : "%.32s", first, more);
    /* weir/audit/subject.py reads it. */
    snprintf(device->name + named, sizeof device->name - (size_t)named, "%s",
             device->in_memory ? " in memory" : "");
}

void weir_device_begin(const char *path, const struct weir_medium *medium, struct weir_device *device) {
    char directory[WEIR_MEDIUM_PATH + 2];
    struct stat facts;
    weir_device_clear(device);
    /* A look at the file itself would speed up its first open. */
    weir_directory_of(path, directory, sizeof directory);
    if (stat(directory, &facts) != 0) {
        snprintf(device->reason, sizeof device->reason, "the file has no path of the operating system");
        return;
    }
    if (medium->dax) {
        snprintf(device->reason, sizeof device->reason, "DAX goes around the counters of the device");
        return;
    }
    if (weir_device_follow_medium(directory, medium, 0, device) && weir_device_now(device, device->counts)) {
        device_name_it(device);
        weir_device_read_kernel(device->kernel);
        device->counts_flushes = device_counts_flushes(device);
        return;
    }
    char none[sizeof device->reason];
    const char *what = medium->file_system[0] != '\0' ? medium->file_system : "this file system";
    snprintf(none, sizeof none, "%.60s shows no device with counters", what);
    weir_device_unknown(blocks, device, none);
}

void weir_device_begin_block(unsigned major_number, unsigned minor_number, struct weir_device *device) {
    weir_device_clear(device);
    if (weir_device_follow(blocks, major_number, minor_number, 0, device) &&
        weir_device_now(device, device->counts)) {
        device_name_it(device);
        weir_device_read_kernel(device->kernel);
    } else {
        weir_device_unknown(blocks, device, "the device has no counters");
    }
}

void weir_device_end(struct weir_device *device) {
    uint64_t now[WEIR_DEVICE_COUNTS];
    if (device->name[0] == '\0') {
        return;
    }
    if (!weir_device_now(device, now)) {
        device->name[0] = '\0';
        weir_device_unknown(blocks, device, "the counters of the device went away");
        return;
    }
    memcpy(device->before, device->counts, sizeof device->before);
    for (int i = 0; i < WEIR_DEVICE_COUNTS; i++) {
        device->counts[i] = now[i] >= device->counts[i] ? now[i] - device->counts[i] : 0;
    }
}
