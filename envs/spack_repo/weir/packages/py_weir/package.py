# Copyright The weir Authors. See the file LICENSE for details.
#
# SPDX-License-Identifier: Apache-2.0

from spack_repo.builtin.build_systems.python import PythonPackage
from spack_repo.weir.checkout import CHECKOUT, NO_COMMIT, sources

from spack.package import *

SOURCES = sources()


class PyWeir(PythonPackage):
    """Plans measurements of storage, audits and collects their results: the command weir, with the
    workflow, the configuration and the analysis that `weir init` puts into a study."""

    homepage = CHECKOUT
    git = CHECKOUT

    license("Apache-2.0")

    for _version, _source in SOURCES.items():
        version(_version, **_source)
    if "branch" in SOURCES["main"]:
        conflicts("@main", msg=NO_COMMIT)

    # Not by default: SciPy needs a Fortran compiler, and measuring needs neither.
    variant(
        "statistics", default=False, description="NumPy and SciPy: weir compare and weir accept"
    )
    variant(
        "workflow",
        default=True,
        description="Snakemake and ReFrame: measure a study by `snakemake`",
    )

    depends_on("python@3.11:", type=("build", "run"))
    depends_on("py-setuptools@61:", type="build")
    depends_on("py-jsonschema@4.18:", type=("build", "run"))
    depends_on("py-pyyaml@6:", type=("build", "run"))
    with when("+workflow"):
        # The oldest releases with which quick was measured and printed; pyproject.toml has the
        # same.
        depends_on("snakemake@8.25.2:", type="run")
        depends_on("reframe@4.7.3:", type="run")
        depends_on("py-pygments", type="run")

    # `weir history` also needs ruptures, for which Spack has no recipe; `tune` a newer Optuna than
    # it has.
    with when("+statistics"):
        depends_on("py-numpy@2:", type="run")
        depends_on("py-scipy@1.15:", type="run")

    import_modules = ["weir", "weir.cli", "weir.commands"]
    sanity_check_is_file = ["bin/weir"]

    def test_plan_in_a_new_study(self):
        """weir init makes a study, and weir plan prints its cost there"""
        weir = Executable(self.prefix.bin.weir)
        weir("init", "study")
        with working_dir("study"):
            said = weir("plan", "--suite", "quick", "--target", "memory", output=str)
        assert "cells" in said, said
