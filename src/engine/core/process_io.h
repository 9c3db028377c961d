/* What the kernel counts for this process in /proc/self/io. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum weir_process_count {
    WEIR_IO_RCHAR,
    WEIR_IO_WCHAR,
    WEIR_IO_SYSCR,
    WEIR_IO_SYSCW,
    WEIR_IO_READ_BYTES,
    WEIR_IO_WRITE_BYTES,
    WEIR_IO_CANCELLED_WRITE_BYTES,
    WEIR_IO_COUNTS
};

struct weir_process_io {
    bool known;
    uint64_t counts[WEIR_IO_COUNTS];
};

/* The kernel's names, in the order of the counts. */
extern const char *const weir_process_io_names[WEIR_IO_COUNTS];
void weir_process_io_read(struct weir_process_io *io);
/* Reads the counts of a thread: /proc/self/task/TID/io. */
void weir_process_io_read_file(const char *path, struct weir_process_io *io);
/* later less earlier; unknown where either is. */
void weir_process_io_since(const struct weir_process_io *earlier, struct weir_process_io *later);
