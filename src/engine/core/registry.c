#include "backend.h"
#include "personality.h"

#include <string.h>
#include <strings.h>

static struct weir_backend *backends;
static struct weir_personality *personalities;

/* Constructors run in no particular order, so the lists are kept sorted. */
void weir_backend_register(struct weir_backend *backend) {
    const struct weir_backend **place = (const struct weir_backend **)&backends;
    while (*place != NULL && strcmp((*place)->name, backend->name) < 0) {
        place = (const struct weir_backend **)&((struct weir_backend *)*place)->next;
    }
    backend->next = *place;
    *place = backend;
}

const struct weir_backend *weir_backends(void) {
    return backends;
}

const struct weir_backend *weir_backend_find(const char *name) {
    for (const struct weir_backend *b = backends; b != NULL; b = b->next) {
        if (strcasecmp(b->name, name) == 0 || (b->alias != NULL && strcasecmp(b->alias, name) == 0)) {
            return b;
        }
    }
    return NULL;
}

void weir_personality_register(struct weir_personality *personality) {
    const struct weir_personality **place = (const struct weir_personality **)&personalities;
    while (*place != NULL && strcmp((*place)->name, personality->name) < 0) {
        place = (const struct weir_personality **)&((struct weir_personality *)*place)->next;
    }
    personality->next = *place;
    *place = personality;
}

const struct weir_personality *weir_personalities(void) {
    return personalities;
}
