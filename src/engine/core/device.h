/* The device behind a file and its own counters: what really reached it, and what others did to it. */
#pragma once

#include "medium.h"

#include <stdbool.h>
#include <stdint.h>

#define WEIR_DEVICE_PARTS 16

enum weir_device_count {
    WEIR_DEVICE_READ,      /* bytes read from the devices that hold the file */
    WEIR_DEVICE_WRITTEN,   /* and written to them */
    WEIR_DEVICE_DISK_READ, /* the same of the whole disks, where those are partitions */
    WEIR_DEVICE_DISK_WRITTEN,
    WEIR_DEVICE_FLUSHES, /* of the caches of the whole disks, that ended */
    WEIR_DEVICE_COUNTS
};

struct weir_device {
    char name[64];    /* vda1, sda and 3 more, loop0 in memory; empty: no counters */
    char reason[160]; /* why there are none */
    uint64_t copies;  /* of each byte that is written, by a journal of data and by mirrors */
    uint64_t mirrors_least,
        mirrors_most;    /* of these, those that a synchronisation waits for; a degraded mirror
                          * has fewer than its disks, and several profiles have several */
    int parts;           /* disks or partitions: of a RAID or a logical volume those that it consists of */
    bool counts_flushes; /* each of its disks has a cache that is flushed, and the kernel counts that */
    bool in_memory;      /* one of them is memory of the node, or a loop over a file there */
    unsigned major_of[WEIR_DEVICE_PARTS], minor_of[WEIR_DEVICE_PARTS];
    uint64_t counts[WEIR_DEVICE_COUNTS];
    uint64_t before[WEIR_DEVICE_COUNTS]; /* once ended: what they were at the begin */
    char kernel[40];                     /* that reads them, by its boot; empty: unknown */
};

/* Find the device of the directory of the file, and read its counters. */
void weir_device_begin(const char *path, const struct weir_medium *medium, struct weir_device *device);
/* The same of a block device itself. */
void weir_device_begin_block(unsigned major_number, unsigned minor_number, struct weir_device *device);
/* The counters as they are now; false where they went away. */
bool weir_device_now(const struct weir_device *device, uint64_t *counts);
/* Turns the counters into what they grew by since the begin. */
void weir_device_end(struct weir_device *device);
/* The ended devices of all nodes as one, by the first node's name. Virtual nodes and containers may share a
 * kernel: its count of one device is of all of them, from the first begin to the last end. Sorts the nodes.
 */
void weir_device_join(struct weir_device *nodes, int count, struct weir_device *all);
/* The boot of this node's kernel, by its boot_id or its time; empty: unknown. */
void weir_device_read_kernel(char kernel[40]);

/* Whether a device is one (and not the number of a mount), followed down to the disks below it. sys:
 * /sys/dev/block. False, too, where what is below it cannot be told: then nothing is counted. */
bool weir_device_follow(const char *sys, unsigned major_number, unsigned minor_number, int depth,
                        struct weir_device *device);
/* The disks below a directory of the medium, whatever file systems are stacked there (device_below.c). */
bool weir_device_follow_medium(const char *directory, const struct weir_medium *medium, int depth,
                               struct weir_device *device);
/* How often each byte is written: by at least so many mirrors, and by at most. */
struct weir_copies {
    uint64_t least, most;
};

struct weir_copies weir_device_array_copies(const char *sys, unsigned major_number, unsigned minor_number);
/* The btrfs has this directory in /sys. */
struct weir_copies weir_device_btrfs_copies(const char *directory);
/* The last part of a path. */
const char *weir_device_last(const char *path);
/* The way from the directory of a partition to that of its disk. */
const char *weir_device_up(const char *sys, unsigned major_number, unsigned minor_number);
/* Nothing is known yet: each byte is written once. */
void weir_device_clear(struct weir_device *device);
/* dm-0, whatever the device is called elsewhere; false where there is no such device. */
bool weir_device_kernel_name(const char *sys, unsigned major_number, unsigned minor_number, char *name,
                             size_t room);
bool weir_device_read_line(const char *path, char *text, int bytes);
/* Reads a file of the device, or of the disk that it is a partition of, and tells the directory of that. */
bool weir_device_read_file(const char *sys, unsigned major_number, unsigned minor_number, const char *file,
                           char directory[400], char *text, int room);
/* Sum of the counters of all parts; false where one of them has none, or was told not to count. */
bool weir_device_count(const char *sys, const struct weir_device *device, uint64_t *counts);
/* Keeps why the device is unknown: the first reason that was found, a disk that does not count, or the other
 * one.
 */
void weir_device_unknown(const char *sys, struct weir_device *device, const char *otherwise);
