# Copyright The weir Authors. See the file LICENSE for details.
#
# SPDX-License-Identifier: Apache-2.0
"""Common code of the recipes of MPI programs, and of MPICH and Open MPI with ROMIO's driver for
IME."""

import os
from pathlib import Path

from spack.package import Executable, SkipTest

IME_FILE = Path(__file__).resolve().parent / "ime_file.c"


def launcher(mpi) -> Executable:
    """The program that starts the ranks of a test. Containers and CI run as root, which Open MPI
    wants to be told."""
    program = Executable(mpi.prefix.bin.mpiexec)
    if os.geteuid() == 0:
        program.add_default_env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        program.add_default_env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
    return program


class RomioWithIme:
    """An MPI whose ROMIO opens files named ime:<path> through the IME client of the stack. To be
    named after the builtin class, in whose folder Spack looks for patches."""

    def ime_link_arguments(self) -> "list[str]":
        """ROMIO's configure looks for ime_native.h only and links no library, so that every
        program of the stack would end with undefined symbols: the library goes to LIBS, with an
        rpath."""
        ime = self.spec["ime"]
        return [
            f"LIBS={ime.libs.link_flags}",
            f"LDFLAGS={ime.libs.search_flags} -Wl,-rpath,{ime.libs.directories[0]}",
        ]

    def test_ime_file(self):
        """a file named ime:<path> is written and read through the client"""
        if not self.spec.satisfies("romio-filesystem=ime"):
            raise SkipTest("ROMIO of this MPI has no driver for IME")
        if not self.spec["ime"].satisfies("ime-emulator"):
            raise SkipTest("the vendor's client needs a store of its own")
        Executable(self.prefix.bin.mpicc)(str(IME_FILE), "-o", "ime_file")
        with self.spec["ime"].package.store(os.getcwd()) as (backing, imectl):
            said = launcher(self)(
                "-n", "2", "./ime_file", f"ime:{backing}/file", output=str, error=str
            )
            assert "2 ranks wrote and read 2097152 bytes" in said, said
            # What went through the client is dirty in the store; past it, the backing file would
            # be as long.
            assert "2097152" in imectl("status", output=str), "nothing went through the store"
