"""Suites of fio and elbencho, as their tools describe them: from the plan to the page."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.workflow.conftest import Checkout
from tests.workflow.report_study import draw
from weir.witness.document import LIBRARY

pytestmark = pytest.mark.slow
MIB = 2**20
SUITE: dict[str, Any] = {
    "suite": "tiny",
    "question": "What does fio measure here?",
    "experiments": {
        "files": {
            "nodes": [1],
            "ppn": [1],
            "space": {"xfer": ["64 KiB", "1 MiB"]},
            "fixed": {"block": "32 MiB", "jobs": 2},
            "repetitions": {"rounds": 2},
        }
    },
}


@pytest.mark.parametrize("tool", ["fio", "elbencho"])
def test_a_suite_of_a_third_party_tool_becomes_a_page(tiny: Checkout, tmp_path: Path, tool: str) -> None:
    for program in (tool, "mpirun", "Rscript"):
        if not shutil.which(program):
            pytest.skip(f"{program} is missing")
    if not LIBRARY.is_file():
        pytest.skip(f"{LIBRARY.name} is not built: make build")
    experiments = {"files": {"tool": tool, **SUITE["experiments"]["files"]}}
    tiny.write("config/suites/tiny.yaml", {**SUITE, "experiments": experiments})
    if tool == "elbencho":  # which takes what is below /dev for devices
        disk = tmp_path / "disk"
        disk.mkdir()
        tiny.write(
            "config/sites/local/targets/ram.yaml",
            {"target": "ram", "kind": "disk", "description": "disk of a test", "path": str(disk)},
        )
    tiny.use(**{tool: [tool]})
    rows, study = tiny.measure("results/local/tiny"), tiny.root / "results/local/tiny"
    assert [(row["tool"], row["program"]) for row in rows] == [(tool, tool)] * 8
    assert {(row["access"], int(row["moved_bytes"])) for row in rows} == {
        ("write", 64 * MIB),
        ("read", 64 * MIB),
    }
    told = [(row["access"], row["xfer_bytes"], row["reasons"], row["evidence"]) for row in rows]
    # Other load degrades results, and jobs that it kept apart have no common rate; no evidence is missing.
    assert "UNPROVEN" not in {row["verdict"] for row in rows}, told
    draw(study, root=tiny.root)
    page = json.loads((study / "page.json").read_text())
    assert Path(study / "report.html").stat().st_size > 0
    assert tool in json.dumps(page)
