/* The device behind a file and its own counters: what really reached it, and what others did to it. */
#ifndef WEIR_DEVICE_H
#define WEIR_DEVICE_H

#include "medium.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define WEIR_DEVICE_PARTS 16

enum weir_device_count {
    WEIR_DEVICE_READ,      /* bytes read from the devices that hold the file */
    WEIR_DEVICE_WRITTEN,   /* and written to them */
    WEIR_DEVICE_DISK_READ, /* the same of the whole disks, where those are partitions */
    WEIR_DEVICE_DISK_WRITTEN,
    WEIR_DEVICE_COUNTS
};

struct weir_device {
    char name[64];   /* vda1, the export of NFS, the file system of Lustre; empty: no counters */
    char reason[96]; /* why there are none */
    bool is_nfs, is_lustre;
    int parts; /* disks or partitions: of a RAID or a logical volume those that it consists of */
    unsigned major_of[WEIR_DEVICE_PARTS], minor_of[WEIR_DEVICE_PARTS];
    uint64_t counts[WEIR_DEVICE_COUNTS];
};

/* Find the device of the directory of the file, and read its counters. */
void weir_device_begin(const char *path, const struct weir_medium *medium, struct weir_device *device);
/* The counters as they are now; false where they went away. */
bool weir_device_now(const struct weir_medium *medium, const struct weir_device *device, uint64_t *counts);
/* Turns the counters into what they grew by since the begin. */
void weir_device_end(const struct weir_medium *medium, struct weir_device *device);

/* Whether a device is one (and not the number of a mount), followed down to the disks below it. sys:
 * /sys/dev/block. */
bool weir_device_follow(const char *sys, unsigned major_number, unsigned minor_number, int depth,
                        struct weir_device *device);
/* Sum of the counters of all parts. */
bool weir_device_count(const char *sys, const struct weir_device *device, uint64_t *counts);
/* The counters of one export in the text of /proc/self/mountstats. */
bool weir_device_nfs_parse(FILE *file, const char *source, uint64_t *counts);

#endif
