#!/usr/bin/env python3
"""Time to the answer: 32 executions of IOR on tmpfs by `weir report`, in a copy of this checkout.

Prints the seconds until the terminal shows the answer and report.html is there, and until it has its
figures. The goal is a page within 6 s on a quiet machine.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.workflow.conftest import Checkout, copy_of_the_tree  # noqa: E402

GOAL_S = 6.0


def prepared(scratch: Path, memory: Path) -> Checkout:
    """Eight cells of four rounds: two interfaces, two layouts of order, two transfer sizes."""
    checkout = copy_of_the_tree(scratch)
    for file in (checkout.root / "config/sites/local/targets").glob("*.yaml"):
        file.unlink()
    target = {"target": "ram", "kind": "memory", "description": "tmpfs", "path": str(memory)}
    checkout.write("config/sites/local/targets/ram.yaml", target)
    experiment = {
        "tool": "ior",
        "nodes": [1],
        "ppn": [2],
        "space": {"xfer": ["64 KiB", "1 MiB"], "api": ["POSIX", "MPIIO"], "order": ["sequential", "random"]},
        "fixed": {"access": ["write", "read"], "block": "4 MiB"},
        "repetitions": {"rounds": 4},
    }
    suite = {"suite": "answer", "question": "How fast is memory?", "experiments": {"one": experiment}}
    checkout.write("config/suites/answer.yaml", suite)
    checkout.write("config/config.yaml", {"site": "local", "suites": ["answer"], "stacks": ["debian"]})
    return checkout


def main() -> int:
    memory = Path(f"/dev/shm/weir-answer-{os.getpid()}")
    memory.mkdir()
    environment = {**os.environ, "PATH": f"{ROOT / '.venv/bin'}:{os.environ['PATH']}"}
    with tempfile.TemporaryDirectory() as scratch:
        checkout = prepared(Path(scratch), memory)
        environment["PYTHONPATH"] = str(checkout.root)
        print(
            f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; goal: page within {GOAL_S:.0f} s",
            flush=True,
        )
        began = time.monotonic()
        command = [sys.executable, "-m", "weir", "report", "--suites", "answer", "--page-only"]
        process = subprocess.Popen(
            command, cwd=checkout.root, env=environment, stdout=subprocess.PIPE, text=True
        )
        for line in process.stdout or ():
            if line.startswith(("preflight", "ram-", "HTML")) or "results proven" in line:
                print(f"{time.monotonic() - began:6.1f} s  {line.strip()}", flush=True)
        status = process.wait()
        print(f"{time.monotonic() - began:6.1f} s  figures are in report.html")
    shutil.rmtree(memory)
    return status


if __name__ == "__main__":
    sys.exit(main())
