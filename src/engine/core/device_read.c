/* Files and links of /sys about devices. */
#include "closing.h"
#include "device.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool weir_device_read_line(const char *path, char *text, int bytes) {
    WEIR_FILE *file = fopen(path, "re");
    bool good = file != NULL && fgets(text, bytes, file) != NULL;
    if (good) {
        text[strcspn(text, "\n")] = '\0';
    }
    return good;
}

bool weir_device_read_file(const char *sys, unsigned major_number, unsigned minor_number, const char *file,
                           char directory[400], char *text, int room) {
    static const char *const ups[] = {"", "/.."};
    for (int i = 0; i < 2; i++) {
        char path[440];
        snprintf(directory, 400, "%.200s/%u:%u%s", sys, major_number, minor_number, ups[i]);
        snprintf(path, sizeof path, "%s/%s", directory, file);
        if (weir_device_read_line(path, text, room)) {
            return true;
        }
    }
    return false;
}

const char *weir_device_last(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

bool weir_device_kernel_name(const char *sys, unsigned major_number, unsigned minor_number, char *name,
                             size_t room) {
    char path[400], target[512];
    snprintf(path, sizeof path, "%.200s/%u:%u", sys, major_number, minor_number);
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length > 0) {
        target[length] = '\0';
        snprintf(name, room, "%.100s", weir_device_last(target));
    }
    return length > 0;
}

const char *weir_device_up(const char *sys, unsigned major_number, unsigned minor_number) {
    char path[400];
    snprintf(path, sizeof path, "%.200s/%u:%u/partition", sys, major_number, minor_number);
    return access(path, F_OK) == 0 ? "/.." : "";
}
