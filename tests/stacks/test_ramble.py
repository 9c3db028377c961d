"""The application for Ramble: its workloads run, and the figures of merit are those of the output."""

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.programs import ran
from tests.stacks.conftest import ROOT

pytestmark = pytest.mark.slow
ENGINE = ROOT / "build" / "weir-io"
WORKSPACE = f"""\
ramble:
  variants: {{package_manager: null}}
  variables:
    mpi_command: mpirun --oversubscribe -n {{n_ranks}}
    batch_submit: '{{execute_experiment}}'
    processes_per_node: 2
    n_ranks: 2
    weir-io_path: {ROOT / "build"}
    block: 1m
    transfer: 256k
    iterations: '2'
  env_vars:
    set: {{OMPI_ALLOW_RUN_AS_ROOT: '1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1'}}
    prepend: [{{paths: {{PATH: "{Path(sys.executable).parent}:{ROOT / "build"}"}}}}]
  applications:
    weir-io:
      workloads:
        shared-file: {{experiments: {{shared: {{}}}}}}
        file-per-process: {{experiments: {{own: {{}}}}}}
        suite: {{experiments: {{whole: {{variables: {{suite: tiny, choice: CHOICE}}}}}}}}
"""
SUITE = """\
suite: tiny
question: Does a suite run in a workspace?
experiments:
  one: {tool: ior, nodes: [1], ppn: [1], space: {xfer: [16 KiB, 64 KiB]}, fixed: {block: 256 KiB}}
"""


def test_the_workloads_run_and_are_analysed(tmp_path: Path) -> None:
    program = Path(os.environ.get("RAMBLE_ROOT", "/nonexistent")) / "bin" / "ramble"
    if not program.is_file():
        pytest.skip("no Ramble: RAMBLE_ROOT names no checkout of it")
    if not ENGINE.exists() or not shutil.which("mpirun"):
        pytest.skip("build/weir-io or mpirun is missing: make build")
    (tmp_path / "own" / "suites").mkdir(parents=True)
    (tmp_path / "own" / "suites" / "tiny.yaml").write_text(SUITE)
    choice = f"--config-dir {tmp_path}/own --target memory"
    (tmp_path / "ramble.yaml").write_text(WORKSPACE.replace("CHOICE", choice))
    # Nothing of the user's configuration takes part, and nothing is left in it.
    kept = {**os.environ, "HOME": str(tmp_path), "SPACK_PYTHON": sys.executable}

    def ramble(*arguments: str) -> str:
        return ran([program, *arguments], env=kept, cwd=tmp_path, timeout=300, code=0).stdout

    ramble("repo", "add", str(ROOT / "envs/spack/ramble"))
    ramble("workspace", "create", "-d", "study", "-c", "ramble.yaml")
    for step in (("workspace", "setup"), ("on",), ("workspace", "analyze")):
        ramble("-D", "study", *step)
    text = (tmp_path / "study" / "results.latest.txt").read_text()
    assert text.count("Status = SUCCESS") == 3
    counts = {name: int(count) for name, count in re.findall(r"([A-Z]+) records = ([0-9]+)", text)}
    assert counts["INVALID"] == 0
    assert sum(counts.values()) == 4  # two sizes, a write and a read
    logs = sorted((tmp_path / "study/experiments/weir-io").glob("*file*/*/*.out"))
    assert len(logs) == 2
    for log in logs:
        rows = re.findall(r"^write +([0-9.]+) [0-9. ]+ ([01]) *$", log.read_text(), re.MULTILINE)
        assert [iteration for _, iteration in rows] == ["0", "1"]
        assert all(f"write bandwidth = {rate} MiB/s" in text for rate, _ in rows)
        best = re.findall(r"^write +([0-9.]+) .* POSIX ", log.read_text(), re.MULTILINE)
        assert len(best) == 1
        assert f"highest write bandwidth = {best[0]} MiB/s" in text
