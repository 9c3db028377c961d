/* Whatever the arguments of a command line are, reading them ends with a plan that can be carried out or with
 * one sentence: no crash, no overflow, no offset outside the file, no byte that two ranks write. */
#include "target.h"

#include "personalities/batch/batch_list.h"
#include "personalities/ior/ior.h"
#include "personalities/mdtest/mdtest.h"
#include "personalities/netcdf_bench/netcdf_bench.h"

#define ARGUMENTS 64
#define WALK_MOST 20000 /* operations that are followed */

static const char ior_arguments[] =
    "-aMPIIO -a=NULL -a POSIX -b64k -b 128 -b=1m -t8 -t=16 -t4k -s3 -s 2 -i2 -w -r -wr -W -R -F -C -Z -Z "
    "-z -z -e -g -k -c -D1.5 -ofile -Q2 -X-3 -X -G7 -N1 -u -E -lrandom -l o -d0 "
    "-OsummaryFile=x,summaryFormat=JSON -O stoneWallingWearOut=1 -OnumTasksOnNode0=2 -OnumNodes=3 "
    "--random-offset-seed=7 --posix.odirect --drop-caches --null.delay-us=3 --zipf=1.2 --rw-mix=70 "
    "--randomPrefill=4k --distribution=interleaved --distribution=nested --distribution=subarray "
    "--mpiio.useFileView --trace=x --trace-records=9 -m -Y -A7 -fscript -K -M75% -M -T3 -v -x -z-k "
    "--dryRun --mpiio.showHints --dummy.delay-create=3 -Q=9223372036854775807 -X=-9223372036854775808 -- "
    "- =";
static const char netcdf_arguments[] =
    "-d=2:4:4:2 -d=3:12:12:1 -d=1:2:3:4 -d 6:6:6:6 -b=1:2:2:1 -b=3:1:1:1 -b=1:2 -c=auto -c=1:2:2:1 -n=1 "
    "-n=2 -p=2 -p=3 -t=coll -t=ind -t=file-per-process -u -z=3 -z -F -f=x.nc -r -w --verify --type=byte "
    "--type=double --format=cdf5 --shuffle --zstd=3 --quantize=3 --hint=a=b --stonewall=1 --wear-out "
    "--iterations=2 --drop-caches --json=x -x=parser : =";
static const char mdtest_arguments[] =
    "-n3 -n 8 -I2 -I -b2 -z3 -z -u -L -F -D -C -T -E -r -R -W1 -w8 -e8 -N1 -p0 -P -Y -y -X -x file -i2 "
    "-dfolder -t -U -Z -G1 -aNULL --verify-write -S -k --showRankStatistics --random-seed=3 "
    "--posix.odirect --dataPacketType=o -f1 -l2 -s3 -v -V=4 - =";
static const char *const batch_arguments[] = {
    "a\t2\t/x\tior\t-w", "b\t1\t/x\tmdtest", "b\t1\t/x",  "# none", "", "\t\t\t",
    "c\t0\t/x\tior",     "d\tx\t/y\tior",    "\t7\t\t\t", NULL};

const char *const *fuzz_arguments(uint8_t first) {
    static const char *const texts[] = {ior_arguments, netcdf_arguments, mdtest_arguments};
    static const char *lists[3][FUZZ_ARGUMENTS];
    int which = first & 3;
    return which == 3 ? batch_arguments : fuzz_split(texts[which], lists[which]);
}

/* Follows a pattern, and counts the operations of each slot of the file. */
static void walk(struct weir_pattern pattern, uint64_t xfer_bytes, uint64_t file_bytes, bool once,
                 unsigned char *slots) {
    uint64_t offset;
    weir_pattern_rewind(&pattern);
    while (weir_pattern_next(&pattern, &offset)) {
        if (offset % xfer_bytes != 0 || offset > file_bytes - xfer_bytes) {
            fuzz_fail("an offset outside the file");
        }
        if (slots[offset / xfer_bytes]++ != 0 && once) {
            fuzz_fail("a piece of the file is written twice");
        }
    }
}

static void all_written(const unsigned char *slots, uint64_t count) {
    if (count > 0 && memchr(slots, 0, count) != NULL) {
        fuzz_fail("a piece of the file is written by nobody");
    }
}

static void walk_ior(struct ior_run *run, struct weir_job *job) {
    static unsigned char slots[WALK_MOST];
    const struct ior_params *a = &run->requested;
    uint64_t rank_bytes = (uint64_t)a->block_bytes * (uint64_t)a->segments;
    uint64_t file_bytes = a->file_per_process ? rank_bytes : rank_bytes * (uint64_t)job->size;
    bool once = a->zipf <= 0 && a->random <= 1; /* others draw their offsets */
    for (job->rank = 0; job->rank < job->size; job->rank++) {
        int check = ior_shift_to_check(run), read = ior_shift_to_read(run, 1);
        if (check < 0 || check >= job->size || read < 0 || read >= job->size) {
            fuzz_fail("data of a rank that there is not");
        }
    }
    if (file_bytes / (uint64_t)a->xfer_bytes > WALK_MOST) {
        return;
    }
    memset(slots, 0, sizeof slots);
    for (job->rank = 0; job->rank < job->size; job->rank++) {
        struct weir_pattern pattern;
        if (a->file_per_process) {
            memset(slots, 0, sizeof slots);
        }
        if (ior_pattern(run, WEIR_WRITE, &pattern)) {
            walk(pattern, (uint64_t)a->xfer_bytes, file_bytes, once, slots);
        }
    }
    if (once) {
        all_written(slots, file_bytes / (uint64_t)a->xfer_bytes);
    }
}

static void try_ior(int argc, char **argv, struct weir_job *job) {
    char complaint[WEIR_COMPLAINT] = "";
    struct ior_run *run = calloc(1, sizeof *run);
    struct ior_report report = {.in_script = true};
    run->base.job = job;
    run->base.launch = &report;
    if (ior_options_read(run, argc, argv, complaint)) {
        walk_ior(run, job);
    } else {
        fuzz_must_explain(complaint);
    }
    weir_hints_free(&run->base.hints);
    free(run->base.settings);
    free(run->base.texts);
    free(run->table);
    free(run);
}

static void walk_netcdf(struct ncb_run *run, const struct weir_job *job) {
    static unsigned char slots[WALK_MOST];
    const struct ncb_variable *v = &run->variable;
    uint64_t file_bytes = v->step_bytes * v->across[0];
    uint64_t data_bytes = v->type->bytes;
    for (int i = 0; i < NCB_DIMS; i++) {
        data_bytes *= v->dims[i];
    }
    if (v->block_bytes == 0 || file_bytes != data_bytes) {
        fuzz_fail("blocks that do not tile the variable");
    }
    if (file_bytes / v->block_bytes > WALK_MOST) {
        return;
    }
    memset(slots, 0, sizeof slots);
    for (int owner = 0; owner < job->size; owner++) {
        if (run->file_per_process) {
            memset(slots, 0, sizeof slots);
        }
        walk(ncb_pattern(run, owner), v->block_bytes, file_bytes, true, slots);
    }
    all_written(slots, file_bytes / v->block_bytes);
}

static void try_netcdf(int argc, char **argv, struct weir_job *job) {
    char complaint[WEIR_COMPLAINT] = "";
    struct ncb_run *run = calloc(1, sizeof *run);
    run->base.job = job;
    if (ncb_options_read(run, argc, argv, complaint) && ncb_geometry_read(run, complaint)) {
        walk_netcdf(run, job);
    } else {
        fuzz_must_explain(complaint);
    }
    weir_hints_free(&run->base.hints);
    free(run->base.texts);
    free(run);
}

static void try_mdtest(int argc, char **argv, struct weir_job *job) {
    char complaint[WEIR_COMPLAINT] = "";
    struct mdtest_run *run = calloc(1, sizeof *run);
    struct mdtest_launch launch = {.runs = 1};
    run->base.job = job;
    run->base.launch = &launch;
    if (!mdtest_options_read(run, argc, argv, complaint)) {
        fuzz_must_explain(complaint);
    }
    free(run->base.settings);
    free(run->base.texts);
    free(run);
}

static void try_batch(const char *text, int ranks) {
    char complaint[WEIR_COMPLAINT] = "";
    struct batch_list list;
    if (!batch_list_parse(&list, strdup(text), ranks, complaint)) {
        fuzz_must_explain(complaint);
    }
    batch_list_free(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *arguments[ARGUMENTS + 1];
    if (size == 0) {
        return 0;
    }
    int ranks = 1 + (data[0] >> 2) % 7;
    struct weir_job job = {.size = ranks, .nodes = 1 + ranks / 3, .tasks_on_node0 = ranks > 3 ? 3 : ranks};
    job.block_mapping = data[0] >> 7;
    char *text = strndup((const char *)data + 1, size - 1);
    int which = data[0] & 3;
    if (which == 3) {
        try_batch(text, ranks);
        free(text);
        return 0;
    }
    int count = fuzz_cut(text, arguments, ARGUMENTS);
    if (which == 0) {
        try_ior(count, arguments, &job);
    } else if (which == 1) {
        try_netcdf(count, arguments, &job);
    } else {
        try_mdtest(count, arguments, &job);
    }
    free(text);
    return 0;
}
