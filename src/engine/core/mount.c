/* One line of /proc/self/mountinfo. */
#include "medium.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The kernel writes space, tab, newline, backslash and some more as a backslash and three octal digits. */
static void mount_decode(const char *from, size_t length, char *to, size_t room) {
    size_t used = 0;
    for (size_t i = 0; i < length && used + 1 < room; used++) {
        unsigned code;
        int digits = 0;
        if (from[i] == '\\' && i + 4 <= length && sscanf(from + i + 1, "%3o%n", &code, &digits) == 1 &&
            digits == 3) {
            to[used] = (char)code;
            i += 4;
        } else {
            to[used] = from[i++];
        }
    }
    to[used] = '\0';
}

static const char *mount_next_field(const char *at, char *to, size_t room) {
    at += strspn(at, " ");
    size_t length = strcspn(at, " \n");
    mount_decode(at, length, to, room);
    return at + length;
}

/* The value of an option, decoded; empty where the option is not there. */
static void mount_option(const char *options, const char *name, char *value, size_t room) {
    size_t length = strlen(name);
    value[0] = '\0';
    for (const char *at = options; *at != '\0';) {
        size_t option = strcspn(at, ",\n");
        if (strncmp(at, name, length) == 0) {
            mount_decode(at + length, option - length, value, room);
            return;
        }
        at += option + (at[option] != '\0');
    }
}

static bool mount_has_dax(const char *options) {
    for (const char *at = options; *at != '\0';) {
        size_t option = strcspn(at, ",\n");
        if (strncmp(at, "dax", 3) == 0 && strncmp(at, "dax=never", 9) != 0) {
            return true;
        }
        at += option + (at[option] != '\0');
    }
    return false;
}

/* 36 35 98:0 /root /point rw,noatime master:1 - ext4 /dev/sda rw,errors=continue */
bool weir_mount_parse(const char *line, struct weir_mount *mount) {
    struct weir_medium *medium = &mount->medium;
    const char *tail = strstr(line, " - ");
    int root = 0;
    memset(mount, 0, sizeof *mount);
    if (tail == NULL || sscanf(line, "%" SCNu64 " %*u %u:%u %n", &mount->id, &mount->major_number,
                               &medium->minor_number, &root) != 3) {
        return false;
    }
    const char *at = mount_next_field(line + root, mount->root, sizeof mount->root);
    mount_next_field(at, medium->point, sizeof medium->point);
    tail = mount_next_field(tail + 3, medium->file_system, sizeof medium->file_system);
    tail = mount_next_field(tail, medium->source, sizeof medium->source);
    if (medium->source[0] == '\0') {
        return false;
    }
    tail += strspn(tail, " ");
    medium->dax = mount_has_dax(tail);
    snprintf(medium->options, sizeof medium->options, "%.*s", (int)strcspn(tail, "\n"), tail);
    if (strcmp(medium->file_system, "overlay") == 0) {
        mount_option(tail, "upperdir=", medium->lower, sizeof medium->lower);
    } else if (strncmp(medium->file_system, "fuse", 4) == 0 && medium->source[0] == '/') {
        snprintf(medium->lower, sizeof medium->lower, "%s", medium->source);
    }
    return true;
}

size_t weir_mount_above(const struct weir_mount *mount, const char *path) {
    size_t length = strlen(mount->medium.point);
    if (length == 1) {
        return path[0] == '/' ? 2 : 0;
    }
    bool above =
        strncmp(mount->medium.point, path, length) == 0 && (path[length] == '/' || path[length] == '\0');
    return above ? length + 1 : 0;
}
