/* Which objects provide calls in place of the C library. */
#pragma once

#include "job.h"
#include "json.h"

#define WEIR_INTERPOSED_BYTES (32 << 10) /* a sanitizer provides some 500 calls */

/* One line `call object` for each call that the C library does not provide, all ranks together; empty if
 * there is none. Called by all ranks; the text is rank 0's. */
void weir_interposed_find(const struct weir_job *job, char text[WEIR_INTERPOSED_BYTES]);
/* The member "interposed" of the object: list of {call, object}. */
void weir_interposed_write(struct weir_json *json, const char *text);
