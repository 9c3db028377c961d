/* The first open, transfer and close of a process pay for the start of libraries: of HDF5, NetCDF and MPI-IO
 * 5 to 8 ms. A cell that is launched alone would pay within its times, a later cell of a batch would not. */
#pragma once

#include "run.h"

/* Writes one transfer of each rank to a file of its own beside that of the phase, reads it and removes it,
 * once in a run and untimed. Does nothing where the options forbid it, where nothing is stored, or where the
 * directory cannot be written. Called on all ranks that take part; false where any rank failed. */
bool weir_warm_up(struct weir_run *run, const struct weir_phase *first);
