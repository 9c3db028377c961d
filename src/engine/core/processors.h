/* On which processors of its node a process may run: launchers and taskset bind it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define WEIR_PROCESSORS_WORDS 128 /* as many processors as Linux can have, 64 in each */

struct weir_processors {
    uint64_t words[WEIR_PROCESSORS_WORDS]; /* none at all: not known */
};

void weir_processors_read(struct weir_processors *allowed);
unsigned weir_processors_count(const struct weir_processors *allowed);
/* As the kernel writes it, such as 0-3,8; what has no room is left away. */
void weir_processors_text(const struct weir_processors *allowed, char *text, size_t room);
