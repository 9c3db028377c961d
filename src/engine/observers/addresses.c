#include "addresses.h"

#include "peers.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

static int addresses_compare(const void *a, const void *b) {
    return memcmp(a, b, 16);
}

bool weir_addresses_parse(const char *text, unsigned char address[16]) {
    memcpy(address, weir_mapped_ipv4, WEIR_MAPPED);
    return inet_pton(AF_INET, text, address + WEIR_MAPPED) == 1 || inet_pton(AF_INET6, text, address) == 1;
}

bool weir_addresses_has(const struct weir_addresses *addresses, const unsigned char address[16]) {
    return bsearch(address, addresses->list, (size_t)addresses->count, 16, addresses_compare) != NULL;
}

bool weir_addresses_add(struct weir_addresses *addresses, const unsigned char address[16]) {
    if (weir_addresses_has(addresses, address)) {
        return true;
    }
    if (addresses->count == WEIR_ADDRESSES_MOST) {
        return false;
    }
    memcpy(addresses->list[addresses->count++], address, 16);
    qsort(addresses->list, (size_t)addresses->count, 16, addresses_compare);
    return true;
}
