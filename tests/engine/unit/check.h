/* The smallest test harness: CHECK prints what failed and goes on; finish() gives main its exit code. */
#ifndef WEIR_CHECK_H
#define WEIR_CHECK_H

#include <stdio.h>

static int checks_made, checks_failed;

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        checks_made++;                                                                                       \
        if (!(condition)) {                                                                                  \
            checks_failed++;                                                                                 \
            printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                 \
        }                                                                                                    \
    } while (0)

static int finish(void) {
    printf("%d checks, %d failed\n", checks_made, checks_failed);
    return checks_made == 0 || checks_failed != 0;
}

#endif
