/* Layouts by liblustreapi, which is looked for at run time: weir-io is built where there is no Lustre. */
#include "file_layout.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

/* These stand in lustreapi.h and are stable since Lustre 2.10. */
#define LLAPI_USE_FIRST   1u
#define LLAPI_USE_NEXT    3u
#define LLAPI_INVALID     0x1000000000000001ull /* this and above: default, all targets */
#define LLAPI_WIDE        (LLAPI_INVALID + 2)
#define LLAPI_MDT         2u
#define LLAPI_OVERSTRIPED 4u

struct llapi_layout;

struct llapi_calls {
    struct llapi_layout *(*get_by_path)(const char *path, unsigned flags);
    int (*comp_use)(struct llapi_layout *layout, uint32_t position);
    int (*comp_extent_get)(const struct llapi_layout *layout, uint64_t *begin, uint64_t *end);
    int (*stripe_count_get)(const struct llapi_layout *layout, uint64_t *count);
    int (*stripe_size_get)(const struct llapi_layout *layout, uint64_t *bytes);
    int (*pattern_get)(const struct llapi_layout *layout, uint64_t *pattern);
    int (*pool_name_get)(const struct llapi_layout *layout, char *name, size_t bytes);
    int (*ost_index_get)(const struct llapi_layout *layout, uint64_t stripe, uint64_t *index);
    void (*free)(struct llapi_layout *layout);
};

static const struct {
    const char *name;
    size_t at;
} llapi_names[] = {
    {"llapi_layout_get_by_path", offsetof(struct llapi_calls, get_by_path)},
    {"llapi_layout_comp_use", offsetof(struct llapi_calls, comp_use)},
    {"llapi_layout_comp_extent_get", offsetof(struct llapi_calls, comp_extent_get)},
    {"llapi_layout_stripe_count_get", offsetof(struct llapi_calls, stripe_count_get)},
    {"llapi_layout_stripe_size_get", offsetof(struct llapi_calls, stripe_size_get)},
    {"llapi_layout_pattern_get", offsetof(struct llapi_calls, pattern_get)},
    {"llapi_layout_pool_name_get", offsetof(struct llapi_calls, pool_name_get)},
    {"llapi_layout_ost_index_get", offsetof(struct llapi_calls, ost_index_get)},
    {"llapi_layout_free", offsetof(struct llapi_calls, free)},
};

/* The library stays loaded: nothing unloads it while a process measures. */
static bool llapi_load(struct llapi_calls *calls) {
    void *library = dlopen("liblustreapi.so.1", RTLD_NOW | RTLD_LOCAL);
    library = library != NULL ? library : dlopen("liblustreapi.so", RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; library != NULL && i < sizeof llapi_names / sizeof *llapi_names; i++) {
        void *call = dlsym(library, llapi_names[i].name);
        if (call == NULL) {
            return false;
        }
        memcpy((char *)calls + llapi_names[i].at, &call, sizeof call);
    }
    return library != NULL;
}

static void llapi_name_pattern(uint64_t pattern, char name[32]) {
    if (pattern == LLAPI_MDT) {
        snprintf(name, 32, "mdt");
    } else if (pattern == LLAPI_OVERSTRIPED) {
        snprintf(name, 32, "raid0,overstriped");
    } else if (pattern == 0) {
        snprintf(name, 32, "raid0");
    } else {
        snprintf(name, 32, "0x%llx", (unsigned long long)pattern);
    }
}

static bool llapi_read_component(const struct llapi_calls *calls, const struct llapi_layout *from,
                                 struct weir_file_layout *layout) {
    uint64_t count, bytes, pattern, index;
    struct weir_layout_component *component = &layout->components[layout->component_count];
    *component = (struct weir_layout_component){.first_target = layout->target_count};
    if (calls->comp_extent_get(from, &component->begin_bytes, &component->end_bytes) != 0 ||
        calls->stripe_count_get(from, &count) != 0 || calls->stripe_size_get(from, &bytes) != 0 ||
        calls->pattern_get(from, &pattern) != 0) {
        return false;
    }
    layout->component_count++;
    llapi_name_pattern(pattern, component->pattern);
    component->stripe_count = count == LLAPI_WIDE ? -1 : count >= LLAPI_INVALID ? 0 : (int64_t)count;
    component->stripe_bytes = bytes >= LLAPI_INVALID ? 0 : bytes;
    if (calls->pool_name_get(from, component->pool, sizeof component->pool) != 0) {
        component->pool[0] = '\0';
    }
    /* No target has an index yet where nothing was written to the component. */
    for (int64_t i = 0; pattern != LLAPI_MDT && i < component->stripe_count; i++) {
        if (calls->ost_index_get(from, (uint64_t)i, &index) != 0) {
            break;
        }
        weir_file_layout_add_target(layout, index);
    }
    return true;
}

bool weir_file_layout_llapi(const char *path, struct weir_file_layout *layout) {
    static struct llapi_calls calls;
    static int loaded = -1;
    if (loaded < 0) {
        loaded = llapi_load(&calls);
    }
    struct llapi_layout *from = loaded > 0 ? calls.get_by_path(path, 0) : NULL;
    if (from == NULL) {
        return false;
    }
    memset(layout, 0, sizeof *layout);
    calls.comp_use(from, LLAPI_USE_FIRST); /* a plain layout is its only component */
    bool good = true;
    do {
        good = llapi_read_component(&calls, from, layout);
    } while (good && layout->component_count < WEIR_LAYOUT_COMPONENTS &&
             calls.comp_use(from, LLAPI_USE_NEXT) == 0);
    calls.free(from);
    return good;
}
