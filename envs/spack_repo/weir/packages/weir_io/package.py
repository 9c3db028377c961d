# Copyright The weir Authors. See the file LICENSE for details.
#
# SPDX-License-Identifier: Apache-2.0

import re

from spack.package import *
from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.weir.checkout import CHECKOUT, HOMEPAGE, NO_COMMIT, sources

SOURCES = sources("CMakeLists.txt", "src")


class WeirIo(CMakePackage):
    """Measures storage through every interface an application can take, with the time of every
    operation and what really happened on the way (weir's engine)."""

    homepage = HOMEPAGE
    git = CHECKOUT
    git_sparse_paths = ["src"]

    license("Apache-2.0")

    for _version, _source in SOURCES.items():
        version(_version, **_source)
    if "branch" in SOURCES["main"]:
        conflicts("@main", msg=NO_COMMIT)

    variant("hdf5", default=True, description="Back end HDF5")
    variant(
        "netcdf4",
        default=True,
        description="Back end NETCDF4 and the NetCDF-4 files of netcdf-bench",
    )
    variant(
        "pnetcdf", default=True, description="Back end PNETCDF and the CDF-5 files of netcdf-bench"
    )
    variant("uring", default=True, description="Back ends URING and AIO")
    variant("ime", default=False, description="Back end IME, natively through the IME client")

    depends_on("c", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    # Left out on request only: a lack must not turn up in the middle of a campaign.
    depends_on("hdf5 +mpi", when="+hdf5")
    depends_on("hdf5 +mpi", when="+netcdf4")
    depends_on("netcdf-c +mpi", when="+netcdf4")
    depends_on("parallel-netcdf", when="+pnetcdf")
    depends_on("liburing", when="+uring")
    depends_on("libaio", when="+uring")
    depends_on("ime", when="+ime")

    conflicts("platform=darwin", msg="weir-io uses interfaces of Linux")
    conflicts("platform=windows", msg="weir-io uses interfaces of Linux")

    sanity_check_is_file = ["bin/weir-io"]

    def setup_build_environment(self, env: EnvironmentModifications) -> None:
        # The distribution's hdf5-openmpi.pc must not win over the hdf5.pc of this stack: two MPIs.
        # That file is right where the stack's libraries are the distribution's.
        libraries = ("hdf5", "netcdf-c", "parallel-netcdf")
        if not any(self.spec[name].external for name in libraries if name in self.spec):
            env.set("PKG_CONFIG_LIBDIR", "/nonexistent")

    def cmake_args(self):
        args = [
            self.define("WEIR_TESTS", False),
            # ime-emulator is a package of its own: below MPI, and only where no vendor's client
            # is.
            self.define("WEIR_EMULATOR", False),
            self.define("WEIR_MPICC", self.spec["mpi"].mpicc),
            self.define_from_variant("WEIR_HDF5", "hdf5"),
            self.define_from_variant("WEIR_NETCDF4", "netcdf4"),
            self.define_from_variant("WEIR_PNETCDF", "pnetcdf"),
            self.define_from_variant("WEIR_URING", "uring"),
            self.define_from_variant("WEIR_IME", "ime"),
        ]
        if self.spec.satisfies("+ime"):
            args.append(self.define("IME_ROOT", self.spec["ime"].prefix))
        return args

    @run_after("install")
    def one_mpi(self):
        # Two MPIs in one program link silently and abort when it runs; an external can bring the
        # second.
        listed = Executable("ldd")(str(self.prefix.bin.join("weir-io")), output=str)
        mpis = dict(re.findall(r"(libmpi(?:ch|_cray)?\.so\.\d+) => (\S+)", listed))
        if len(mpis) > 1:
            raise InstallError(
                f"weir-io is linked with two MPIs: {', '.join(mpis.values())}.\n"
                "hdf5, netcdf-c and parallel-netcdf have to be built with the MPI of the stack:"
                " let Spack build all three, or declare externals that were built with it"
                " (docs/how-to/stacks.md)"
            )

    def test_write_and_verify(self):
        """two ranks write through POSIX and MPI-IO, read back and compare"""
        launch = Executable(self.spec["mpi"].prefix.bin.mpiexec)
        engine = self.prefix.bin.join("weir-io")
        # Containers and CI run as root, which Open MPI wants to be told.
        launch.add_default_env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        launch.add_default_env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        # URING is missing, because a kernel may forbid it.
        for api in ("POSIX", "MPIIO", *(["AIO"] if self.spec.satisfies("+uring") else [])):
            with test_part(
                self, f"test_write_and_verify_{api.lower()}", purpose=f"bytes through {api}"
            ):
                options = ["-w", "-r", "-R", "-b", "1m", "-t", "64k", "-o", f"weir-{api.lower()}"]
                said = launch("-n", "2", engine, "ior", "-a", api, *options, output=str, error=str)
                assert "write" in said, said
                assert "read" in said, said
