/* The counters of one NFS mount among several of one server, as Linux 6.1 prints them. */
#include "observers/nfs.h"

#include "check.h"

#include <string.h>

static const char mountstats[] = "device /dev/vda mounted on / with fstype ext4\n"
                                 "device server:/data mounted on /d with fstype nfs4 statvers=1.1\n"
                                 "\tevents:\t1 2 3\n"
                                 "\tbytes:\t10 20 30 40 5000 6000 7 8\n"
                                 "\tRPC iostats version: 1.1  p/v: 100003/4 (nfs)\n"
                                 "\txprt:\ttcp 0 0 2 0 0 95 95 0 95 0 2 0 0\n"
                                 "\tper-op statistics\n"
                                 "\t        NULL: 1 1 0 44 24 0 0 0 0\n"
                                 "\t        READ: 2 2 0 400 5200 0 1 1 0\n"
                                 "\t       WRITE: 3 3 0 6300 400 0 1 1 0\n"
                                 "\t      COMMIT: 4 4 0 100 100 0 1 1 0\n"
                                 "device server:/data mounted on /d/e with fstype nfs4 statvers=1.1\n"
                                 "\tbytes:\t1 2 3 4 5 6 7 8\n"
                                 "\tper-op statistics\n"
                                 "\t       WRITE: 99 3 0 6300 400 0 1 1 0\n";

static bool parse(const char *point, uint64_t *counts) {
    FILE *file = fmemopen((void *)(size_t)mountstats, strlen(mountstats), "r");
    bool good = weir_nfs_parse(file, point, counts);
    fclose(file);
    return good;
}

int main(void) {
    uint64_t counts[WEIR_SERVERS_COUNTS];
    CHECK(parse("/d", counts));
    CHECK(counts[WEIR_SERVERS_SENT] == 6000 && counts[WEIR_SERVERS_RECEIVED] == 5000);
    CHECK(counts[WEIR_SERVERS_REQUESTS] == 10);
    CHECK(counts[WEIR_SERVERS_WRITES] == 3 && counts[WEIR_SERVERS_COMMITS] == 4);
    CHECK(parse("/d/e", counts) && counts[WEIR_SERVERS_SENT] == 6 && counts[WEIR_SERVERS_WRITES] == 99);
    CHECK(!parse("/", counts) && !parse("/none", counts));
    return finish();
}
