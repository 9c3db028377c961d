/* What all users of parallel NetCDF-4 share. A user brings the one variable of its file; opening, closing and
 * errors in words are here. */
#ifndef WEIR_NETCDF4_H
#define WEIR_NETCDF4_H

#include "backend.h"

#include <errno.h>

struct weir_netcdf4 {
    int file;
    int variable;
};

/* Define the variable of a file that is written, find that of one that is read. */
typedef int weir_netcdf4_variable(struct weir_netcdf4 *state, const struct weir_open *how,
                                  struct weir_problem *problem);

void weir_netcdf4_begin(void);
/* file->state becomes a struct weir_netcdf4. */
int weir_netcdf4_open(struct weir_file *file, weir_netcdf4_variable *define, weir_netcdf4_variable *find,
                      struct weir_problem *problem);
int weir_netcdf4_sync(struct weir_file *file, struct weir_problem *problem);
int weir_netcdf4_close(struct weir_file *file, struct weir_problem *problem);
void weir_netcdf4_observe(struct weir_file *file, struct weir_observed *observed);
/* What became of nc_put_vara or nc_get_vara; errno is still that of the call. */
int weir_netcdf4_moved(const struct weir_file *file, const struct weir_piece *piece, int code,
                       struct weir_problem *problem);
/* Always -1, after setting the problem. */
int weir_netcdf4_failed(struct weir_problem *problem, const char *call, const char *path, int code,
                        int last_errno);

/* Leave the function where the call fails, with its name for the message. */
#define TRY(call_text, expression)                                                                           \
    do {                                                                                                     \
        errno = 0;                                                                                           \
        int code = (expression);                                                                             \
        if (code != NC_NOERR) {                                                                              \
            return weir_netcdf4_failed(problem, call_text, path, code, errno);                               \
        }                                                                                                    \
    } while (0)

#endif
