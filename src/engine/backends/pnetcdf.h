/* What all users of PnetCDF share: how a file is opened, its errors in words, and what is true of an open
 * file. */
#ifndef WEIR_PNETCDF_H
#define WEIR_PNETCDF_H

#include "backend.h"

/* Creates the file or opens it, whatever how->access says. */
int weir_pnetcdf_open(const struct weir_open *how, int *file, struct weir_problem *problem);
/* Closes a file that is of no use, where no other rank may be elsewhere in the library. */
void weir_pnetcdf_give_up(const struct weir_open *how, int file);
/* Always -1, after setting the problem. */
int weir_pnetcdf_failed(struct weir_problem *problem, const char *call, const char *path, int code,
                        int last_errno);
void weir_pnetcdf_observe(int file, const char *path, struct weir_observed *observed);

#endif
