#include "io_model_locality.h"

#include "mix.h"
#include "options.h"
#include "words.h"

#include <ctype.h>
#include <string.h>

/* 0 to last, each equally often. */
static int64_t iom_any(struct iom_locality *locality, int64_t last) {
    __extension__ typedef unsigned __int128 wide;
    return (int64_t)(((wide)weir_mix_next(&locality->random_state) * ((uint64_t)last + 1)) >> 64);
}

static bool iom_sizes(const char *text, int64_t *x_bytes, int64_t *y_bytes, bool *has_y) {
    char first[40];
    const char *comma = strchr(text, ',');
    size_t length = comma != NULL ? (size_t)(comma - text) : strlen(text);
    long long x = 0, y = 0;
    bool digits = (length == 0 || isdigit((unsigned char)text[0])) &&
                  (comma == NULL || isdigit((unsigned char)comma[1]));
    if (length >= sizeof first || !digits) {
        return false;
    }
    memcpy(first, text, length);
    first[length] = '\0';
    if ((length > 0 && !weir_size_parse(first, &x)) || (comma != NULL && !weir_size_parse(comma + 1, &y))) {
        return false;
    }
    *x_bytes = x;
    *y_bytes = y;
    *has_y = comma != NULL;
    return true;
}

bool iom_locality_parse(const char *text, struct iom_locality *locality) {
    static const char *const without_sizes[] = {
        [IOM_OFF0] = "off0", [IOM_SEQ] = "seq", [IOM_RND] = "rnd", NULL};
    bool has_y = false;
    int order = weir_place_of(text, without_sizes);
    memset(locality, 0, sizeof *locality);
    if (order >= 0) {
        locality->order = (enum iom_order)order;
    } else if (strncmp(text, "rnd", 3) == 0) {
        locality->order = IOM_NEAR;
        return iom_sizes(text + 3, &locality->x_bytes, &locality->y_bytes, &has_y) && !has_y;
    } else if (strncmp(text, "stride", 6) == 0) {
        bool good = iom_sizes(text + 6, &locality->x_bytes, &locality->y_bytes, &has_y);
        locality->order = has_y ? IOM_SWAY : IOM_STRIDE;
        return good && text[6] != '\0';
    } else if (strncmp(text, "reverse", 7) == 0) {
        locality->order = IOM_REVERSE;
        return iom_sizes(text + 7, &locality->x_bytes, &locality->y_bytes, &has_y) && !has_y;
    } else {
        return false;
    }
    return true;
}

bool iom_locality_is_random(const struct iom_locality *locality) {
    return locality->order == IOM_RND || locality->order == IOM_NEAR || locality->order == IOM_SWAY;
}

void iom_locality_begin(struct iom_locality *locality, int64_t space_bytes, int64_t access_bytes,
                        int64_t align_bytes, uint64_t seed) {
    locality->space_bytes = space_bytes;
    locality->access_bytes = access_bytes;
    locality->align_bytes = align_bytes;
    locality->position = 0;
    locality->started = false;
    locality->random_state = weir_mix(seed);
}

/* Behind the end it goes on at the beginning, shifted by what was left, so that a second round meets other
 * bytes; before the beginning likewise. */
static int64_t iom_wrapped(int64_t position, int64_t last) {
    int64_t within = position % (last + 1);
    return within < 0 ? within + last + 1 : within;
}

/* A gap of up to X bytes behind or before the last access; where that leaves the space, to the other side. */
static int64_t iom_nearby(struct iom_locality *locality, int64_t last) {
    int64_t gap = iom_any(locality, 2 * locality->x_bytes) - locality->x_bytes;
    int64_t step = gap < 0 ? gap - locality->access_bytes : gap + locality->access_bytes;
    int64_t target = locality->position + step;
    if (target < 0 || target > last) {
        target = locality->position - step;
    }
    return target < 0 ? 0 : target > last ? last : target;
}

static int64_t iom_next_position(struct iom_locality *locality, int64_t last) {
    int64_t stride = locality->access_bytes + locality->x_bytes;
    int64_t sway;
    switch (locality->order) {
    case IOM_OFF0:
        return 0;
    case IOM_SEQ:
        return locality->position + stride > last ? 0 : locality->position + stride;
    case IOM_RND:
        return iom_any(locality, last);
    case IOM_NEAR:
        return iom_nearby(locality, last);
    case IOM_STRIDE:
        return iom_wrapped(locality->position + stride, last);
    case IOM_SWAY:
        sway = iom_any(locality, 2 * locality->y_bytes) - locality->y_bytes;
        return iom_wrapped(locality->position + stride + sway, last);
    case IOM_REVERSE:
        return iom_wrapped(locality->position - stride, last);
    }
    return 0;
}

int64_t iom_locality_next(struct iom_locality *locality) {
    int64_t last = locality->space_bytes - locality->access_bytes;
    if (locality->started) {
        locality->position = iom_next_position(locality, last);
    } else {
        locality->started = true;
        locality->position = locality->order == IOM_REVERSE ? last
                             : locality->order == IOM_RND   ? iom_any(locality, last)
                                                            : 0;
    }
    return locality->position - locality->position % locality->align_bytes;
}
