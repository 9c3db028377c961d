/* Whatever the arguments of a command line of io-model or madbench are, reading them ends with one sentence
 * or with a plan: no place outside the file or the memory, no part of a matrix that is not some rank's. */
#include "target.h"

#include "personalities/io_model/io_model.h"
#include "personalities/madbench/madbench.h"

#define ARGUMENTS 40
#define PLAN_MOST 2000 /* operations that are followed */

static const char model_arguments[] =
    "-w -r -wr -n9 -n 500 -t1 -t512 -t=4k -b1m -b 1000 -b=8t -b=9223372036854775807 "
    "-frnd4611686018427387904 -freverse9223372036854771711 -M64k -M=3p -f rnd -frnd100 -fstride8 "
    "-fstride7,5 -freverse1k -foff0 -fseq -m -mstride1m,1m -mrnd4095 --align=4k --align=7 --direct "
    "--prefill --truncate --verify --seed=-1 --seed=4294967295 -cdiscarded -aNULL -aMPIIO -i2 - =";
static const char original_arguments[] =
    "/tmp/none 1 2 9 0 4096 rnd seq 0 1 1 R 3 0 /dev/zero W rnd1000 off0 7 stride100,3 reverse0 8 "
    "10000000 - -i2 vda 100";
static const char matrix_arguments[] =
    "-p16 -p 100 -p=99999999 -b2 -b 1000000 -g2 -g=3 --block 8 4k 1g -t8 -t=1m -F --rmod=2 --wmod=0 "
    "--busy=1 --phases SC SWC -e --verify --drop-caches -i2 -aMPIIO -aNULL 50 1 2 -seed =";

const char *const *fuzz_arguments(uint8_t first) {
    static const char *const texts[] = {model_arguments, original_arguments, matrix_arguments};
    static const char *lists[3][FUZZ_ARGUMENTS];
    int which = (first & 3) % 3;
    return fuzz_split(texts[which], lists[which]);
}

static void must_lie_within(uint64_t place, int64_t xfer_bytes, int64_t space_bytes) {
    if (place > (uint64_t)(space_bytes - xfer_bytes)) {
        fuzz_fail("an offset outside of what there is");
    }
}

static void follow(struct iom_run *run) {
    static struct iom_operation operations[PLAN_MOST];
    struct iom_params *a = &run->requested;
    a->operations = a->operations < PLAN_MOST ? a->operations : PLAN_MOST;
    run->operations = operations;
    for (int write = 0; write < 2; write++) {
        iom_operations_plan(run, 1, write != 0);
        for (int64_t i = 0; i < a->operations; i++) {
            must_lie_within(operations[i].offset, a->xfer_bytes, a->file_bytes);
            must_lie_within(operations[i].memory, a->xfer_bytes, a->memory_bytes);
            if (operations[i].offset % (uint64_t)a->align_bytes != 0) {
                fuzz_fail("an offset that is not aligned");
            }
        }
    }
}

static void try_model(int argc, char **argv, struct weir_job *job) {
    char complaint[WEIR_COMPLAINT] = "";
    struct iom_run *run = calloc(1, sizeof *run);
    run->base.job = job;
    if (iom_options_read(run, argc, argv, complaint)) {
        follow(run);
    } else {
        fuzz_must_explain(complaint);
    }
    weir_hints_free(&run->base.hints);
    free(run->base.settings);
    free(run->base.texts);
    free(run);
}

static void try_matrices(int argc, char **argv, struct weir_job *job) {
    char complaint[WEIR_COMPLAINT] = "";
    struct mad_run *run = calloc(1, sizeof *run);
    run->base.job = job;
    if (!mad_options_read(run, argc, argv, complaint)) {
        fuzz_must_explain(complaint);
    } else if (run->part_bytes * (uint64_t)job->size / 8 !=
                   (uint64_t)(run->requested.pixels * run->requested.pixels) ||
               run->slot_bytes < run->part_bytes ||
               run->slot_bytes % (uint64_t)run->requested.block_bytes != 0) {
        fuzz_fail("parts that are not the matrix");
    }
    weir_hints_free(&run->base.hints);
    free(run->base.settings);
    free(run->base.texts);
    free(run);
}

/* A line of the original's with some arguments changed: made of chance alone, hardly any would be read. */
static int change_original(char **arguments, int count, size_t chance) {
    static const char *const line[] = {"fuzz", "/tmp/none", "1", "2", "9", "0", "4096", "rnd",
                                       "rnd",  "0",         "1", "1", "R", "3", "0"};
    const int all = (int)(sizeof line / sizeof line[0]);
    char *given[ARGUMENTS];
    memcpy(given, arguments, sizeof given[0] * (size_t)count);
    for (int i = 0; i < all; i++) {
        arguments[i] = (char *)(size_t)line[i];
    }
    for (int i = 1; i < count && i < 4; i++) {
        arguments[1 + (chance + (size_t)i * 5) % (size_t)(all - 1)] = given[i];
    }
    arguments[all] = NULL;
    return all;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *arguments[ARGUMENTS + 1];
    if (size == 0) {
        return 0;
    }
    struct weir_job job = {
        .comm = MPI_COMM_NULL, .leaders = MPI_COMM_SELF, .size = 1 + (data[0] >> 2) % 7, .nodes = 1};
    char *text = strndup((const char *)data + 1, size - 1);
    int count = fuzz_cut(text, arguments, ARGUMENTS);
    int which = (data[0] & 3) % 3;
    if (which == 1) {
        count = change_original(arguments, count, size);
    }
    if (which == 2) {
        try_matrices(count, arguments, &job);
    } else {
        try_model(count, arguments, &job);
    }
    free(text);
    return 0;
}
