/* What a file holds after it was closed, and its removal. */
#pragma once

#include "backend.h"

#include <stdbool.h>

/* `stored` and `remove` for back ends whose files are plain files on a mounted file system. */
int weir_stored_plain(const char *path, const void *settings, struct weir_stored *stored,
                      struct weir_problem *problem);
/* How many of the bytes from begin on lie before the first that was never written; bytes where all are
 * there. Some servers answer SEEK_HOLE wrongly: a hole in which a read finds data is counted in stored as
 * denied, and is none. */
uint64_t weir_bytes_before_hole(int descriptor, uint64_t begin, uint64_t bytes, struct weir_stored *stored);
/* Why the system would not open, or not write, the file either, for libraries that give no reason; 0 where it
 * has nothing against it. */
int weir_cause_plain(const char *path, enum weir_access access);
/* Remove a plain file; one that is not there is no error. */
int weir_remove_plain(const char *path, const void *settings, struct weir_problem *problem);

/* The same for back ends that give MPI-IO the name: a prefix, as in ufs:/scratch/file or xpd:file, makes it
 * MPI's alone. */
bool weir_has_prefix(const char *path);
int weir_stored_named(const char *path, const void *settings, struct weir_stored *stored,
                      struct weir_problem *problem);
int weir_remove_named(const char *path, const void *settings, struct weir_problem *problem);
/* Where the data of a format begin, how many bytes they are, and the first of them that was never written. */
void weir_stored_data(const char *path, uint64_t begin, uint64_t bytes, struct weir_stored *stored);
