/* The original's command line: 14 or 15 arguments by position; and its positions of rnd. */
#include "io_model.h"

#include <stdlib.h>
#include <string.h>

#define ARGUMENTS 14

static bool iom_truth(const char *name, const char *text, int *value, char *complaint) {
    REFUSE(strcmp(text, "0") != 0 && strcmp(text, "1") != 0, "%s '%s': not 0 or 1", name, text);
    *value = text[0] == '1';
    return true;
}

static bool iom_mebibytes(const char *name, const char *text, int64_t *value, char *complaint) {
    if (!weir_number_parse(name, text, value, complaint)) {
        return false;
    }
    REFUSE(*value < 1 || *value > (INT64_MAX >> 24), "%s '%s': at least 1", name, text);
    *value <<= 20;
    return true;
}

static bool iom_access_is_known(struct iom_params *a, const char *text, char *complaint) {
    bool read = strcmp(text, "R") == 0;
    REFUSE(!read && strcmp(text, "W") != 0, "ReadOrWrite '%s': R or W", text);
    a->read = read;
    a->write = !read;
    a->sync = !read; /* the original always synchronises */
    REFUSE(read && a->truncate, "Truncate 1 with R: the file would be lost; give 0");
    bool nowhere = strcmp(a->test_file, read ? "/dev/zero" : "/dev/null") == 0;
    if (nowhere) {
        a->cache = "discarded";
        a->sync = a->truncate = 0;
    }
    return true;
}

bool iom_original_read(struct iom_run *run, int argc, char **argv, int *used, char *complaint) {
    struct iom_params *a = &run->requested;
    int64_t remaining_mib = 0;
    int prewrite_memory = 0;
    int count = 0;
    char **arguments = argv; /* the first is the file */
    while (count < ARGUMENTS && count + 1 < argc && strncmp(argv[count + 1], "--", 2) != 0) {
        count++;
    }
    REFUSE(
        count < ARGUMENTS,
        "%d argument%s in the original's order, which are 14 or 15, see --help; or give options: -w -n 1000",
        count, count == 1 ? "" : "s");
    run->original = true;
    a->test_file = arguments[1];
    bool good = iom_mebibytes("memoryBufferInMiB", arguments[2], &a->memory_bytes, complaint) &&
                iom_mebibytes("fileSizeInMiB", arguments[3], &a->file_bytes, complaint) &&
                weir_number_parse("MaxRepeats", arguments[4], &a->operations, complaint) &&
                iom_truth("Truncate", arguments[5], &a->truncate, complaint) &&
                weir_number_parse("accessSize", arguments[6], &a->xfer_bytes, complaint) &&
                weir_number_parse("preallocateMemoryRemainsInMiB", arguments[9], &remaining_mib, complaint) &&
                iom_truth("preWriteMemBuffer", arguments[10], &prewrite_memory, complaint) &&
                iom_truth("preWriteFile", arguments[11], &a->prefill, complaint) &&
                iom_access_is_known(a, arguments[12], complaint) &&
                weir_number_parse("SEED", arguments[13], &a->seed, complaint) &&
                iom_truth("WaitForProperSize", arguments[14], &a->wait, complaint);
    if (!good) {
        return false;
    }
    a->memory_order = arguments[7];
    a->file_order = arguments[8];
    REFUSE(remaining_mib != 0,
           "preallocateMemoryRemainsInMiB %lld: weir-io takes no memory away; give 0 and --cache uncached",
           (long long)remaining_mib);
    REFUSE(
        !prewrite_memory,
        "preWriteMemBuffer 0: weir-io always writes the buffer first, else its pages would be timed; give 1");
    a->times = "out"; /* where the original leaves them */
    *used = ARGUMENTS;
    if (argc > ARGUMENTS + 1 && argv[ARGUMENTS + 1][0] != '-') {
        a->device = argv[ARGUMENTS + 1];
        a->samples = "stats";
        *used = ARGUMENTS + 1;
    }
    return true;
}

/* The original draws by rand() from srand(SEED), the same on each rank, for the memory once before the first
 * operation, then for memory and file in turns. Its rndX and strideX,Y are not repeated, because they leave
 * the buffer; what they draw is drawn, so that the other's turn stays its own. */
void iom_original_plan(struct iom_run *run, int iteration) {
    const struct iom_params *a = &run->requested;
    const struct {
        uint64_t last, factor;
        bool draws, places;
    } spaces[] = {{(uint64_t)(a->memory_bytes - a->xfer_bytes), 128, iom_locality_is_random(&run->in_memory),
                   run->in_memory.order == IOM_RND},
                  {(uint64_t)(a->file_bytes - a->xfer_bytes), 10, iom_locality_is_random(&run->in_file),
                   run->in_file.order == IOM_RND}};
    struct random_data generator = {0};
    char state[128]; /* as many as rand() has */
    int32_t number = 0;
    initstate_r((unsigned)(a->seed + iteration), state, sizeof state, &generator);
    if (spaces[0].draws) {
        random_r(&generator, &number);
    }
    for (int64_t i = 0; i < a->operations; i++) {
        uint64_t *places[] = {&run->operations[i].memory, &run->operations[i].offset};
        for (int k = 0; k < 2; k++) {
            if (spaces[k].draws) {
                random_r(&generator, &number);
            }
            if (spaces[k].places && spaces[k].last > 0) {
                *places[k] = (uint64_t)number * spaces[k].factor % spaces[k].last;
            }
        }
    }
}
