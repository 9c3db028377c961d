/* What a file on a mounted file system holds, for back ends whose files are plain files. */
#ifndef WEIR_STORED_H
#define WEIR_STORED_H

#include "backend.h"

int weir_stored_plain(const char *path, struct weir_stored *stored, struct weir_problem *problem);
/* Remove a plain file; one that is not there is no error. */
int weir_remove_plain(const char *path, struct weir_problem *problem);

#endif
