#include "control_group.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_BYTES 4096
#define PATH_BYTES 1024

const char *const weir_block_ways[WEIR_BLOCK_WAYS] = {"read_bps", "write_bps", "read_iops", "write_iops"};
/* Names of the limits: groups of version 1 have a file for each, those of version 2 a key in io.max. */
static const char *const way_files[WEIR_BLOCK_WAYS] = {
    "blkio.throttle.read_bps_device", "blkio.throttle.write_bps_device", "blkio.throttle.read_iops_device",
    "blkio.throttle.write_iops_device"};
static const char *const way_keys[WEIR_BLOCK_WAYS] = {"rbps=", "wbps=", "riops=", "wiops="};

/* False where there is no such file. */
static bool group_text(const char *folder, const char *name, char text[TEXT_BYTES]) {
    char path[PATH_BYTES + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t bytes = fd >= 0 ? read(fd, text, TEXT_BYTES - 1) : -1;
    text[bytes > 0 ? bytes : 0] = '\0';
    if (fd >= 0) {
        close(fd);
    }
    return bytes >= 0;
}

static void group_add_limit(struct weir_control_group *group, const struct weir_block_limit *limit) {
    for (int i = 0; i < group->limit_count; i++) {
        if (memcmp(&group->limits[i], limit, sizeof *limit) == 0) {
            return;
        }
    }
    if (group->limit_count < WEIR_BLOCK_LIMITS) {
        group->limits[group->limit_count++] = *limit;
    }
}

/* Lines such as `8:16 2097152`. */
static void group_add_version_1(const char *folder, struct weir_control_group *group) {
    char text[TEXT_BYTES], *kept;
    for (int way = 0; way < WEIR_BLOCK_WAYS; way++) {
        if (!group_text(folder, way_files[way], text)) {
            return;
        }
        for (char *line = strtok_r(text, "\n", &kept); line != NULL; line = strtok_r(NULL, "\n", &kept)) {
            struct weir_block_limit limit = {0};
            if (sscanf(line, "%u:%u %" SCNu64, &limit.major_number, &limit.minor_number, &limit.most[way]) ==
                    3 &&
                limit.most[way] > 0) {
                group_add_limit(group, &limit);
            }
        }
    }
}

/* Lines such as `8:16 rbps=2097152 wbps=max riops=max wiops=120`. */
static void group_add_version_2(const char *folder, struct weir_control_group *group) {
    char text[TEXT_BYTES], *kept;
    if (!group_text(folder, "io.max", text)) {
        return;
    }
    for (char *line = strtok_r(text, "\n", &kept); line != NULL; line = strtok_r(NULL, "\n", &kept)) {
        struct weir_block_limit limit = {0};
        bool any = false;
        for (int way = 0; way < WEIR_BLOCK_WAYS; way++) {
            const char *value = strstr(line, way_keys[way]);
            limit.most[way] = value != NULL ? strtoull(value + strlen(way_keys[way]), NULL, 10) : 0;
            any = any || limit.most[way] > 0;
        }
        if (any && sscanf(line, "%u:%u", &limit.major_number, &limit.minor_number) == 2) {
            group_add_limit(group, &limit);
        }
    }
}

static void group_add_throttled(const char *folder, struct weir_control_group *group) {
    char text[TEXT_BYTES];
    if (group_text(folder, "cpu.stat", text)) {
        const char *count = strstr(text, "nr_throttled ");
        group->throttled_periods += count != NULL ? strtoull(count + strlen("nr_throttled "), NULL, 10) : 0;
    }
}

static bool group_names(const char *controllers, const char *one) {
    const char *at = strstr(controllers, one);
    size_t length = strlen(one);
    return at != NULL && (at == controllers || at[-1] == ',') && (at[length] == '\0' || at[length] == ',');
}

/* The group of a line and those above it, up to the top. */
static void group_add_line(const char *groups, const char *controllers, const char *path,
                           struct weir_control_group *group) {
    char folder[PATH_BYTES];
    bool is_unified = controllers[0] == '\0';
    bool has_blocks = is_unified || group_names(controllers, "blkio");
    bool has_processors = is_unified || group_names(controllers, "cpu");
    if (!has_blocks && !has_processors) {
        return;
    }
    int top = snprintf(folder, sizeof folder, "%s%s%s", groups, is_unified ? "" : "/",
                       is_unified   ? ""
                       : has_blocks ? "blkio"
                                    : "cpu");
    snprintf(folder + top, sizeof folder - (size_t)top, "%s", path);
    for (size_t length = strlen(folder); length >= (size_t)top; length = strlen(folder)) {
        if (has_blocks) {
            is_unified ? group_add_version_2(folder, group) : group_add_version_1(folder, group);
        }
        if (has_processors) {
            group_add_throttled(folder, group);
        }
        char *slash = strrchr(folder + top, '/');
        if (slash == NULL) {
            break;
        }
        *slash = '\0';
    }
}

void weir_control_group_read_below(const char *proc, const char *groups, struct weir_control_group *group) {
    char text[TEXT_BYTES], folder[PATH_BYTES], *kept;
    memset(group, 0, sizeof *group);
    snprintf(folder, sizeof folder, "%s/self", proc);
    group->known = group_text(folder, "cgroup", text);
    for (char *line = strtok_r(text, "\n", &kept); line != NULL; line = strtok_r(NULL, "\n", &kept)) {
        char *controllers = strchr(line, ':');
        char *path = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
        if (path != NULL) {
            *path = '\0';
            path += strcmp(path + 1, "/") == 0 ? 2 : 1;
            group_add_line(groups, controllers + 1, path, group);
        }
    }
}

void weir_control_group_read(struct weir_control_group *group) {
    weir_control_group_read_below("/proc", "/sys/fs/cgroup", group);
}

static void group_add_limits(const struct weir_control_group *from, struct weir_control_group *to) {
    for (int i = 0; i < from->limit_count; i++) {
        group_add_limit(to, &from->limits[i]);
    }
}

void weir_control_group_since(const struct weir_control_group *earlier, struct weir_control_group *later) {
    bool grew = later->throttled_periods >= earlier->throttled_periods;
    later->known = later->known && earlier->known;
    later->throttled_periods = grew ? later->throttled_periods - earlier->throttled_periods : 0;
    group_add_limits(earlier, later);
}

void weir_control_group_join(const struct weir_control_group *one, struct weir_control_group *all) {
    all->known = all->known || one->known;
    if (one->throttled_periods > all->throttled_periods) {
        all->throttled_periods = one->throttled_periods;
    }
    group_add_limits(one, all);
}
