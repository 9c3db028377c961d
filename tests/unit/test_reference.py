"""reports/reference.sh: a failed step of any study fails the whole, and no later step hides it."""

import os
import shutil
from pathlib import Path

import pytest

from tests.checkout import ROOT
from tests.programs import ran, write_program

STUDIES = ("ddn-lustre-2018", "mistral", "io500")
WEIR = """#!/bin/sh
case "$*" in *"/$FAILS.csv --facts"*) echo "cannot import" >&2; exit 1 ;; esac
"""
RSCRIPT = """#!/bin/sh
mkdir -p "$3/tables"
touch "$3/drawn" "$3/tables/defaults-published.csv" "$3/tables/io500-phases.csv"
"""
PRINT = """#!/bin/sh
touch "$3"
"""


@pytest.mark.parametrize("failing", [*STUDIES, ""])
def test_a_failed_step_of_a_study_fails_the_command(tmp_path: Path, failing: str) -> None:
    for name, text in {
        ".venv/bin/weir": WEIR,
        ".venv/bin/Rscript": RSCRIPT,
        "reports/print.sh": PRINT,
    }.items():
        write_program(tmp_path / name, text)
    script = shutil.copy(ROOT / "reports/reference.sh", tmp_path / "reports")
    out = tmp_path / "out"
    environment = os.environ | {"FAILS": failing or "none"}
    done = ran([script, out], env=environment, timeout=60)
    assert done.returncode == (1 if failing else 0), done.stderr
    assert ("cannot import" in done.stderr) == bool(failing)
    assert not failing or not (out / failing / "drawn").exists()
    if failing != "mistral":  # the two that follow each other
        assert all((out / study / "report.pdf").exists() for study in STUDIES if study != failing)
