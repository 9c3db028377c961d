# Copyright The weir Authors. See the file LICENSE for details.
#
# SPDX-License-Identifier: Apache-2.0

from spack_repo.builtin.build_systems.generic import Package

from spack.package import *


class DdnIme(Package):
    """Client of DDN IME: installed by the vendor, declared as an external, never built."""

    homepage = "https://www.ddn.com"
    has_code = False

    version("1.5")
    version("1.4")
    version("1.3")

    provides("ime")

    @property
    def libs(self):
        return find_libraries("libim_client", root=self.prefix, recursive=True)

    def install(self, spec, prefix):
        raise InstallError(
            "ddn-ime comes from DDN and cannot be built. Where it is installed, declare it in"
            " config/sites/<site>/packages.yaml:\n"
            "  packages:\n"
            "    ime: {require: [ddn-ime]}\n"
            "    ddn-ime: {buildable: false, externals: [{spec: ddn-ime@1.5, prefix: /opt/ddn/ime}]}\n"
            "Elsewhere take the emulator: packages: {ime: {require: [ime-emulator]}}"
        )

    def setup_run_environment(self, env: EnvironmentModifications) -> None:
        env.set("IME_ROOT", self.prefix)

    def setup_dependent_build_environment(self, env: EnvironmentModifications, dependent_spec: Spec) -> None:
        env.set("IME_ROOT", self.prefix)
