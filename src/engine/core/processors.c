#include "processors.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WORD_BITS 64u
#define MOST      (WEIR_PROCESSORS_WORDS * WORD_BITS)

/* The call is the system's: the C library's would need a set of its own type. */
void weir_processors_read(struct weir_processors *allowed) {
    memset(allowed, 0, sizeof *allowed);
    if (syscall(SYS_sched_getaffinity, 0, sizeof allowed->words, allowed->words) < 0) {
        memset(allowed, 0, sizeof *allowed);
    }
}

static bool processors_have(const struct weir_processors *allowed, unsigned number) {
    return number < MOST && (allowed->words[number / WORD_BITS] >> number % WORD_BITS & 1u) != 0;
}

unsigned weir_processors_count(const struct weir_processors *allowed) {
    unsigned count = 0;
    for (unsigned number = 0; number < MOST; number++) {
        count += processors_have(allowed, number);
    }
    return count;
}

void weir_processors_text(const struct weir_processors *allowed, char *text, size_t room) {
    size_t used = 0;
    text[0] = '\0';
    for (unsigned number = 0; number < MOST; number++) {
        char part[32];
        unsigned first = number;
        if (!processors_have(allowed, number)) {
            continue;
        }
        while (processors_have(allowed, number + 1)) {
            number++;
        }
        int length = snprintf(part, sizeof part, "%s%u", used > 0 ? "," : "", first);
        if (number > first) {
            length += snprintf(part + length, sizeof part - (size_t)length, "-%u", number);
        }
        if (used + (size_t)length >= room) {
            return;
        }
        memcpy(text + used, part, (size_t)length + 1);
        used += (size_t)length;
    }
}
