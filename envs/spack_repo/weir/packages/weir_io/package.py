from pathlib import Path

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *

CHECKOUT = Path(__file__).resolve().parents[5]


class WeirIo(CMakePackage):
    """Measures storage through every interface an application can take, with the time of every operation and
    what really happened on the way (weir's engine)."""

    # The checkout that holds this recipe is the source: the commit in the lock file is the commit measured.
    homepage = f"file://{CHECKOUT}"
    git = f"file://{CHECKOUT}"
    git_sparse_paths = ["src"]

    license("Apache-2.0")

    version("main", branch="main")

    variant("hdf5", default=True, description="Back end HDF5")
    variant("netcdf", default=True, description="Back end NETCDF4")
    variant("pnetcdf", default=True, description="Back end PNETCDF")
    variant("ime", default=False, description="Back end IME, natively through the IME client")

    depends_on("c", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("hdf5 +mpi", when="+hdf5")
    depends_on("netcdf-c +mpi", when="+netcdf")
    depends_on("parallel-netcdf", when="+pnetcdf")
    depends_on("ime", when="+ime")

    def cmake_args(self):
        args = [
            self.define("WEIR_TESTS", False),
            # ime-emulator is a package of its own: below MPI, and only where no vendor's client is.
            self.define("WEIR_EMULATOR", False),
            self.define("WEIR_MPICC", self.spec["mpi"].mpicc),
            self.define_from_variant("WEIR_HDF5", "hdf5"),
            self.define_from_variant("WEIR_NETCDF4", "netcdf"),
            self.define_from_variant("WEIR_PNETCDF", "pnetcdf"),
            self.define_from_variant("WEIR_IME", "ime"),
        ]
        if self.spec.satisfies("+ime"):
            args.append(self.define("IME_ROOT", self.spec["ime"].prefix))
        return args
