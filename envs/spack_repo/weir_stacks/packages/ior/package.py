# Copyright The weir Authors. See the file LICENSE for details.
#
# SPDX-License-Identifier: Apache-2.0

import os

from spack.package import *
from spack_repo.builtin.packages.ior.package import Ior as BuiltinIor
from spack_repo.weir_stacks.mpi import launcher


class Ior(BuiltinIor):
    """IOR as Spack's builtin recipe has it, and with its own IME interface on request."""

    variant(
        "ime", default=False, description="Interface IME (-a IME), natively through the IME client"
    )

    depends_on("ime", when="+ime")
    # IOR 4 looks for its libraries with pkg-config and stops without it.
    depends_on("pkgconfig", type="build", when="@4:")

    conflicts(
        "@:3.1", when="+ime", msg="IOR has the interface IME since 3.2: ask for ior@3.2: +ime"
    )

    def flag_handler(self, name, flags):
        # The builtin recipe's CFLAGS for HDF5 replace configure's -g -O2: what is measured is
        # optimised.
        if name in ("cflags",):
            flags = ["-g", "-O2", *flags]
        return flags, None, None

    def configure_args(self):
        args = super().configure_args()
        if self.spec.satisfies("+ime"):
            ime = self.spec["ime"]
            args += [
                "--with-ime=yes",
                f"CPPFLAGS={ime.headers.include_flags}",
                f"LDFLAGS={ime.libs.search_flags} -Wl,-rpath,{ime.libs.directories[0]}",
            ]
        return args

    def test_write_and_read_through_ime(self):
        """ior -a IME writes, reads and compares through the emulator"""
        if not self.spec.satisfies("+ime"):
            raise SkipTest("this IOR has no interface IME")
        if not self.spec["ime"].satisfies("ime-emulator"):
            raise SkipTest("the vendor's client needs a store of its own")
        with self.spec["ime"].package.store(os.getcwd()) as (backing, imectl):
            options = ["-a", "IME", "-w", "-r", "-R", "-k", "-b", "1m", "-t", "64k"]
            options += ["-o", f"ime://{backing}/file"]
            said = launcher(self.spec["mpi"])(
                "-n", "2", self.prefix.bin.ior, *options, output=str, error=str
            )
            assert "WARNING: Incorrect data" not in said, said
            assert "2097152" in imectl("status", output=str), "nothing went through the store"
