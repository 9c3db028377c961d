/* What all users of PnetCDF share: its errors in words, and what is true of an open file. */
#ifndef WEIR_PNETCDF_H
#define WEIR_PNETCDF_H

#include "backend.h"

/* Always -1, after setting the problem. */
int weir_pnetcdf_failed(struct weir_problem *problem, const char *call, const char *path, int code,
                        int last_errno);
void weir_pnetcdf_observe(int file, const char *path, struct weir_observed *observed);

#endif
