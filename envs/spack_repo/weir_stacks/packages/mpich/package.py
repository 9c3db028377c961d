# Copyright The weir Authors. See the file LICENSE for details.
#
# SPDX-License-Identifier: Apache-2.0

from spack.package import *
from spack_repo.builtin.packages.mpich.package import Mpich as BuiltinMpich
from spack_repo.weir_stacks.mpi import RomioWithIme

# What ROMIO brings itself, and what a package brings the client of: configure stops where a client
# is missing.
FILE_SYSTEMS = ("ime", "lustre", "nfs", "testfs", "ufs")


class Mpich(BuiltinMpich, RomioWithIme):
    """MPICH as Spack's builtin recipe has it, with a choice of ROMIO's drivers, IME among them."""

    variant(
        "romio-filesystem",
        description="File systems that ROMIO has a driver for",
        values=disjoint_sets(FILE_SYSTEMS).with_non_feature_values("none"),
    )

    depends_on("ime", when="romio-filesystem=ime")
    depends_on("lustre", when="romio-filesystem=lustre")

    for _driver in FILE_SYSTEMS:
        conflicts(
            "~romio",
            when=f"romio-filesystem={_driver}",
            msg=f"the driver {_driver} is a part of ROMIO: ask for +romio",
        )
    conflicts(
        "@:3.2",
        when="romio-filesystem=ime",
        msg="ROMIO has the ime file system since MPICH 3.3: ask for mpich@3.3:",
    )

    def configure_args(self):
        args = super().configure_args()
        if self.spec.satisfies("romio-filesystem=none"):
            return args
        chosen = set(self.spec.variants["romio-filesystem"].value) | {"ufs", "nfs"}
        args.append(f"--with-file-system={'+'.join(sorted(chosen))}")
        if "ime" in chosen:
            args += [f"--with-ime={self.spec['ime'].prefix}", *self.ime_link_arguments()]
        return args
