#include "cpu_waits.h"

#include "closing.h"

#include <inttypes.h>

uint64_t weir_cpu_waits_parse(FILE *file) {
    uint64_t waited_us;
    return fscanf(file, "some %*s %*s %*s total=%" SCNu64, &waited_us) == 1 ? waited_us : UINT64_MAX;
}

uint64_t weir_cpu_waited_us(void) {
    WEIR_FILE *file = fopen("/proc/pressure/cpu", "re");
    return file != NULL ? weir_cpu_waits_parse(file) : UINT64_MAX;
}
