# Copyright The weir Authors. See the file LICENSE for details.
#
# SPDX-License-Identifier: Apache-2.0

import os
import re

from spack.package import *
from spack_repo.builtin.build_systems.generic import Package


class DdnIme(Package):
    """Client of DDN IME: installed by the vendor, declared as an external, never built."""

    homepage = "https://www.ddn.com"
    has_code = False

    version("1.5")
    version("1.4")
    version("1.3")

    provides("ime")

    # Spack applies no conflict to externals.
    conflicts(
        "@:",
        msg="ddn-ime comes from DDN and cannot be built: declare where it is installed"
        " (spack external find --path /opt/ddn/ime ddn-ime), or take the emulator: ^ime-emulator",
    )

    libraries = [r"^libim_client\.so$"]

    @classmethod
    def determine_version(cls, lib):
        """The version in the header of the client; the emulator has the same header, and is no
        client of DDN."""
        prefix = os.path.dirname(os.path.dirname(os.path.realpath(lib)))
        header = os.path.join(prefix, "include", "ime_native.h")
        if os.path.exists(os.path.join(prefix, "bin", "imectl")) or not os.path.exists(header):
            return None
        with open(header, encoding="utf-8", errors="replace") as file:
            found = re.search(r"IME_NATIVE_API_VERSION\s+(\d)(\d)", file.read())
        return ".".join(found.groups()) if found else None

    @property
    def libs(self):
        return find_libraries("libim_client", root=self.prefix, recursive=True)

    def install(self, spec, prefix):
        raise InstallError("ddn-ime comes from DDN and cannot be built")

    def setup_run_environment(self, env: EnvironmentModifications) -> None:
        env.set("IME_ROOT", self.prefix)

    def setup_dependent_build_environment(
        self, env: EnvironmentModifications, dependent_spec: Spec
    ) -> None:
        env.set("IME_ROOT", self.prefix)
