#include "contents.h"

#include "stored.h"

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PART_BYTES 64u

/* In formats, and through a view of the file, a piece lies elsewhere; what others write meanwhile differs. */
static bool contents_are_plain(const struct weir_phase *phase) {
    bool is_plain =
        phase->backend->stored == weir_stored_plain || phase->backend->stored == weir_stored_named;
    return is_plain && phase->how.geometry.view == NULL && phase->how.access == WEIR_READ &&
           phase->reads == NULL && !phase->no_residency;
}

void weir_contents_begin(const struct weir_phase *phase, const struct weir_measure *measure,
                         struct weir_contents *contents) {
    contents->reads = 0;
    contents->descriptor = -1;
    if (measure->watched.in_memory && contents_are_plain(phase)) {
        contents->descriptor = (int)syscall(SYS_openat, AT_FDCWD, phase->how.path, O_RDONLY | O_CLOEXEC);
    }
}

void weir_contents_look(struct weir_contents *contents, const struct weir_piece *piece,
                        struct weir_measure *measure) {
    unsigned char there[PART_BYTES];
    size_t bytes = piece->bytes < PART_BYTES ? piece->bytes : PART_BYTES;
    size_t from =
        (size_t)((piece->offset / PART_BYTES * 0x9e3779b97f4a7c15u >> 16) % (piece->bytes - bytes + 1));
    const unsigned char *part = piece->buffer + from;
    /* The call is the system's: libraries may answer for those of the C library. */
    long length = syscall(SYS_pread64, contents->descriptor, there, bytes, piece->offset + from);
    bool is_same = length == (long)bytes && memcmp(there, part, bytes) == 0;
    bool is_zero = part[0] == 0 && memcmp(part, part + 1, bytes - 1) == 0;
    measure->looked += !is_same || !is_zero; /* zeros are in each hole, too */
    measure->differing += !is_same;
}

void weir_contents_end(struct weir_contents *contents) {
    if (contents->descriptor >= 0) {
        close(contents->descriptor);
    }
}
