/* What all users of PnetCDF share. A user brings the one variable of its file; opening, transfers, closing
 * and errors in words are here. */
#ifndef WEIR_PNETCDF_H
#define WEIR_PNETCDF_H

#include "backend.h"

#include <errno.h>

struct weir_pnetcdf {
    int file;
    int variable;
};

/* Define the variable of a file that is written, find that of one that is read. */
typedef int weir_pnetcdf_variable(struct weir_pnetcdf *state, const struct weir_open *how,
                                  struct weir_problem *problem);

/* file->state becomes a struct weir_pnetcdf. */
int weir_pnetcdf_open(struct weir_file *file, weir_pnetcdf_variable *define, weir_pnetcdf_variable *find,
                      struct weir_problem *problem);
/* Put or get, of one rank or together: count[] values from start[] on, `values` of the type in memory. */
int weir_pnetcdf_transfer(struct weir_file *file, const struct weir_piece *piece, const MPI_Offset *start,
                          const MPI_Offset *count, MPI_Offset values, MPI_Datatype type,
                          struct weir_problem *problem);
int weir_pnetcdf_sync(struct weir_file *file, struct weir_problem *problem);
int weir_pnetcdf_close(struct weir_file *file, struct weir_problem *problem);
void weir_pnetcdf_observe(struct weir_file *file, struct weir_observed *observed);
/* Always -1, after setting the problem. */
int weir_pnetcdf_failed(struct weir_problem *problem, const char *call, const char *path, int code,
                        int last_errno);

/* Leave the function where the call fails, with its name for the message. */
#define TRY(call_text, expression)                                                                           \
    do {                                                                                                     \
        errno = 0;                                                                                           \
        int code = (expression);                                                                             \
        if (code != NC_NOERR) {                                                                              \
            return weir_pnetcdf_failed(problem, call_text, path, code, errno);                               \
        }                                                                                                    \
    } while (0)

#endif
