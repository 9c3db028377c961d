# Copyright The weir Authors. See the file LICENSE for details.
#
# SPDX-License-Identifier: Apache-2.0

import contextlib
import os
import tempfile

from spack.package import *
from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.weir.checkout import CHECKOUT, HOMEPAGE, NO_COMMIT, sources

SOURCES = sources("src/ime")


class ImeEmulator(CMakePackage):
    """Burst buffer for one machine behind the client interface of DDN IME: libim_client, the
    command imectl and a FUSE mount. Its numbers say how the code paths behave, never how the
    product performs."""

    homepage = HOMEPAGE
    git = CHECKOUT
    git_sparse_paths = ["src"]
    root_cmakelists_dir = "src/ime"

    license("Apache-2.0")

    for _version, _source in SOURCES.items():
        version(_version, **_source)
    if "branch" in SOURCES["main"]:
        conflicts("@main", msg=NO_COMMIT)

    variant("fuse", default=True, description="Mount through libfuse 3")

    provides("ime")

    depends_on("c", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("pkgconfig", type="build", when="+fuse")
    depends_on("libfuse@3.12:", when="+fuse")

    for other in ("darwin", "windows"):
        conflicts(f"platform={other}", msg="ime-emulator uses interfaces of Linux: ask for ~ime")

    sanity_check_is_file = ["bin/imectl", "include/ime_native.h"]

    @property
    def libs(self):
        return find_libraries("libim_client", root=self.prefix, recursive=True)

    def cmake_args(self):
        # The mount is built where pkg-config finds libfuse; no other libfuse may be found.
        return [
            self.define("CMAKE_DISABLE_FIND_PACKAGE_PkgConfig", self.spec.satisfies("~fuse")),
            # The pool to preload is of one MPI: here, below every MPI, of whichever the machine
            # has.
            self.define("WEIR_POOL", False),
        ]

    def setup_run_environment(self, env: EnvironmentModifications) -> None:
        env.set("IME_ROOT", self.prefix)

    def setup_dependent_build_environment(
        self, env: EnvironmentModifications, dependent_spec: Spec
    ) -> None:
        env.set("IME_ROOT", self.prefix)

    @contextlib.contextmanager
    def store(self, folder: str):
        """An empty store that drains when requested, for tests: its backing folder, and imectl for
        it."""
        backing, settings = os.path.join(folder, "backing"), os.path.join(folder, "ime.conf")
        os.makedirs(backing, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="ime-emulator-") as fast:
            with open(settings, "w", encoding="utf-8") as file:
                file.write(f"fast = {fast}/store\nbacking = {backing}\n")
                file.write("capacity = 64 MiB\ndrain = manual\n")
            imectl = Executable(self.prefix.bin.imectl)
            before = os.environ.get("IM_CLIENT_CFG_FILE")
            os.environ["IM_CLIENT_CFG_FILE"] = settings
            try:
                imectl("create", output=str)
                yield backing, imectl
            finally:
                imectl("destroy", output=str, fail_on_error=False)
                if before is None:
                    del os.environ["IM_CLIENT_CFG_FILE"]
                else:
                    os.environ["IM_CLIENT_CFG_FILE"] = before

    def test_store(self):
        """a store is made, reports its capacity and is taken away"""
        with self.store(os.getcwd()) as (_, imectl):
            said = imectl("status", output=str)
            assert "resident" in said, said
            assert "64.0 MiB" in said, said
