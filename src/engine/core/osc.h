/* What a Lustre client exchanged with the storage targets of a file system: past its page cache. */
#ifndef WEIR_OSC_H
#define WEIR_OSC_H

#include <stdint.h>

/* Sums over the targets below root/osc; returns how many there are, 0 where one cannot be read. name: of the
 * file system. */
int weir_osc_count(const char *root, const char *name, uint64_t *read_bytes, uint64_t *written_bytes);

#endif
