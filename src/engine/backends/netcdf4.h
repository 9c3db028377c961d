/* What all users of parallel NetCDF-4 share. A user brings the one variable of its file; opening, closing and
 * error messages are here. */
#pragma once

#include "netcdf_variable.h"
#include "try.h"

void weir_netcdf4_begin(void);
/* file->state is, or begins with, a struct weir_netcdf_variable. */
int weir_netcdf4_open(struct weir_file *file, weir_netcdf_variable_call *define,
                      weir_netcdf_variable_call *find, struct weir_problem *problem);
int weir_netcdf4_sync(struct weir_file *file, struct weir_problem *problem);
int weir_netcdf4_close(struct weir_file *file, struct weir_problem *problem);
void weir_netcdf4_observe(struct weir_file *file, struct weir_observed *observed);
/* What became of nc_put_vara or nc_get_vara; errno is still that of the call. */
int weir_netcdf4_moved(const struct weir_file *file, const struct weir_piece *piece, int code,
                       struct weir_problem *problem);
/* Always -1, after setting the problem. */
int weir_netcdf4_failed(struct weir_problem *problem, const char *call, const char *path, int code,
                        int last_errno);

#define TRY(call_text, expression) WEIR_TRY(WEIR_NOT_ZERO, weir_netcdf4_failed, call_text, expression)
