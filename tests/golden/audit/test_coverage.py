"""Every rule is triggered by what a real program printed; without one rule, its case fails.

A case is captured by capture.py (slurm-allocation: by tests/slurm/test_snakemake.py; slow-node: on four nodes
of tests/slurm/sandbox, one of which shared its only processor with a process of real-time priority;
slow-server: by tests/lab/test_network.py), or is an older capture of tests/golden.
"""

import re
from pathlib import Path

import pytest

from tests.golden.audit.cases import CASES, found_in, rules_in
from weir.audit.registry import rules
from weir.collect.imported_files import Facts
from weir.collect.importing import import_files

GOLDEN = Path(__file__).parents[1]
OLDER = {
    "netcdf-bench/ncb-block-geometry-small.txt": {"bandwidth-not-bytes-over-time", "bytes-moved"},
    "ior/fail-ior-enospc-ncmpi.txt": {"mpiio-error-swallowed"},
    # Rewritten from logs of 2018 on Lustre, which tests/golden/test_ior_beside.py reads where they are.
    "ior/written-3.0.1-three-runs.txt": {"random-draw-overlaps", "stripes-differ"},
}
# About several runs, or about what happens to records afterwards: tests/unit/collect/test_custody.py.
OF_A_STUDY = {"output-edited", "run-replayed", "authors-verdict"}
NAMES = sorted(case.name for case in CASES.iterdir())


@pytest.mark.parametrize("name", NAMES)
def test_a_capture_has_its_findings(name: str) -> None:
    assert found_in(CASES / name) == (CASES / name / "expected.txt").read_text().splitlines()


@pytest.mark.parametrize("name", OLDER)
def test_an_older_capture_has_its_findings(name: str) -> None:
    rows = import_files([GOLDEN / name], Facts()).rows
    found = {rule for row in rows for rule in (row["reasons"] or "").split(";")}
    found |= {part.partition(":")[0] for row in rows for part in (row["notes"] or "").split("; ")}
    assert OLDER[name] <= found


def test_every_rule_has_a_capture() -> None:
    captured = {rule for name in NAMES for rule in rules_in(CASES / name)}
    captured |= {rule for found in OLDER.values() for rule in found}
    assert captured | OF_A_STUDY == set(rules())
    assert not captured & OF_A_STUDY


def test_captures_name_no_directory_of_the_machine_that_made_them() -> None:
    for file in CASES.rglob("*.*"):
        assert not re.search(r"/work/|(?<!/var)/tmp/", file.read_text(errors="replace")), file
