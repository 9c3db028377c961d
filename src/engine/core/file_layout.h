/* How a parallel file system spread a file over its storage targets, read back from the file itself. */
#pragma once

#include "job.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define WEIR_LAYOUT_COMPONENTS 16
#define WEIR_LAYOUT_TARGETS    2048 /* of one file; also the greatest index that is counted */
#define WEIR_LAYOUT_END        UINT64_MAX

/* A plain file has one component; a progressive layout (PFL) or a mirrored file has several. */
struct weir_layout_component {
    uint64_t begin_bytes, end_bytes; /* WEIR_LAYOUT_END: the end of the file */
    int64_t stripe_count;            /* -1: all targets */
    uint64_t stripe_bytes;
    char pattern[32]; /* raid0, mdt (data on the metadata target) ... */
    char pool[24];    /* empty: none */
    int first_target; /* in the list of the file; none where nothing was written to the component */
    int target_count;
};

struct weir_file_layout {
    const char *source; /* llapi or lfs getstripe; NULL: unknown */
    int component_count;
    struct weir_layout_component components[WEIR_LAYOUT_COMPONENTS];
    int target_count;
    uint32_t targets[WEIR_LAYOUT_TARGETS]; /* indices of storage targets (OSTs) */
};

/* The layouts of all files of a phase, on rank 0. */
struct weir_layout_counts {
    uint32_t files;
    uint32_t
        stripes[WEIR_LAYOUT_TARGETS + 1];  /* files by their stripe count; the last: unknown, not printed */
    uint32_t objects[WEIR_LAYOUT_TARGETS]; /* stripes by the index of the target that holds them */
};

/* Reads the layout of a file on Lustre, by liblustreapi where it is installed, else by `lfs getstripe`. Does
 * nothing elsewhere, unless WEIR_LUSTRE_ROOT is set. */
void weir_file_layout_read(const char *path, struct weir_file_layout *layout);
/* The text of `lfs getstripe FILE`; false where it has no layout. */
bool weir_file_layout_parse(FILE *text, struct weir_file_layout *layout);
/* Asks liblustreapi (file_layout_llapi.c); false where it is missing or refuses. */
bool weir_file_layout_llapi(const char *path, struct weir_file_layout *layout);
/* To the component that was begun last. */
static inline void weir_file_layout_add_target(struct weir_file_layout *layout, uint64_t index) {
    if (layout->target_count < WEIR_LAYOUT_TARGETS) {
        layout->targets[layout->target_count++] = (uint32_t)index;
        layout->components[layout->component_count - 1].target_count++;
    }
}
/* The stripe count of the last component that holds data. */
int64_t weir_file_layout_stripes(const struct weir_file_layout *layout);
/* Called by all ranks, those without a file with an unknown layout; returns NULL but on rank 0, and where no
 * file has a layout. */
struct weir_layout_counts *weir_file_layouts_gather(const struct weir_job *job,
                                                    const struct weir_file_layout *mine);
