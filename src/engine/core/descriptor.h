/* Libraries hide the descriptors of the files they open; the kernel does not. */
#pragma once

#include "backend.h"

/* Opens a plain file to write, where it is made if it is not there, or to read; repeated where it is
 * interrupted. -1 after setting the problem. */
int weir_descriptor_open(const struct weir_open *how, struct weir_problem *problem);

/* fsync, repeated where it is interrupted. */
int weir_descriptor_sync(int descriptor, const char *path, struct weir_problem *problem);
/* Why O_DIRECT cannot work for such transfers, or NULL. */
const char *weir_descriptor_refuse(const struct weir_open *how);

/* Flags of a descriptor, or -1: by the kernel itself, as a library may answer fcntl(F_GETFL) what was
 * requested. */
int weir_descriptor_flags_of(int descriptor);
/* Flags of the first descriptor of this process that is open on the file, as the kernel has them; -1
 * where there is none. */
int weir_descriptor_flags(const char *path);
