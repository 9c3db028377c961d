/* What a Lustre client exchanged with the storage targets of a file system: past its page cache. */
#ifndef WEIR_OSC_H
#define WEIR_OSC_H

#include <stdint.h>

/* Sums over the targets below root/osc, and what root/mdc has of data on metadata targets; returns how many
 * storage targets there are, 0 where one of either kind cannot be read. name: of the file system. */
int weir_osc_count(const char *root, const char *name, uint64_t *read_bytes, uint64_t *written_bytes);

#endif
