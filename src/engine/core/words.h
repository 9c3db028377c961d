/* Words of which a text has to be one. */
#pragma once

#include <string.h>

/* Its place in a list that ends with NULL; -1: it is none of them. */
static inline int weir_place_of(const char *text, const char *const *words) {
    for (int i = 0; words[i] != NULL; i++) {
        if (strcmp(text, words[i]) == 0) {
            return i;
        }
    }
    return -1;
}
