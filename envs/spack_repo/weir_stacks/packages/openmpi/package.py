# Copyright The weir Authors. See the file LICENSE for details.
#
# SPDX-License-Identifier: Apache-2.0

from spack.package import *
from spack_repo.builtin.packages.openmpi.package import Openmpi as BuiltinOpenmpi
from spack_repo.weir_stacks.mpi import RomioWithIme

ROMIO_FLAGS = "--with-io-romio-flags="


class Openmpi(BuiltinOpenmpi, RomioWithIme):
    """Open MPI as Spack's builtin recipe has it; romio-filesystem=ime takes the IME client of the
    stack."""

    depends_on("ime", when="romio-filesystem=ime")

    conflicts(
        "~romio",
        when="romio-filesystem=ime",
        msg="the driver ime is a part of ROMIO: ask for +romio",
    )
    conflicts(
        "@:4",
        when="romio-filesystem=ime",
        msg="Open MPI's ROMIO has the driver ime since 5.0: ask for openmpi@5: +romio",
    )

    def configure_args(self):
        args = super().configure_args()
        if not self.spec.satisfies("romio-filesystem=ime"):
            return args
        # ufs and nfs are what ROMIO chooses by itself; a list replaces that choice.
        added = f"+ufs+nfs --with-ime={self.spec['ime'].prefix}"
        args = [f"{word}{added}" if word.startswith(ROMIO_FLAGS) else word for word in args]
        return [*args, *self.ime_link_arguments()]

    @run_after("install")
    def prefer_romio(self):
        # Open MPI chooses its own OMPIO otherwise. In a file, so that it also holds for whoever
        # starts the programs of a view without `spack load`; OMPI_MCA_io or --mca io overrides it.
        if self.spec.satisfies("romio-filesystem=ime"):
            with open(
                self.prefix.etc.join("openmpi-mca-params.conf"), "a", encoding="utf-8"
            ) as file:
                file.write("io = ^ompio\n")
