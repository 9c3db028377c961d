/* Which objects of the process stand between its calls and the C library, whatever they are called. */
#pragma once

#include <stdbool.h>

/* A call that the C library defines and another object provides. behind: to this library, which the call
 * then passes first; else to the program or one of its libraries. */
typedef void weir_binding_found(void *context, const char *call, const char *object, bool behind);

/* What a library calls itself, as it was found when it was needed first. */
struct weir_binding {
    const char *call;
    void *address;
};

/* Looks at what the calls of each loaded object are bound to, by its own tables: this shows preloaded and
 * linked libraries, and tables that an audit library or another one has changed. What was not bound yet is
 * looked up. own: an address in the library that asks, which does not count; NULL in a program. A call may be
 * found several times. used: what the library calls itself: what is found later may be another function.
 * Functions of audit libraries (LD_AUDIT) that may change calls as they pass (la_pltenter, la_pltexit)
 * are found as calls of their names. */
void weir_bindings_look(const void *own, const struct weir_binding *used, unsigned used_count,
                        weir_binding_found *found, void *context);
/* The process that traces this one; 0: none. */
unsigned weir_bindings_tracer(void);
