from pathlib import Path

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *

CHECKOUT = Path(__file__).resolve().parents[5]


class ImeEmulator(CMakePackage):
    """Burst buffer for one machine behind the client interface of DDN IME: libim_client, the command imectl
    and a FUSE mount. Its numbers say how the code paths behave, never how the product performs."""

    # The checkout that holds this recipe is the source: the commit in the lock file is the commit measured.
    homepage = f"file://{CHECKOUT}"
    git = f"file://{CHECKOUT}"
    git_sparse_paths = ["src"]
    root_cmakelists_dir = "src/ime"

    license("Apache-2.0")

    version("main", branch="main")

    variant("fuse", default=True, description="Mount through libfuse 3")

    provides("ime")

    depends_on("c", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("pkgconfig", type="build", when="+fuse")
    depends_on("libfuse@3.12:", when="+fuse")

    for other in ("darwin", "windows"):
        conflicts(f"platform={other}", msg="ime-emulator uses interfaces of Linux: ask for ~ime")

    @property
    def libs(self):
        return find_libraries("libim_client", root=self.prefix, recursive=True)

    def cmake_args(self):
        # The mount is built where pkg-config finds libfuse; no other libfuse may be found.
        return [
            self.define("CMAKE_DISABLE_FIND_PACKAGE_PkgConfig", self.spec.satisfies("~fuse")),
            # The pool to preload is of one MPI: here, below every MPI, of whichever the machine has.
            self.define("WEIR_POOL", False),
        ]

    def setup_run_environment(self, env: EnvironmentModifications) -> None:
        env.set("IME_ROOT", self.prefix)

    def setup_dependent_build_environment(self, env: EnvironmentModifications, dependent_spec: Spec) -> None:
        env.set("IME_ROOT", self.prefix)
