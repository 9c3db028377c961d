# Copyright The weir Authors. See the file LICENSE for details.
#
# SPDX-License-Identifier: Apache-2.0

import os

from spack.package import *
from spack_repo.builtin.packages.snakemake.package import Snakemake as BuiltinSnakemake


class Snakemake(BuiltinSnakemake):
    """Snakemake as Spack's builtin recipe has it, built from its sources alone."""

    def patch(self):
        # setup.py of 8.25.2 downloads scripts for `snakemake --report` from servers outside of a
        # mirror, one of them without a checksum: no build without a network. Snakemake fetches
        # them when it writes a report; weir's own reports need none of them.
        if os.path.exists("setup.py"):
            filter_file(r"^Assets\.deploy\(\)$", "", "setup.py")
