/* Counters of a Lustre client: those of the mount that holds a file. */
#pragma once

#include "medium.h"

#include <stdint.h>
#include <stdio.h>

#define WEIR_LLITE_COUNTERS 64
#define WEIR_LUSTRE_ROOTS   3

struct weir_llite_counter {
    char name[32]; /* read_bytes, open, ... */
    uint64_t samples;
    uint64_t sum; /* of bytes or microseconds; 0 where the client only counts calls */
};

struct weir_llite {
    char instance[96]; /* fsname-address; empty: unknown */
    int count;
    struct weir_llite_counter counters[WEIR_LLITE_COUNTERS];
};

/* Directories with the files of a client, by 0, 1 ...; NULL after the last one. What one has not another may
 * have. WEIR_LUSTRE_ROOT names others, with colons between them. */
const char *weir_lustre_root(int which);
/* The name of a file system, by what is mounted. */
void weir_lustre_name(const char *source, char name[64]);
/* A given root with one mount counts for every file. */
void weir_llite_read(const struct weir_medium *medium, struct weir_llite *llite);
/* The text of a stats file. */
void weir_llite_parse(FILE *file, struct weir_llite *llite);
/* later less earlier, without what did not move; unknown where they are not of the same mount. */
void weir_llite_since(const struct weir_llite *earlier, struct weir_llite *later);
/* Add another node's counters. */
void weir_llite_add(struct weir_llite *sum, const struct weir_llite *node);
