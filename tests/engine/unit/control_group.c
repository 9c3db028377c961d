/* Limits of control groups of both versions, of the group itself and of those above it. */
#include "control_group.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char top[] = "/tmp/weir-group-XXXXXX";

static void put(const char *name, const char *text) {
    char path[600], command[700];
    snprintf(path, sizeof path, "%s/%s", top, name);
    snprintf(command, sizeof command, "mkdir -p $(dirname %s)", path);
    CHECK(system(command) == 0);
    FILE *file = fopen(path, "w");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static struct weir_control_group looked(void) {
    struct weir_control_group group;
    char proc[64], groups[64];
    snprintf(proc, sizeof proc, "%s/proc", top);
    snprintf(groups, sizeof groups, "%s/cgroup", top);
    weir_control_group_read_below(proc, groups, &group);
    return group;
}

static void version_1(void) {
    put("proc/self/cgroup", "9:name=systemd:/\n7:blkio:/job/rank\n4:cpu,cpuacct:/job\n3:cpuset:/other\n");
    put("cgroup/blkio/blkio.throttle.read_bps_device", "");
    put("cgroup/blkio/job/rank/blkio.throttle.read_bps_device", "8:16 2097152\n");
    put("cgroup/blkio/job/rank/blkio.throttle.write_bps_device", "8:16 0\n8:0 1048576\n");
    put("cgroup/blkio/job/rank/blkio.throttle.read_iops_device", "");
    put("cgroup/blkio/job/rank/blkio.throttle.write_iops_device", "8:0 120\n");
    put("cgroup/cpu/job/cpu.stat", "nr_periods 90\nnr_throttled 60\nthrottled_time 1\n");
    put("cgroup/cpu/cpu.stat", "nr_periods 0\nnr_throttled 0\n");
    struct weir_control_group group = looked();
    CHECK(group.known && group.throttled_periods == 60 && group.limit_count == 3);
    CHECK(group.limits[0].major_number == 8 && group.limits[0].minor_number == 16);
    CHECK(group.limits[0].most[WEIR_READ_BPS] == 2097152 && group.limits[0].most[WEIR_WRITE_BPS] == 0);
    CHECK(group.limits[2].most[WEIR_WRITE_IOPS] == 120);
}

static void version_2(void) {
    put("proc/self/cgroup", "0::/job/rank\n");
    put("cgroup/job/io.max", "8:16 rbps=2097152 wbps=max riops=max wiops=120\n8:0 rbps=max wbps=max\n");
    put("cgroup/job/rank/cpu.stat", "usage_usec 9\nnr_periods 4\nnr_throttled 3\n");
    put("cgroup/job/cpu.stat", "usage_usec 9\nnr_periods 4\nnr_throttled 4\n");
    put("cgroup/cpu.stat", "usage_usec 9\n");
    struct weir_control_group later = looked(), earlier = {.known = true, .throttled_periods = 2};
    CHECK(later.throttled_periods == 7 && later.limit_count == 1);
    CHECK(later.limits[0].most[WEIR_READ_BPS] == 2097152 && later.limits[0].most[WEIR_WRITE_BPS] == 0);
    weir_control_group_since(&earlier, &later);
    CHECK(later.known && later.throttled_periods == 5);
    struct weir_control_group all = {0}, other = later;
    other.throttled_periods = 1;
    weir_control_group_join(&later, &all);
    weir_control_group_join(&other, &all);
    CHECK(all.known && all.throttled_periods == 5 && all.limit_count == 1);
    CHECK(strcmp(weir_block_ways[WEIR_WRITE_IOPS], "write_iops") == 0);
}

static void nothing_known(void) {
    put("proc/self/cgroup", "");
    struct weir_control_group group = looked();
    CHECK(group.known && group.limit_count == 0 && group.throttled_periods == 0);
    weir_control_group_read_below("/nowhere", "/nowhere", &group);
    CHECK(!group.known);
}

int main(void) {
    char command[64];
    CHECK(mkdtemp(top) != NULL);
    version_1();
    version_2();
    nothing_known();
    snprintf(command, sizeof command, "rm -r %s", top);
    CHECK(system(command) == 0);
    return finish();
}
