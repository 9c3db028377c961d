/* What a file lies on, as far as the kernel reports it. */
#ifndef WEIR_MEDIUM_H
#define WEIR_MEDIUM_H

#include <stdbool.h>

struct weir_medium {
    char file_system[32]; /* ext4, tmpfs, lustre, fuse.sshfs ...; empty: unknown */
    char source[256];     /* what is mounted */
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
    bool found;
    unsigned major_number, minor_number;
    struct weir_medium medium;
};

#define WEIR_MOUNTS_UNREAD                                                                                   \
    { .descriptor = -1 }

/* By the file, or by its directory where it is not there yet. mounts: NULL in a process that is not ours,
 * where a descriptor cannot be kept. */
void weir_medium_of(const char *path, struct weir_mounts *mounts, struct weir_medium *medium);
/* By the directory, without a look at the file; a path that ends in a slash is one. */
void weir_medium_of_directory(const char *path, struct weir_mounts *mounts, struct weir_medium *medium);
/* One line of /proc/self/mountinfo; false where it is another device's. */
bool weir_medium_parse(const char *line, unsigned major_number, unsigned minor_number,
                       struct weir_medium *medium);

#endif
