/* Addresses of servers; IPv4 as ::ffff:a.b.c.d. */
#pragma once

#include <stdbool.h>

#define WEIR_ADDRESSES_MOST 1024

struct weir_addresses {
    int count;
    unsigned char list[WEIR_ADDRESSES_MOST][16]; /* sorted, each once */
};

bool weir_addresses_parse(const char *text, unsigned char address[16]);
bool weir_addresses_has(const struct weir_addresses *addresses, const unsigned char address[16]);
/* False where there are too many. */
bool weir_addresses_add(struct weir_addresses *addresses, const unsigned char address[16]);
