# Copyright The weir Authors. See the file LICENSE for details.
#
# SPDX-License-Identifier: Apache-2.0

import os

from spack_repo.builtin.packages.mpich.package import Mpich as BuiltinMpich

from spack.package import *

# What ROMIO of MPICH 4 has a driver for; ufs and nfs are MPICH's own choice.
FILE_SYSTEMS = ("daos", "gpfs", "ime", "lustre", "nfs", "panfs", "pvfs2", "quobytefs", "testfs", "ufs", "xfs")


class Mpich(BuiltinMpich):
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
            ime = self.spec["ime"]
            # ROMIO's configure looks for ime_native.h only and links no library, so that every program of the
            # stack would end with undefined symbols: the library goes to LIBS, with an rpath.
            args += [
                f"--with-ime={ime.prefix}",
                f"LIBS={ime.libs.link_flags}",
                f"LDFLAGS={ime.libs.search_flags} -Wl,-rpath,{ime.libs.directories[0]}",
            ]
        return args

    def test_ime_file(self):
        """a file named ime:<path> is written and read through the client"""
        if not self.spec.satisfies("romio-filesystem=ime"):
            raise SkipTest("ROMIO of this MPICH has no driver for IME")
        if not self.spec["ime"].satisfies("ime-emulator"):
            raise SkipTest("the vendor's client needs a store of its own")
        source = os.path.join(os.path.dirname(__file__), "ime_file.c")
        Executable(self.prefix.bin.mpicc)(source, "-o", "ime_file")
        with self.spec["ime"].package.store(os.getcwd()) as (backing, imectl):
            launch = Executable(self.prefix.bin.mpiexec)
            said = launch("-n", "2", "./ime_file", f"ime:{backing}/file", output=str, error=str)
            assert "2 ranks wrote and read 2097152 bytes" in said, said
            # What went through the client is dirty in the store; past it, the backing file would be as long.
            assert "2097152" in imectl("status", output=str), "nothing went through the store"
