/* What a Lustre client exchanged with the storage targets of a file system: past its page cache. */
#pragma once

#include <stdint.h>

struct weir_osc {
    uint64_t read_bytes, written_bytes;
    uint64_t requests; /* of all kinds that were answered, to storage and metadata targets */
};

/* Sums over the targets below root/osc and root/mdc, which has data on metadata targets, too; returns how
 * many storage targets there are, 0 where one of either kind cannot be read. name: of the file system. */
int weir_osc_count(const char *root, const char *name, struct weir_osc *sum);
