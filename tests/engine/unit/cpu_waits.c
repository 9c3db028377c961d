/* The pressure of processors, by a capture of Linux 6.18; older kernels have the first line alone. */
#include "cpu_waits.h"

#include "check.h"

#include <string.h>

static uint64_t parse(const char *text) {
    FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    uint64_t waited_us = weir_cpu_waits_parse(file);
    fclose(file);
    return waited_us;
}

int main(void) {
    CHECK(parse("some avg10=98.78 avg60=98.85 avg300=91.68 total=24921998748\n"
                "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n") == 24921998748u);
    CHECK(parse("full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n") == UINT64_MAX);
    CHECK(parse("some") == UINT64_MAX);
    CHECK(weir_cpu_waited_us() == UINT64_MAX || weir_cpu_waited_us() > 0);
    return finish();
}
