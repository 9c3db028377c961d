# Copyright The weir Authors. See the file LICENSE for details.
#
# SPDX-License-Identifier: Apache-2.0

from spack_repo.builtin.packages.parallel_netcdf.package import ParallelNetcdf as BuiltinParallelNetcdf

from spack.package import *


class ParallelNetcdf(BuiltinParallelNetcdf):
    """PnetCDF as Spack's builtin recipe has it, compiled with optimisation."""

    def configure_args(self):
        # The builtin recipe's own flags replace configure's -g -O2, and PnetCDF swaps the bytes of every
        # value that is written or read.
        flags = ("CFLAGS=", "CXXFLAGS=", "FFLAGS=", "FCFLAGS=")
        return [f"{word} -g -O2" if word.startswith(flags) else word for word in super().configure_args()]
