# Copyright The weir Authors. See the file LICENSE for details.
#
# SPDX-License-Identifier: Apache-2.0

from spack_repo.builtin.packages.openmpi.package import Openmpi as BuiltinOpenmpi

from spack.package import *

ROMIO_FLAGS = "--with-io-romio-flags="


class Openmpi(BuiltinOpenmpi):
    """Open MPI as Spack's builtin recipe has it; romio-filesystem=ime takes the IME client of the stack."""

    depends_on("ime", when="romio-filesystem=ime")

    conflicts("~romio", when="romio-filesystem=ime", msg="the driver ime is a part of ROMIO: ask for +romio")

    def configure_args(self):
        args = super().configure_args()
        if not self.spec.satisfies("romio-filesystem=ime"):
            return args
        ime = self.spec["ime"]
        # ufs and nfs are what ROMIO chooses by itself; a list replaces that choice. Its configure looks for
        # the header only, so that the library goes to LIBS, with an rpath.
        args = [
            f"{word}+ufs+nfs --with-ime={ime.prefix}" if word.startswith(ROMIO_FLAGS) else word
            for word in args
        ]
        return [
            *args,
            f"LIBS={ime.libs.link_flags}",
            f"LDFLAGS={ime.libs.search_flags} -Wl,-rpath,{ime.libs.directories[0]}",
        ]

    def setup_run_environment(self, env: EnvironmentModifications) -> None:
        super().setup_run_environment(env)
        if self.spec.satisfies("romio-filesystem=ime"):
            # Open MPI's own OMPIO is chosen otherwise, and knows no file named ime:<path>.
            env.set("OMPI_MCA_io", "romio341" if self.spec.satisfies("@5:") else "romio321")
