/* Datatypes to runs of bytes, by taking them apart as they were put together. */
#include <stdlib.h>

#include "pool.h"

struct contents {
    int combiner;
    int integer_count;
    int type_count;
    int *integers;
    MPI_Aint *addresses;
    MPI_Datatype *types;
};

void flat_free(struct flat *flat) {
    free(flat->segments);
    *flat = (struct flat){NULL, 0, 0, 0, 0};
}

static int flatten_append(struct flat *flat, MPI_Aint offset, int64_t bytes) {
    if (bytes == 0) {
        return MPI_SUCCESS;
    }
    if (flat->count > 0) {
        struct segment *last = &flat->segments[flat->count - 1];
        if (last->offset + last->bytes == offset) {
            last->bytes += bytes;
            flat->bytes += bytes;
            return MPI_SUCCESS;
        }
    }
    if (flat->count == flat->room) {
        size_t room = flat->room == 0 ? 8 : 2 * flat->room;
        struct segment *segments = realloc(flat->segments, room * sizeof *segments);
        if (segments == NULL) {
            return MPI_ERR_NO_MEM;
        }
        flat->segments = segments;
        flat->room = room;
    }
    flat->segments[flat->count++] = (struct segment){offset, bytes, flat->bytes};
    flat->bytes += bytes;
    return MPI_SUCCESS;
}

/* count instances of part, one extent apart, from offset on */
static int flatten_append_many(struct flat *flat, const struct flat *part, MPI_Aint offset, int64_t count) {
    if (part->count == 1 && part->segments[0].bytes == part->extent) {
        return flatten_append(flat, offset + part->segments[0].offset, count * part->extent);
    }
    for (int64_t i = 0; i < count; i++) {
        for (size_t j = 0; j < part->count; j++) {
            const struct segment *segment = &part->segments[j];
            int error = flatten_append(flat, offset + i * part->extent + segment->offset, segment->bytes);
            if (error != MPI_SUCCESS) {
                return error;
            }
        }
    }
    return MPI_SUCCESS;
}

static int flatten_get_contents(MPI_Datatype type, struct contents *contents) {
    int address_count;
    PMPI_Type_get_envelope(type, &contents->integer_count, &address_count, &contents->type_count,
                           &contents->combiner);
    contents->integers = malloc((size_t)(contents->integer_count + 1) * sizeof *contents->integers);
    contents->addresses = malloc((size_t)(address_count + 1) * sizeof *contents->addresses);
    contents->types = malloc((size_t)(contents->type_count + 1) * sizeof *contents->types);
    if (contents->integers == NULL || contents->addresses == NULL || contents->types == NULL) {
        return MPI_ERR_NO_MEM;
    }
    if (contents->combiner == MPI_COMBINER_NAMED) {
        return MPI_SUCCESS;
    }
    return PMPI_Type_get_contents(type, contents->integer_count, address_count, contents->type_count,
                                  contents->integers, contents->addresses, contents->types);
}

static void flatten_free_contents(struct contents *contents) {
    for (int i = 0; contents->combiner != MPI_COMBINER_NAMED && i < contents->type_count; i++) {
        int integers;
        int addresses;
        int types;
        int combiner;
        PMPI_Type_get_envelope(contents->types[i], &integers, &addresses, &types, &combiner);
        if (combiner != MPI_COMBINER_NAMED) {
            PMPI_Type_free(&contents->types[i]);
        }
    }
    free(contents->integers);
    free(contents->addresses);
    free(contents->types);
}

static int flatten_vector(const struct contents *contents, const struct flat *old, bool in_bytes,
                          struct flat *flat) {
    int64_t count = contents->integers[0];
    int64_t block = contents->integers[1];
    MPI_Aint stride = in_bytes ? contents->addresses[0] : contents->integers[2] * old->extent;
    int error = MPI_SUCCESS;
    for (int64_t i = 0; i < count && error == MPI_SUCCESS; i++) {
        error = flatten_append_many(flat, old, i * stride, block);
    }
    return error;
}

/* Blocks of their own lengths, or of one length, at displacements in bytes or in extents. */
static int flatten_indexed(const struct contents *contents, const struct flat *old, bool one_length,
                           bool in_bytes, struct flat *flat) {
    int count = contents->integers[0];
    const int *lengths = contents->integers + 1;
    const int *places = one_length ? contents->integers + 2 : contents->integers + 1 + count;
    int error = MPI_SUCCESS;
    for (int i = 0; i < count && error == MPI_SUCCESS; i++) {
        MPI_Aint offset = in_bytes ? contents->addresses[i] : places[i] * old->extent;
        error = flatten_append_many(flat, old, offset, one_length ? lengths[0] : lengths[i]);
    }
    return error;
}

static int flatten_struct(const struct contents *contents, struct flat *flat) {
    int error = MPI_SUCCESS;
    for (int i = 0; i < contents->integers[0] && error == MPI_SUCCESS; i++) {
        struct flat part = {NULL, 0, 0, 0, 0};
        error = flatten(contents->types[i], &part);
        if (error == MPI_SUCCESS) {
            error = flatten_append_many(flat, &part, contents->addresses[i], contents->integers[1 + i]);
        }
        flat_free(&part);
    }
    return error;
}

/* Rows of the fastest dimension, in the order of the array. */
static int flatten_subarray(const struct contents *contents, const struct flat *old, struct flat *flat) {
    int dimensions = contents->integers[0];
    const int *sizes = contents->integers + 1;
    const int *parts = sizes + dimensions;
    const int *starts = parts + dimensions;
    bool c_order = contents->integers[1 + 3 * dimensions] == MPI_ORDER_C;
    int64_t rows = 1;
    int fastest = c_order ? dimensions - 1 : 0;
    int error = MPI_SUCCESS;
    for (int i = 0; i < dimensions; i++) {
        rows *= i == fastest ? 1 : parts[i];
    }
    for (int64_t row = 0; row < rows && error == MPI_SUCCESS && parts[fastest] > 0; row++) {
        int64_t rest = row;
        int64_t index = starts[fastest];
        int64_t weight = sizes[fastest];
        for (int i = 1; i < dimensions; i++) {
            int dimension = c_order ? dimensions - 1 - i : i;
            index += (starts[dimension] + rest % parts[dimension]) * weight;
            rest /= parts[dimension];
            weight *= sizes[dimension];
        }
        error = flatten_append_many(flat, old, index * old->extent, parts[fastest]);
    }
    return error;
}

/* Any other type: pack a buffer whose bytes are their own positions, once for each byte of their addresses.
 */
static int flatten_by_packing(MPI_Datatype type, struct flat *flat) {
    const MPI_Aint largest = (MPI_Aint)256 << 20;
    MPI_Aint lower;
    MPI_Aint extent;
    int bytes;
    PMPI_Type_get_true_extent(type, &lower, &extent);
    PMPI_Type_size(type, &bytes);
    if (extent > largest) {
        return MPI_ERR_TYPE;
    }
    unsigned char *places = malloc((size_t)extent + 1);
    unsigned char *packed = malloc((size_t)bytes + 1);
    uint32_t *found = calloc((size_t)bytes + 1, sizeof *found);
    int error = places == NULL || packed == NULL || found == NULL ? MPI_ERR_NO_MEM : MPI_SUCCESS;
    for (unsigned byte = 0; byte < 4 && error == MPI_SUCCESS; byte++) {
        int position = 0;
        for (MPI_Aint i = 0; i < extent; i++) {
            places[i] = (unsigned char)(i >> (8 * byte));
        }
        error = PMPI_Pack(places - lower, 1, type, packed, bytes, &position, MPI_COMM_SELF);
        for (int i = 0; i < bytes && error == MPI_SUCCESS; i++) {
            found[i] |= (uint32_t)packed[i] << (8 * byte);
        }
    }
    for (int i = 0; i < bytes && error == MPI_SUCCESS; i++) {
        error = flatten_append(flat, lower + (MPI_Aint)found[i], 1);
    }
    free(places);
    free(packed);
    free(found);
    return error;
}

static int flatten_derived(MPI_Datatype type, const struct contents *contents, const struct flat *old,
                           struct flat *flat) {
    switch (contents->combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
        return flatten_append_many(flat, old, 0, 1);
    case MPI_COMBINER_CONTIGUOUS:
        return flatten_append_many(flat, old, 0, contents->integers[0]);
    case MPI_COMBINER_VECTOR:
        return flatten_vector(contents, old, false, flat);
    case MPI_COMBINER_HVECTOR:
        return flatten_vector(contents, old, true, flat);
    case MPI_COMBINER_INDEXED:
        return flatten_indexed(contents, old, false, false, flat);
    case MPI_COMBINER_HINDEXED:
        return flatten_indexed(contents, old, false, true, flat);
    case MPI_COMBINER_INDEXED_BLOCK:
        return flatten_indexed(contents, old, true, false, flat);
    case MPI_COMBINER_HINDEXED_BLOCK:
        return flatten_indexed(contents, old, true, true, flat);
    case MPI_COMBINER_STRUCT:
        return flatten_struct(contents, flat);
    case MPI_COMBINER_SUBARRAY:
        return flatten_subarray(contents, old, flat);
    default:
        return flatten_by_packing(type, flat);
    }
}

static bool flatten_has_holes(MPI_Datatype type, MPI_Aint extent) {
    int bytes;
    PMPI_Type_size(type, &bytes);
    return bytes != extent;
}

int flatten(MPI_Datatype type, struct flat *flat) {
    struct contents contents = {0};
    struct flat old = {NULL, 0, 0, 0, 0};
    MPI_Aint lower;
    *flat = (struct flat){NULL, 0, 0, 0, 0};
    int error = flatten_get_contents(type, &contents);
    PMPI_Type_get_extent(type, &lower, &flat->extent);
    if (error == MPI_SUCCESS && contents.combiner == MPI_COMBINER_NAMED) {
        /* MPI_DOUBLE_INT and its like have gaps */
        error = flatten_has_holes(type, flat->extent) ? flatten_by_packing(type, flat)
                                                      : flatten_append(flat, 0, flat->extent);
    } else if (error == MPI_SUCCESS) {
        if (contents.type_count > 0 && contents.combiner != MPI_COMBINER_STRUCT) {
            error = flatten(contents.types[0], &old);
        }
        if (error == MPI_SUCCESS) {
            error = flatten_derived(type, &contents, &old, flat);
        }
    }
    flat_free(&old);
    flatten_free_contents(&contents);
    if (error != MPI_SUCCESS) {
        flat_free(flat);
    }
    return error;
}
