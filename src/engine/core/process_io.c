#include "process_io.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const weir_process_io_names[WEIR_IO_COUNTS] = {
    "rchar", "wchar", "syscr", "syscw", "read_bytes", "write_bytes", "cancelled_write_bytes"};

/* One line each, `name: number`, always in the same order. */
static bool process_io_parse(const char *text, struct weir_process_io *io) {
    for (int i = 0; i < WEIR_IO_COUNTS; i++) {
        size_t length = strlen(weir_process_io_names[i]);
        if (strncmp(text, weir_process_io_names[i], length) != 0 || text[length] != ':') {
            return false;
        }
        char *end;
        io->counts[i] = strtoull(text + length + 1, &end, 10);
        text = *end == '\n' ? end + 1 : end;
    }
    return true;
}

void weir_process_io_read(struct weir_process_io *io) {
    weir_process_io_read_file("/proc/self/io", io);
}

void weir_process_io_read_file(const char *path, struct weir_process_io *io) {
    char text[512];
    memset(io, 0, sizeof *io);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return; /* not every kernel counts, and a container may hide it */
    }
    ssize_t length = read(descriptor, text, sizeof text - 1);
    close(descriptor);
    if (length > 0) {
        text[length] = '\0';
        io->known = process_io_parse(text, io);
    }
}

void weir_process_io_since(const struct weir_process_io *earlier, struct weir_process_io *later) {
    later->known = later->known && earlier->known;
    for (int i = 0; i < WEIR_IO_COUNTS; i++) {
        bool grew = later->known && later->counts[i] >= earlier->counts[i];
        later->counts[i] = grew ? later->counts[i] - earlier->counts[i] : 0;
    }
}
