/* How often arrays and file systems with mirrors write each byte. */
#include "closing.h"
#include "device.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* How often an array of the md driver writes each byte: a degraded one lacks disks, and one with a backlog
 * (write-behind) does not wait for all. */
struct weir_copies weir_device_array_copies(const char *sys, unsigned major_number, unsigned minor_number) {
    static const char *const names[] = {"level", "raid_disks", "layout", "degraded", "bitmap/backlog"};
    const char *up = weir_device_up(sys, major_number, minor_number);
    char texts[5][32], path[400];
    unsigned disks = 0, layout = 0;
    for (int i = 0; i < 5; i++) {
        snprintf(path, sizeof path, "%.200s/%u:%u%s/md/%s", sys, major_number, minor_number, up, names[i]);
        if (!weir_device_read_line(path, texts[i], sizeof texts[i])) {
            snprintf(texts[i], sizeof texts[i], "unknown");
        }
    }
    if (sscanf(texts[1], "%u", &disks) != 1 || sscanf(texts[2], "%u", &layout) != 1) {
        return (struct weir_copies){1, 1};
    }
    unsigned near_by = layout & 0xff, far_away = layout >> 8 & 0xff; /* as md(4) has the layout of RAID 10 */
    uint64_t most = strcmp(texts[0], "raid1") == 0    ? disks
                    : strcmp(texts[0], "raid10") == 0 ? (uint64_t)near_by * far_away
                                                      : 1;
    most = most > 0 ? most : 1;
    bool waits =
        strcmp(texts[3], "0") == 0 && (strcmp(texts[4], "0") == 0 || strcmp(texts[4], "unknown") == 0);
    return (struct weir_copies){waits ? most : 1, most};
}

/* A btrfs that is mounted without one of its devices writes to the others alone. */
static bool copies_lack_device(const char *directory) {
    char path[600], text[32];
    snprintf(path, sizeof path, "%.400s/devinfo", directory);
    WEIR_DIR *devices = opendir(path);
    bool lacks = devices == NULL;
    for (struct dirent *entry; !lacks && (entry = readdir(devices)) != NULL;) {
        if (entry->d_name[0] != '.') {
            snprintf(path, sizeof path, "%.300s/devinfo/%.200s/missing", directory, entry->d_name);
            lacks = !weir_device_read_line(path, text, sizeof text) || strcmp(text, "0") != 0;
        }
    }
    return lacks;
}

/* How often a btrfs, by its directory in /sys, writes each byte of a file: by the profiles of its data. */
struct weir_copies weir_device_btrfs_copies(const char *directory) {
    static const struct {
        const char *profile;
        uint64_t copies;
    } known[] = {{"raid1c4", 4}, {"raid1c3", 3}, {"raid1", 2}, {"raid10", 2}, {"dup", 2},
                 {"single", 1},  {"raid0", 1},   {"raid5", 1}, {"raid6", 1}};
    struct weir_copies copies = {0, 0};
    char path[600];
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++) {
        snprintf(path, sizeof path, "%.400s/allocation/data/%s", directory, known[i].profile);
        if (access(path, F_OK) == 0) {
            copies.most = copies.most > known[i].copies ? copies.most : known[i].copies;
            copies.least = known[i].copies; /* from the most on */
        }
    }
    if (copies.most == 0) {
        return (struct weir_copies){1, 1};
    }
    return (struct weir_copies){copies_lack_device(directory) ? 1 : copies.least, copies.most};
}
