# Copyright The weir Authors. See the file LICENSE for details.
#
# SPDX-License-Identifier: Apache-2.0

import csv

from spack.package import *
from spack_repo.builtin.build_systems.python import PythonPackage
from spack_repo.weir.checkout import CHECKOUT, HOMEPAGE, NO_COMMIT, sources

SOURCES = sources()

# One cell, done in a second.
SUITE = """\
suite: one-cell
question: Does the workflow measure here?
experiments:
  one:
    tool: ior
    nodes: [1]
    ppn: [2]
    space: {api: [POSIX]}
    fixed: {xfer: 64 KiB, block: 1 MiB, access: [write, read], sync: true}
    repetitions: {rounds: 1}
"""


class PyWeir(PythonPackage):
    """Plans measurements of storage, audits and collects their results: the command weir, with the
    workflow, the configuration and the analysis that `weir init` puts into a study."""

    homepage = HOMEPAGE
    git = CHECKOUT

    license("Apache-2.0")

    for _version, _source in SOURCES.items():
        version(_version, **_source)
    if "branch" in SOURCES["main"]:
        conflicts("@main", msg=NO_COMMIT)

    # Off by default: SciPy needs a Fortran compiler, and measuring needs neither.
    variant(
        "statistics", default=False, description="NumPy and SciPy: weir compare and weir accept"
    )
    variant(
        "workflow",
        default=True,
        description="Snakemake and ReFrame: measure a study by `snakemake`",
    )

    depends_on("python@3.11:", type=("build", "run"))
    depends_on("py-setuptools@77:", type="build")
    depends_on("py-jsonschema@4.18:", type=("build", "run"))
    depends_on("py-pyyaml@6:", type=("build", "run"))
    with when("+workflow"):
        # The oldest releases with which quick was measured and printed; pyproject.toml has the
        # same.
        depends_on("snakemake@8.25.2:", type="run")
        depends_on("reframe@4.7.3:", type="run")
        depends_on("py-pygments", type="run")
        # `spack install --test=root py-weir` needs them; weir brings both anyway.
        depends_on("weir-io", type="test")
        depends_on("mpi", type="test")

    # `weir history` also needs ruptures, for which Spack has no recipe; `tune` a newer Optuna than
    # it has.
    with when("+statistics"):
        depends_on("py-numpy@2:", type="run")
        depends_on("py-scipy@1.15:", type="run")

    import_modules = ["weir", "weir.cli", "weir.commands"]
    sanity_check_is_file = ["bin/weir"]

    def setup_build_environment(self, env: EnvironmentModifications) -> None:
        # weir-io and libweir-witness bring the library, built by a compiler that Spack knows.
        env.set("WEIR_BUILD_WITNESS", "no")
        # The tests of `spack install --test=root` import weir; python-venv adds only folders that
        # are there before the installation begins.
        if self.run_tests:
            env.prepend_path("PYTHONPATH", python_purelib)

    def test_plan_in_a_new_study(self):
        """weir init makes a study, and weir plan prints its cost there"""
        weir = Executable(self.prefix.bin.weir)
        weir("init", "study")
        with working_dir("study"):
            said = weir("plan", "--suite", "quick", "--target", "memory", output=str)
        assert "cells" in said, said

    def test_one_cell_is_measured(self):
        """Snakemake and ReFrame measure one cell in a new study"""
        if "weir-io" not in self.spec:
            raise SkipTest("no weir-io: spack install --test=root py-weir, or spack test run weir")
        self.measure_one_cell(self.spec["weir-io"].prefix.bin.join("weir-io"))

    def measure_one_cell(self, engine: str) -> None:
        """Measures one cell with an engine, on disk, from weir init to records.csv; an error if a
        row is INVALID."""
        Executable(self.prefix.bin.weir)("init", "--engine", engine, "measured")
        records = "results/local/one-cell/records.csv"
        with working_dir("measured"):
            with open("config/suites/one-cell.yaml", "w", encoding="utf-8") as file:
                file.write(SUITE)
            choice = ("suites=one-cell", "targets=disk")
            which("snakemake", required=True)("--cores", "2", records, "--config", *choice)
            with open(records, encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
        assert {row["access"] for row in rows} == {"write", "read"}, rows
        assert all(row["verdict"] != "INVALID" for row in rows), rows
