/* What a file lies on, as far as the kernel reports it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_MEDIUM_PATH 1024
#define WEIR_MEDIUM_TYPE 32

struct weir_medium {
    char file_system[WEIR_MEDIUM_TYPE]; /* ext4, tmpfs, lustre, fuse.sshfs ...; empty: unknown */
    char source[256];                   /* what is mounted */
    /* Directories of another file system that take the bytes, separated by colons: the upper one of an
     * overlay, the source of a FUSE file system where it is a directory; empty: none is known. */
    char lower[WEIR_MEDIUM_PATH];
    char point[WEIR_MEDIUM_PATH]; /* where it is mounted */
    char options[512];            /* of the file system, as far as they fit */
    unsigned minor_number;        /* of the device number of the mount */
    /* It is on a block device and nothing bypasses the kernel's accounting: then read_bytes and
     * write_bytes of /proc/self/io count what it gave and took. They count nothing for tmpfs, FUSE, most
     * network file systems and DAX. */
    bool counted;
    bool dax; /* the processor reaches the bytes without the block layer, whose counters stand still */
};

/* What was found last. The table of mounts is made anew for every reader, most of what the evidence of a
 * short phase costs: it is read again only after the kernel reported a change on a descriptor that stays
 * open. */
struct weir_mounts {
    int descriptor; /* of the table; -1: not opened yet */
    uint64_t mount_id;
    unsigned major_number, minor_number;
    struct weir_medium medium;
};

/* Releases of clang-format differ in the braces of a macro. */
// clang-format off
#define WEIR_MOUNTS_UNREAD {.descriptor = -1}
// clang-format on

/* Puts "." in place of the last part of a path; a name that MPI-IO has a prefix for may be no path. */
void weir_directory_of(const char *path, char *directory, size_t bytes);
/* Looks at the file, or at its directory where it is not there yet. mounts: NULL in a process that is not
 * ours, where a descriptor cannot be kept. */
void weir_medium_of(const char *path, struct weir_mounts *mounts, struct weir_medium *medium);
/* Looks at the directory and not at the file; a path that ends in a slash is one. */
void weir_medium_of_directory(const char *path, struct weir_mounts *mounts, struct weir_medium *medium);
/* Its files are pages of the node's memory. */
bool weir_medium_is_memory(const struct weir_medium *medium);

/* What a line of /proc/self/mountinfo reports; false where it is not one. */
struct weir_mount {
    uint64_t id;
    unsigned major_number;
    char root[WEIR_MEDIUM_PATH]; /* of the mount, in its file system */
    struct weir_medium medium;   /* without counted */
};
bool weir_mount_parse(const char *line, struct weir_mount *mount);
/* Length of the mount point where it is above the path, plus 1; 0 elsewhere. */
size_t weir_mount_above(const struct weir_mount *mount, const char *path);
