/* The one variable of netcdf-bench, data(time, dim_1, dim_2, dim_3), and how its formats store it. Each
 * format is a back end of its own table that no -a can choose: what it moves are blocks, not bytes. */
#pragma once

#include "backend.h"

#define NCB_DIMS 4                                /* time, x, y, z */
extern const char *const ncb_dim_names[NCB_DIMS]; /* in the file */

/* The numbers of the types are the same in NetCDF and PnetCDF, either of which a build may lack. */
enum ncb_external {
    NCB_BYTE = 1,
    NCB_SHORT = 3,
    NCB_INT = 4,
    NCB_FLOAT = 5,
    NCB_DOUBLE = 6,
    NCB_UBYTE = 7,
    NCB_USHORT = 8,
    NCB_UINT = 9,
    NCB_INT64 = 10,
    NCB_UINT64 = 11,
};

struct ncb_type {
    const char *name; /* as --type takes it */
    enum ncb_external external;
    size_t bytes;
};

/* What the library reports about the file that was opened last. */
struct ncb_found {
    size_t chunk[NCB_DIMS]; /* all 0: contiguous */
    int deflate_level, zstd_level, quantize_digits;
    bool shuffle;
    uint64_t data_at; /* where the data begins in the file, 0 where it is not known */
};

/* The offset of a piece counts the bytes of the blocks in the order of time step, rank, block of the rank. */
struct ncb_variable {
    const struct ncb_type *type;
    size_t dims[NCB_DIMS];   /* of the variable in the file */
    size_t block[NCB_DIMS];  /* of one put or get */
    size_t chunk[NCB_DIMS];  /* requested; all 0: the library's own layout */
    size_t across[NCB_DIMS]; /* blocks of the rank's share along each dimension */
    size_t origin[NCB_DIMS]; /* where the share begins whose data is accessed */
    size_t block_bytes;
    uint64_t step_bytes; /* of all ranks of the file in one time step of blocks */
    bool unlimited, fill, shuffle;
    int deflate_level, zstd_level;
    int quantize_digits; /* significant decimal digits that BitGroom keeps, 0: all */
    uint64_t seed;       /* of values by position: differs between the files of ranks that have their own */
    struct ncb_found *found;
};

const struct ncb_type *ncb_type_find(const char *name); /* NULL: there is none */
void ncb_type_names(char *text, size_t bytes);
/* First element of the piece in the variable. */
void ncb_place(const struct ncb_variable *variable, uint64_t offset, size_t start[NCB_DIMS]);
/* Fill memory with the values that the rank writes: those of benchtool. */
void ncb_values(const struct ncb_variable *variable, int rank, unsigned char *memory);
/* The values of a block by their positions in the whole variable, so that a block in another's place is
 * found; as random as their type can be. */
void ncb_values_by_position(const struct ncb_variable *variable, uint64_t offset, unsigned char *memory);
/* A file that is read must hold the variable that was requested; -1 with the reason where it does not. */
int ncb_same_variable(const struct ncb_variable *requested, const char *path, int type,
                      const size_t dims[NCB_DIMS], struct weir_problem *problem);
/* Size and first hole behind the first byte of the data. */
int ncb_stored(const struct ncb_variable *variable, const char *path, struct weir_stored *stored,
               struct weir_problem *problem);
void ncb_geometry_text(const size_t geometry[NCB_DIMS], char *text, size_t bytes);

/* The format that --format names, which is the alias of its back end; NULL: this build has none such. */
const struct weir_backend *ncb_format_find(const char *name);
void ncb_format_register(struct weir_backend *format);

/* Put one of these at the end of a format's file. */
#define NCB_FORMAT(table)                                                                                    \
    __attribute__((constructor)) static void table##_register(void) {                                        \
        ncb_format_register(&(table));                                                                       \
    }
