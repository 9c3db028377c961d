# Copyright The weir Authors. See the file LICENSE for details.
#
# SPDX-License-Identifier: Apache-2.0

from spack_repo.builtin.packages.parallel_netcdf.package import (
    ParallelNetcdf as BuiltinParallelNetcdf,
)


class ParallelNetcdf(BuiltinParallelNetcdf):
    """PnetCDF as Spack's builtin recipe has it, compiled with optimisation."""

    def flag_handler(self, name, flags):
        # The builtin recipe's own flags replace configure's -g -O2, and PnetCDF swaps the bytes of
        # every value that is written or read.
        if name in ("cflags", "cxxflags", "fflags"):
            flags = ["-g", "-O2", *flags]
        return flags, None, None
