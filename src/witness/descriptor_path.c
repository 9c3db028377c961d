/* The name of what a descriptor is open on, as the kernel has it. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "witness.h"

size_t descriptor_path(int fd, char *path, size_t room) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(fd == AT_FDCWD ? "/proc/self/cwd" : link, path, room - 1);
    path[length > 0 ? length : 0] = '\0';
    return length > 0 ? (size_t)length : 0;
}
