/* After a phase, outside its time: a look whether what was created is there, and what was removed is gone. It
 * asks the kernel past all libraries, and only for a sample, so that the caches of the client stay as the
 * phase left them. */
#include "cachestat.h"
#include "mdtest.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MDTEST_SAMPLED 16 /* items of a rank */

/* 1: there, 0: it does not exist, -1: nobody can tell. */
static int mdtest_exists(const char *path) {
    struct stat facts;
#ifdef SYS_newfstatat
    long status = syscall(SYS_newfstatat, AT_FDCWD, path, &facts, AT_SYMLINK_NOFOLLOW);
#else
    long status = syscall(SYS_fstatat64, AT_FDCWD, path, &facts, AT_SYMLINK_NOFOLLOW);
#endif
    return status == 0 ? 1 : errno == ENOENT || errno == ENOTDIR ? 0 : -1;
}

struct mdtest_entries mdtest_entries_look(struct mdtest_run *run, const struct mdtest_phase *phase) {
    struct mdtest_entries mine = {0}, all = {0};
    bool removes = strcmp(phase->access, "remove") == 0;
    bool looks = (removes || strcmp(phase->access, "create") == 0) && phase->item != MDTEST_TREE;
    bool alone = run->requested.shared_file && run->base.job->rank != 0;
    if (!looks || strcmp(run->base.backend->name, "POSIX") != 0) {
        return all;
    }
    struct mdtest_walk walk;
    struct weir_cachestat pages = run->synced;
    memset(&run->synced, 0, sizeof run->synced);
    uint64_t items = removes ? run->items : run->made;
    uint64_t count = alone ? 0 : items < MDTEST_SAMPLED ? items : MDTEST_SAMPLED;
    mdtest_walk_begin(&walk, run, phase->item, phase->iteration, mdtest_owner(run, removes ? 3 : 0));
    for (uint64_t i = 0; i < count; i++) {
        uint64_t index = count > 1 ? i * (items - 1) / (count - 1) : 0; /* the first, the last, and between */
        const char *path = mdtest_walk_item(&walk, index);
        int exists = mdtest_exists(path);
        mine.sampled += exists >= 0;
        mine.there += exists == 1;
        if (exists == 1 && run->requested.sync_file) {
            weir_cachestat_add(path, &pages);
        }
    }
    mine.cached_files = pages.files;
    mine.unwritten_bytes = pages.dirty_bytes + pages.writeback_bytes;
    MPI_Reduce(&mine, &all, sizeof mine / sizeof(uint64_t), MPI_UINT64_T, MPI_SUM, 0, run->base.job->comm);
    return all;
}
