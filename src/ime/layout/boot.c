/* Which boot of the machine this is. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "layout/store.h"

void store_read_boot_id(char boot_id[40]) {
    memset(boot_id, 0, 40);
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        ssize_t n = read(fd, boot_id, 36);
        boot_id[n > 0 ? n : 0] = '\0';
        close(fd);
    }
}
