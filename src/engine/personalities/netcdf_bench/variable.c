#include "variable.h"

#include "mix.h"
#include "stored.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *const ncb_dim_names[NCB_DIMS] = {"time", "dim_1", "dim_2", "dim_3"};

static const struct ncb_type types[] = {
    {"int", NCB_INT, 4},     {"float", NCB_FLOAT, 4},   {"double", NCB_DOUBLE, 8}, {"byte", NCB_BYTE, 1},
    {"ubyte", NCB_UBYTE, 1}, {"short", NCB_SHORT, 2},   {"ushort", NCB_USHORT, 2}, {"uint", NCB_UINT, 4},
    {"int64", NCB_INT64, 8}, {"uint64", NCB_UINT64, 8},
};
#define TYPES (sizeof types / sizeof types[0])

static const struct weir_backend *formats;

void ncb_format_register(struct weir_backend *format) {
    format->next = formats;
    formats = format;
}

const struct weir_backend *ncb_format_find(const char *name) {
    const struct weir_backend *format = formats;
    while (format != NULL && strcmp(format->alias, name) != 0) {
        format = format->next;
    }
    return format;
}

const struct ncb_type *ncb_type_find(const char *name) {
    for (size_t i = 0; i < TYPES; i++) {
        if (strcmp(types[i].name, name) == 0) {
            return &types[i];
        }
    }
    return NULL;
}

void ncb_type_names(char *text, size_t bytes) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < TYPES && used < bytes; i++) {
        used += (size_t)snprintf(text + used, bytes - used, "%s%s", i > 0 ? ", " : "", types[i].name);
    }
}

void ncb_geometry_text(const size_t geometry[NCB_DIMS], char *text, size_t bytes) {
    snprintf(text, bytes, "%zu:%zu:%zu:%zu", geometry[0], geometry[1], geometry[2], geometry[3]);
}

void ncb_place(const struct ncb_variable *v, uint64_t offset, size_t start[NCB_DIMS]) {
    size_t of_rank = v->across[1] * v->across[2] * v->across[3];
    size_t index = (size_t)(offset % v->step_bytes / v->block_bytes) % of_rank;
    start[0] = (size_t)(offset / v->step_bytes) * v->block[0];
    start[3] = v->origin[3] + index % v->across[3] * v->block[3];
    index /= v->across[3];
    start[2] = v->origin[2] + index % v->across[2] * v->block[2];
    start[1] = v->origin[1] + index / v->across[2] * v->block[1];
}

/* An integer that is too narrow keeps the low bytes of the value. */
static void ncb_set(const struct ncb_type *type, unsigned char *to, uint64_t value) {
    union {
        uint8_t one;
        uint16_t two;
        uint32_t four;
        uint64_t eight;
        float single;
        double twice;
    } word;
    if (type->external == NCB_FLOAT) {
        word.single = (float)value;
    } else if (type->external == NCB_DOUBLE) {
        word.twice = (double)value;
    } else if (type->bytes == 1) {
        word.one = (uint8_t)value;
    } else if (type->bytes == 2) {
        word.two = (uint16_t)value;
    } else if (type->bytes == 4) {
        word.four = (uint32_t)value;
    } else {
        word.eight = value;
    }
    memcpy(to, &word, type->bytes);
}

void ncb_values(const struct ncb_variable *v, int rank, unsigned char *memory) {
    unsigned char *to = memory;
    for (size_t t = 0; t < v->block[0]; t++) {
        for (size_t x = 0; x < v->block[1]; x++) {
            for (size_t y = 0; y < v->block[2]; y++) {
                for (size_t z = 0; z < v->block[3]; z++, to += v->type->bytes) {
                    ncb_set(v->type, to, 100 * t + (uint64_t)rank + x + 10 * y + 1);
                }
            }
        }
    }
}

/* Only what the type holds exactly: a value that came back as another is a difference. */
static uint64_t ncb_fitted(const struct ncb_type *type, uint64_t random) {
    return type->external == NCB_FLOAT ? random >> 40 : type->external == NCB_DOUBLE ? random >> 11 : random;
}

void ncb_values_by_position(const struct ncb_variable *v, uint64_t offset, unsigned char *memory) {
    size_t start[NCB_DIMS];
    unsigned char *to = memory;
    ncb_place(v, offset, start);
    for (size_t t = 0; t < v->block[0]; t++) {
        for (size_t x = 0; x < v->block[1]; x++) {
            for (size_t y = 0; y < v->block[2]; y++) {
                uint64_t row = ((start[0] + t) * v->dims[1] + start[1] + x) * v->dims[2] + start[2] + y;
                uint64_t index = row * v->dims[3] + start[3];
                for (size_t z = 0; z < v->block[3]; z++, to += v->type->bytes) {
                    ncb_set(v->type, to, ncb_fitted(v->type, weir_mix(v->seed + (index + z) * WEIR_GOLDEN)));
                }
            }
        }
    }
}

int ncb_same_variable(const struct ncb_variable *requested, const char *path, int type,
                      const size_t dims[NCB_DIMS], struct weir_problem *problem) {
    char there[100], wanted[100];
    if (type != (int)requested->type->external) {
        return weir_problem_set(problem, "open", path, 0, "it holds values of another type",
                                "--type=%s was requested", requested->type->name);
    }
    if (memcmp(dims + 1, requested->dims + 1, (NCB_DIMS - 1) * sizeof *dims) == 0) {
        return 0;
    }
    ncb_geometry_text(dims, there, sizeof there);
    ncb_geometry_text(requested->dims, wanted, sizeof wanted);
    return weir_problem_set(problem, "open", path, 0, "it holds another geometry", "data is %s, not %s",
                            there, wanted);
}

/* Where the data begins; without an answer of the library, all that is not data counts as header. */
static uint64_t ncb_data_begins(const struct ncb_variable *variable, uint64_t file_bytes) {
    uint64_t data_bytes = variable->type->bytes;
    for (int i = 0; i < NCB_DIMS; i++) {
        data_bytes *= variable->dims[i];
    }
    if (variable->found->data_at > 0 || file_bytes < data_bytes) {
        return variable->found->data_at;
    }
    return file_bytes - data_bytes;
}

int ncb_stored(const struct ncb_variable *variable, const char *path, struct weir_stored *stored,
               struct weir_problem *problem) {
    if (weir_stored_named(path, NULL, stored, problem) != 0) {
        return -1;
    }
    stored->reduced = variable->found->deflate_level > 0 || variable->found->zstd_level > 0;
    if (stored->reduced || weir_has_prefix(path)) {
        return 0; /* MPI-IO cannot report holes */
    }
    uint64_t begins = ncb_data_begins(variable, stored->bytes);
    if (stored->first_hole_bytes >= begins) {
        return 0;
    }
    /* Between header and data a library may leave room on purpose. */
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return weir_problem_set(problem, "open", path, errno, NULL,
                                "looking at the file after it was closed");
    }
    stored->first_hole_bytes =
        begins + weir_bytes_before_hole(descriptor, begins, stored->bytes - begins, stored);
    close(descriptor);
    return 0;
}
