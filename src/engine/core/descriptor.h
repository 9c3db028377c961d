/* Libraries hide the descriptors of the files they open; the kernel does not. */
#ifndef WEIR_DESCRIPTOR_H
#define WEIR_DESCRIPTOR_H

/* Flags of the first descriptor of this process that is open on the file, as fcntl(F_GETFL) gives them; -1
 * where there is none. */
int weir_descriptor_flags(const char *path);

#endif
