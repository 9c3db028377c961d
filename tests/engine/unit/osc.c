/* Bytes that a Lustre client exchanged with the targets of one file system, in the layout of 2.10. */
#include "osc.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/weir-osc-XXXXXX";

static void target(const char *name, unsigned read_bytes, unsigned written_bytes) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", root, name);
    CHECK(mkdir(path, 0700) == 0);
    snprintf(path, sizeof path, "%s/%s/stats", root, name);
    FILE *file = fopen(path, "w");
    fprintf(file,
            "snapshot_time             1540362008.567712873 secs.nsecs\n"
            "req_waittime              163 samples [usec] 35 15742 96014 1219342358\n"
            "read_bytes                2 samples [bytes] 1 1048576 %u 1099511627776\n"
            "write_bytes               3 samples [bytes] 1 1048576 %u 1099511627776\n"
            "ost_write                 3 samples [usec] 1 2 3 4\n",
            read_bytes, written_bytes);
    fclose(file);
}

/* Of a real client of 2.17 with data on both storage targets and on the metadata target. */
static void check_capture(const char *counters) {
    struct weir_osc sum;
    CHECK(weir_osc_count(counters, "lustre", &sum) == 2);
    CHECK(sum.read_bytes == 224784384 + 193089536);
    CHECK(sum.written_bytes == 226563447 + 183580075 + 1310720);
    CHECK(sum.requests == 1287 + 1266 + 2770);
    CHECK(weir_osc_count(counters, "lust", &sum) == 0);
}

int main(int argc, char **argv) {
    char path[256];
    struct weir_osc sum;
    if (argc > 1) {
        check_capture(argv[1]);
        return finish();
    }
    CHECK(mkdtemp(root) != NULL);
    CHECK(weir_osc_count(root, "work", &sum) == 0);
    snprintf(path, sizeof path, "%s/osc", root);
    CHECK(mkdir(path, 0700) == 0);
    CHECK(weir_osc_count(root, "work", &sum) == 0);

    target("osc/work-OST0000-osc-ffff881000395800", 10, 1000);
    target("osc/work-OST0001-osc-ffff881000395800", 20, 2000);
    target("osc/work2-OST0000-osc-ffff881000395801", 7, 7);
    CHECK(weir_osc_count(root, "work", &sum) == 2);
    CHECK(sum.read_bytes == 30 && sum.written_bytes == 3000 && sum.requests == 2 * 163);
    CHECK(weir_osc_count(root, "", &sum) == 0);

    /* Of a metadata target of this machine, which writes by itself: without stats, and not of the client. */
    snprintf(path, sizeof path, "%s/osc/work-OST0000-osc-MDT0000", root);
    CHECK(mkdir(path, 0700) == 0);
    CHECK(weir_osc_count(root, "work", &sum) == 2);

    /* Data on a metadata target. */
    snprintf(path, sizeof path, "%s/mdc", root);
    CHECK(mkdir(path, 0700) == 0);
    target("mdc/work-MDT0000-mdc-ffff881000395800", 40, 4000);
    CHECK(weir_osc_count(root, "work", &sum) == 2);
    CHECK(sum.read_bytes == 70 && sum.written_bytes == 7000);
    snprintf(path, sizeof path, "%s/mdc/work-MDT0001-mdc-ffff881000395800", root);
    CHECK(mkdir(path, 0700) == 0);
    CHECK(weir_osc_count(root, "work", &sum) == 0);
    CHECK(rmdir(path) == 0);

    /* A target that cannot be read: no sum of the rest. */
    snprintf(path, sizeof path, "%s/osc/work-OST0002-osc-ffff881000395800", root);
    CHECK(mkdir(path, 0700) == 0);
    CHECK(weir_osc_count(root, "work", &sum) == 0);

    snprintf(path, sizeof path, "rm -r %s", root);
    CHECK(system(path) == 0);
    return finish();
}
