/* What all users of parallel NetCDF-4 share: its errors in words, and what is true of an open file. */
#ifndef WEIR_NETCDF4_H
#define WEIR_NETCDF4_H

#include "backend.h"

/* Always -1, after setting the problem. */
int weir_netcdf4_failed(struct weir_problem *problem, const char *call, const char *path, int code,
                        int last_errno);
void weir_netcdf4_observe(const char *path, struct weir_observed *observed);

#endif
