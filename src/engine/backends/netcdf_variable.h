/* What NetCDF-4 and PnetCDF have in common: a file, and the one variable in it that is written or read. */
#pragma once

#include "backend.h"

/* The state of an open file: both as the library numbers them. */
struct weir_netcdf_variable {
    int file;
    int variable;
};

/* Define the variable of a file that is written, or find that of one that is read. */
typedef int weir_netcdf_variable_call(struct weir_netcdf_variable *state, const struct weir_open *how,
                                      struct weir_problem *problem);
