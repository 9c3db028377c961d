/* What all users of PnetCDF share. A user brings the one variable of its file; opening, transfers, closing
 * and error messages are here. */
#pragma once

#include "netcdf_variable.h"
#include "try.h"

/* file->state is, or begins with, a struct weir_netcdf_variable. */
int weir_pnetcdf_open(struct weir_file *file, weir_netcdf_variable_call *define,
                      weir_netcdf_variable_call *find, struct weir_problem *problem);
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

#define TRY(call_text, expression) WEIR_TRY(WEIR_NOT_ZERO, weir_pnetcdf_failed, call_text, expression)
