#pragma once

#include "observer.h"

#include <stdio.h>

/* The counts of one mount in the text of /proc/self/mountstats. */
bool weir_nfs_parse(FILE *file, const char *point, uint64_t counts[WEIR_SERVERS_COUNTS]);
