/* Lines of /proc/self/mountinfo as kernels write them. */
#include "medium.h"

#include "check.h"

#include <string.h>

static struct weir_medium medium;

static bool parse(const char *line) {
    memset(&medium, 0, sizeof medium);
    return weir_medium_parse(line, 98, 3, &medium);
}

int main(void) {
    CHECK(parse("36 35 98:3 / /data rw,noatime master:1 - ext4 /dev/sda rw,errors=continue\n"));
    CHECK(strcmp(medium.file_system, "ext4") == 0 && strcmp(medium.source, "/dev/sda") == 0 && !medium.dax);
    CHECK(
        parse("36 35 98:3 / /a\\040b rw shared:7 master:1 - xfs /dev/pmem0 rw,attr2,dax=always,noquota\n") &&
        medium.dax);
    CHECK(parse("36 35 98:3 / /data rw - xfs /dev/pmem0 rw,dax\n") && medium.dax);
    CHECK(parse("36 35 98:3 / /data rw - xfs /dev/pmem0 rw,dax=never\n") && !medium.dax);
    CHECK(parse("36 35 98:3 / /data rw - lustre 10.0.0.1@tcp:10.0.0.2@tcp:/work rw,flock\n"));
    CHECK(strcmp(medium.file_system, "lustre") == 0);
    CHECK(!parse("36 35 98:4 / /data rw - ext4 /dev/sda rw\n"));
    CHECK(!parse("36 35 9"));
    CHECK(!parse(""));
    weir_medium_of("/proc/self/no-such-folder/file", &medium);
    CHECK(medium.file_system[0] == '\0' && !medium.counted);
    weir_medium_of("/proc/self/status", &medium);
    CHECK(strcmp(medium.file_system, "proc") == 0 && !medium.counted);
    return finish();
}
