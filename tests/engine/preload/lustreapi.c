/* liblustreapi for tests: a file with 64 KiB on the metadata target, two stripes in a pool, and a component
 * for all targets that nothing was written to. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define INVALID 0x1000000000000001ull
#define WIDE    (INVALID + 2)

struct llapi_layout {
    int component;
};

static const struct {
    uint64_t begin, end, count, bytes, pattern;
    const char *pool;
} parts[] = {
    {0, 65536, INVALID + 1, 65536, 2, ""},
    {65536, 1u << 30, 2, 1048576, 0, "flash"},
    {1u << 30, UINT64_MAX, WIDE, 4194304, 4, ""},
};

struct llapi_layout *llapi_layout_get_by_path(const char *path, unsigned flags) {
    return path[0] != '\0' && flags == 0 ? calloc(1, sizeof(struct llapi_layout)) : NULL;
}

int llapi_layout_comp_use(struct llapi_layout *layout, uint32_t position) {
    if (position == 3 && layout->component == 2) {
        return 1;
    }
    layout->component = position == 1 ? 0 : layout->component + 1;
    return 0;
}

int llapi_layout_comp_extent_get(const struct llapi_layout *layout, uint64_t *begin, uint64_t *end) {
    *begin = parts[layout->component].begin;
    *end = parts[layout->component].end;
    return 0;
}

int llapi_layout_stripe_count_get(const struct llapi_layout *layout, uint64_t *count) {
    *count = parts[layout->component].count;
    return 0;
}

int llapi_layout_stripe_size_get(const struct llapi_layout *layout, uint64_t *bytes) {
    *bytes = parts[layout->component].bytes;
    return 0;
}

int llapi_layout_pattern_get(const struct llapi_layout *layout, uint64_t *pattern) {
    *pattern = parts[layout->component].pattern;
    return 0;
}

int llapi_layout_pool_name_get(const struct llapi_layout *layout, char *name, size_t bytes) {
    snprintf(name, bytes, "%s", parts[layout->component].pool);
    return 0;
}

int llapi_layout_ost_index_get(const struct llapi_layout *layout, uint64_t stripe, uint64_t *index) {
    *index = 3 + 9 * stripe;
    return layout->component == 1 ? 0 : -1;
}

void llapi_layout_free(struct llapi_layout *layout) {
    free(layout);
}
