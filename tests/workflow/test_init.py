"""weir init: the workflow of an installed weir measures and prints outside of any checkout."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.unit.test_setup_wheel import built_wheel
from tests.workflow.conftest import ROOT

pytestmark = pytest.mark.slow
ENGINE = ROOT / "build" / "weir-io"
SUITE = {
    "suite": "tiny",
    "question": "Does it work?",
    "experiments": {
        "one": {
            "tool": "ior",
            "nodes": [1],
            "ppn": [1],
            "space": {"xfer": ["16 KiB", "64 KiB"]},
            "fixed": {"block": "256 KiB", "sync": True},
            "repetitions": {"rounds": 2},
        }
    },
}


def test_a_study_of_the_wheel_is_measured_and_printed(tmp_path: Path, target_folder: Path) -> None:
    if not ENGINE.exists():
        pytest.skip("build/weir-io is missing: make build")
    (tmp_path / "wheel").mkdir()
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-index"]
    wheel = built_wheel(tmp_path / "wheel")
    subprocess.run([*pip, "--no-deps", "--target", str(tmp_path / "site"), str(wheel)], check=True)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("WEIR_")}
    # The packages that weir needs are those of the test; weir and everything it brings are the wheel's.
    environment["PYTHONPATH"] = str(tmp_path / "site")
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"

    def call(*words: str, folder: Path) -> str:
        done = subprocess.run(
            words, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    call(sys.executable, "-m", "weir", "init", "study", "--engine", str(ENGINE), folder=tmp_path)
    study = tmp_path / "study"
    where = call(sys.executable, "-c", "import weir; print(weir.__path__[0])", folder=study)
    assert where.strip() == str(tmp_path / "site" / "weir")
    about = {"target": "ram", "kind": "memory", "description": "tmpfs of a test", "path": str(target_folder)}
    for name, content in (("sites/local/targets/ram.yaml", about), ("suites/tiny.yaml", SUITE)):
        (study / "config" / name).write_text(yaml.safe_dump(content))
    (study / "config/config.yaml").write_text("site: local\nsuites: [tiny]\ntargets: [ram]\n")
    call("snakemake", "--cores", "2", folder=study)
    assert (study / "results/local/tiny/report.pdf").stat().st_size > 10_000
    said = call(sys.executable, "-m", "weir", "bundle", "results/local/tiny", "--out", "t.zip", folder=study)
    assert "with figures and tables" in said
