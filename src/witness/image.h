/* What a process counts, as a file holds it while the process lives: pages of both are the same memory, so
 * that the counts of one that is killed can be read after it (`weir prove`). Calls pay nothing for it. */
#pragma once

#include "accounts.h"

#define IMAGE_SUFFIX      ".image"
#define IMAGE_CHAIN_BYTES 16384
#define IMAGE_LAYOUT      ((uint64_t)sizeof(struct image) << 32 | sizeof(struct account))

/* For pages of any size that kernels have. */
struct __attribute__((aligned(65536))) image {
    uint64_t layout; /* of this struct; 0: not written yet */
    bool lacks;      /* a part of it found no room in the file */
    long pid;
    int rank;
    char host[256], program[256], kernel[40];
    bool is_started;    /* below the process that WEIR_WITNESS_STARTER names */
    bool is_waited_for; /* by whoever started it */
    bool answers_syncs;
    struct weir_control_group group; /* when the first account began */
    /* What was moved on descriptors that no account has, and queues of io_uring. */
    _Atomic uint64_t elsewhere_read_bytes, elsewhere_written_bytes, rings;
    /* Bytes of Linux AIO and splice, which the kernel does not count as read and written. */
    _Atomic uint64_t uncounted_read_bytes, uncounted_written_bytes;
    _Atomic unsigned used; /* of accounts */
    _Atomic size_t sample_used;
    char chain[IMAGE_CHAIN_BYTES]; /* as chain_write has it, when the first account began */
    unsigned char sample[WITNESS_SAMPLE_BYTES];
    struct account accounts[ACCOUNTS];
};

#pragma GCC visibility push(hidden)
extern struct image image;
#pragma GCC visibility pop

/* image.c */
void image_begin(void); /* of the process: its reports have a name from now on */
/* Part of the image goes to the file; before it is used, for its pages are exchanged. */
void image_share(const void *part, size_t bytes);
void image_in_child(void); /* of fork, and where an exec failed after the report: another name and file */
/* The report's path, which replaces the file; NULL: the process makes none. */
const char *image_report_path(char *path, size_t room, const char *suffix);
void image_end(void); /* the report is there */

/* image_report.c: reports in place of processes that left their images alone */
void image_reports(void);
