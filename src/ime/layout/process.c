/* Which boot of the machine this is, and its processes by id and start time: an id alone may belong to
 * another process by now. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "layout/store.h"

uint64_t process_start_ticks(int pid) {
    const int field = 22; /* of /proc/PID/stat, counted from 1; the name, field 2, may hold anything */
    char path[64];
    char text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *stream = fopen(path, "re");
    if (stream == NULL) {
        return 0;
    }
    size_t bytes = fread(text, 1, sizeof text - 1, stream);
    fclose(stream);
    text[bytes] = '\0';
    char *at = strrchr(text, ')');
    for (int i = 2; at != NULL && i < field; i++) {
        at = strchr(at + 1, ' ');
    }
    return at != NULL ? strtoull(at, NULL, 10) : 0;
}

/* The descriptor is taken before the start time is compared: it stays with the process that was looked at. */
int process_signal(int pid, uint64_t start_ticks, int signal_number) {
    int fd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
    if (fd < 0 && (pid <= 0 || errno != ENOSYS)) {
        return ESRCH;
    }
    int error = process_start_ticks(pid) == start_ticks ? 0 : ESRCH;
    if (error == 0) { /* before Linux 5.3 only a moment lies between the look and the signal */
        long result = fd >= 0 ? syscall(SYS_pidfd_send_signal, fd, signal_number, NULL, 0)
                              : (long)kill(pid, signal_number);
        error = result == 0 ? 0 : errno;
    }
    if (fd >= 0) {
        close(fd);
    }
    return error;
}

void store_read_boot_id(char boot_id[40]) {
    memset(boot_id, 0, 40);
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        ssize_t n = read(fd, boot_id, 36);
        boot_id[n > 0 ? n : 0] = '\0';
        close(fd);
    }
}
