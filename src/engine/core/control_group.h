/* What the control groups of this process allow it, and whether they held it back: launchers (srun) and
 * containers give ranks groups that the process which started the launch is not in. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define WEIR_BLOCK_LIMITS 8

enum weir_block_way { WEIR_READ_BPS, WEIR_WRITE_BPS, WEIR_READ_IOPS, WEIR_WRITE_IOPS, WEIR_BLOCK_WAYS };

/* The limits of one device at one level of the groups. */
struct weir_block_limit {
    unsigned major_number, minor_number;
    uint64_t most[WEIR_BLOCK_WAYS]; /* each second; 0: no limit */
};

struct weir_control_group {
    bool known;
    /* Periods in which a limit held back the group or one above it; of each level, which has a counter of its
     * own. */
    uint64_t throttled_periods;
    int limit_count;
    struct weir_block_limit limits[WEIR_BLOCK_LIMITS];
};

extern const char *const weir_block_ways[WEIR_BLOCK_WAYS];
void weir_control_group_read(struct weir_control_group *group);
/* The same below other directories than /proc and /sys/fs/cgroup. */
void weir_control_group_read_below(const char *proc, const char *groups, struct weir_control_group *group);
/* later as what came since the earlier look, with the limits of both. */
void weir_control_group_since(const struct weir_control_group *earlier, struct weir_control_group *later);
/* Keeps the process of two that was held back more, with the limits of both. */
void weir_control_group_join(const struct weir_control_group *one, struct weir_control_group *all);
