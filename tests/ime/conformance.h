/* What the halves of the conformance test share. */
#ifndef CONFORMANCE_H
#define CONFORMANCE_H

#include <stdatomic.h>
#include <stdint.h>

struct shared {
    _Atomic uint32_t turn;
    _Atomic uint32_t failed;
    _Atomic uint64_t compared;
};

struct settings {
    const char *store;
    const char *model;
    const char *mount;
    uint32_t operations;
    uint64_t seed;
    unsigned workers;
};

extern struct settings settings;
extern struct shared *shared;

/* conformance_operations.c */
unsigned owner_of(uint32_t operation); /* which worker does it; also seeds the draw of what it is */
void do_operation(uint32_t number);
void close_all(void);

/* conformance.c */
void pass_turn(void);

#endif
