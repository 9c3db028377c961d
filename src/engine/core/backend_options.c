#include "backend_options.h"

#include <stdio.h>
#include <stdlib.h>

#define SETS_MAX 64

static const struct weir_backend *backend_options_find(const char *name, char *complaint) {
    const struct weir_backend *backend = weir_backend_find(name);
    const char *names[SETS_MAX];
    int count = 0;
    for (const struct weir_backend *b = weir_backends(); b != NULL && count < SETS_MAX; b = b->next) {
        names[count++] = b->name;
    }
    const char *not_built = weir_not_built(name);
    if (backend == NULL && not_built != NULL) {
        snprintf(complaint, WEIR_COMPLAINT, "-a %s: this weir-io was built without it; build it with %s",
                 name, not_built);
    } else if (backend == NULL) {
        const char *near = weir_nearest(name, names, count);
        snprintf(complaint, WEIR_COMPLAINT, "-a %s: no such back end%s%s%s; weir-io --help lists them", name,
                 near ? ", did you mean " : "", near ? near : "", near ? "?" : "");
    }
    return backend;
}

bool weir_backend_options_parse(struct weir_run *run, int argc, char **argv,
                                const struct weir_option *const *tables, void *own, const char *const *api,
                                char *complaint) {
    struct weir_option_set sets[SETS_MAX] = {{NULL, NULL}};
    const struct weir_backend *owners[SETS_MAX] = {NULL};
    int count = 0;
    for (; tables[count] != NULL; count++) {
        sets[count] = (struct weir_option_set){tables[count], count == 0 ? own : &run->common};
    }
    int own_count = count;
    for (const struct weir_backend *b = weir_backends(); b != NULL && count < SETS_MAX; b = b->next) {
        if (b->options != NULL) {
            owners[count] = b;
            sets[count++] = (struct weir_option_set){b->options, calloc(1, b->settings_bytes)};
        }
    }
    run->options_known = weir_options_parse(argc, argv, sets, count, &run->texts, complaint);
    run->backend = run->options_known ? backend_options_find(*api, complaint) : NULL;
    bool good = run->backend != NULL;
    for (int i = own_count; i < count; i++) {
        if (good && owners[i] != run->backend) {
            const char *set = weir_options_first_set(&sets[i]);
            if (set != NULL) {
                snprintf(complaint, WEIR_COMPLAINT, "--%s belongs to -a %s", set, owners[i]->name);
                good = false;
            }
        }
        if (good && owners[i] == run->backend) {
            run->settings = sets[i].into;
        } else {
            free(sets[i].into);
        }
    }
    return good;
}

bool weir_backend_takes(const struct weir_run *run, const struct weir_open *how, char *complaint) {
    const char *reason = run->backend->refuse != NULL ? run->backend->refuse(how) : NULL;
    REFUSE(reason != NULL, "%s", reason);
    return true;
}

void weir_backend_options_print(const struct weir_option *const *tables, bool names) {
    const char *comma = "";
    printf("  %-34s %s [", "-a API", names ? "those that have names" : "the back ends here");
    for (const struct weir_backend *b = weir_backends(); b != NULL; b = b->next) {
        if (!names || b->names != NULL) {
            printf("%s%s", comma, b->name);
            comma = "|";
        }
    }
    printf("], POSIX unless given\n");
    for (int i = 0; tables[i] != NULL; i++) {
        weir_options_print(i == 0 ? tables[i] + 1 : tables[i]);
    }
    for (const struct weir_backend *b = weir_backends(); b != NULL; b = b->next) {
        if (b->options != NULL && (!names || b->names != NULL)) {
            printf("\nWith -a %s:\n", b->name);
            weir_options_print(b->options);
        }
    }
}
