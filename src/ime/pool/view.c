/* A view: which bytes of the file a rank sees, and in what order. */
#include "pool.h"

static bool view_is_named(MPI_Datatype type) {
    int integers;
    int addresses;
    int types;
    int combiner;
    PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    return combiner == MPI_COMBINER_NAMED;
}

static MPI_Datatype view_keep_type(MPI_Datatype type) {
    MPI_Datatype kept = type;
    if (!view_is_named(type)) {
        PMPI_Type_dup(type, &kept);
    }
    return kept;
}

void view_clear(struct view *view) {
    if (!view_is_named(view->etype)) {
        PMPI_Type_free(&view->etype);
    }
    if (!view_is_named(view->filetype)) {
        PMPI_Type_free(&view->filetype);
    }
    flat_free(&view->flat);
}

int view_set(struct view *view, MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype) {
    int bytes;
    PMPI_Type_size(etype, &bytes);
    int error = displacement < 0 ? MPI_ERR_ARG : flatten(filetype, &view->flat);
    if (error != MPI_SUCCESS) {
        return error;
    }
    view->displacement = displacement;
    view->etype_bytes = bytes;
    view->etype = view_keep_type(etype);
    view->filetype = view_keep_type(filetype);
    return MPI_SUCCESS;
}

static const struct segment *view_segment_at(const struct flat *flat, int64_t within) {
    size_t low = 0;
    size_t high = flat->count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (flat->segments[middle].before <= within) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return &flat->segments[low];
}

int64_t view_offset(const struct view *view, int64_t position, int64_t *run_bytes) {
    const struct flat *flat = &view->flat;
    if (flat->count == 1 && flat->segments[0].bytes == flat->extent) { /* no gaps at all */
        *run_bytes = INT64_MAX - position;
        return view->displacement + flat->segments[0].offset + position;
    }
    int64_t within = position % flat->bytes;
    const struct segment *segment = view_segment_at(flat, within);
    *run_bytes = segment->before + segment->bytes - within;
    return view->displacement + position / flat->bytes * flat->extent + segment->offset + within -
           segment->before;
}

int64_t view_position(const struct view *view, int64_t offset) {
    const struct flat *flat = &view->flat;
    int64_t rest = offset - view->displacement;
    if (rest <= 0 || flat->bytes == 0) {
        return 0;
    }
    int64_t instance = rest / flat->extent;
    int64_t position = instance * flat->bytes;
    int64_t inside = rest - instance * flat->extent;
    for (size_t i = 0; i < flat->count; i++) {
        const struct segment *segment = &flat->segments[i];
        if (inside <= segment->offset) {
            break;
        }
        int64_t used = inside - segment->offset;
        position = instance * flat->bytes + segment->before + (used < segment->bytes ? used : segment->bytes);
    }
    int64_t etype = view->etype_bytes > 0 ? view->etype_bytes : 1;
    return (position + etype - 1) / etype * etype;
}
