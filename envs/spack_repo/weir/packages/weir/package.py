# Copyright The weir Authors. See the file LICENSE for details.
#
# SPDX-License-Identifier: Apache-2.0

from spack.package import *
from spack_repo.builtin.build_systems.bundle import BundlePackage
from spack_repo.weir.checkout import HOMEPAGE, sources

VERSIONS = tuple(sources())


class Weir(BundlePackage):
    """The whole workflow: what measures storage, what plans and steers, what draws and prints.
    Then: weir init my-study && cd my-study && snakemake --cores all"""

    homepage = HOMEPAGE

    license("Apache-2.0")

    for _version in VERSIONS:
        version(_version, preferred=_version == "main")

    variant("measure", default=True, description="weir-io with MPI, HDF5, NetCDF and PnetCDF")
    variant(
        "ime",
        default=False,
        description="weir-io natively through the IME client",
        when="+measure",
    )
    variant("steer", default=True, description="weir with Snakemake and ReFrame")
    variant("statistics", default=False, description="weir compare and weir accept", when="+steer")
    variant("analyse", default=True, description="R with the packages that draw, and LaTeX")

    depends_on("weir-io", type="run", when="+measure")
    # mpirun on the PATH of who loads weir; weir-io alone is only linked with it.
    depends_on("mpi", type="run", when="+measure")
    depends_on("weir-io ~ime", type="run", when="+measure ~ime")
    depends_on("weir-io +ime", type="run", when="+ime")
    depends_on("py-weir +workflow", type="run", when="+steer")
    depends_on("py-weir +statistics", type="run", when="+statistics")
    # All of one commit or one release.
    for _version in VERSIONS:
        depends_on(f"weir-io@{_version}", type="run", when=f"@{_version} +measure")
        depends_on(f"py-weir@{_version}", type="run", when=f"@{_version} +steer")
    with when("+analyse"):
        # envs/apt/analyse.txt and report.txt have the same; tests/stacks/test_recipes.py compares.
        depends_on("r@4.2:", type="run")
        depends_on("r-data-table", type="run")
        depends_on("r-ggplot2", type="run")
        depends_on("r-jsonlite", type="run")
        depends_on("r-rlang", type="run")
        depends_on("r-scales", type="run")
        depends_on("r-svglite", type="run")
        depends_on("r-systemfonts", type="run")
        depends_on("r-yaml", type="run")
        depends_on("texlive", type="run")

    def test_one_cell_is_measured(self):
        """Snakemake and ReFrame measure one cell with weir-io in a new study"""
        if not self.spec.satisfies("+measure +steer"):
            raise SkipTest("measuring by the workflow needs +measure +steer")
        engine = self.spec["weir-io"].prefix.bin.join("weir-io")
        self.spec["py-weir"].package.measure_one_cell(engine)
