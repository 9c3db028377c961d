"""What the engine's loop costs for each operation: the null back end, 4 KiB, one rank, histogram on.

IOR=PROGRAM runs the original beside it, in alternating order.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GOAL_US = 0.1
XFER_BYTES = 4096
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def run(words: list[str]) -> str:
    done = subprocess.run(words, env={**os.environ, **AS_ROOT}, capture_output=True, text=True, check=True)
    return done.stdout


def ours(program: Path, operations: int) -> dict[str, float]:
    """Microseconds for each operation, by access."""
    with tempfile.TemporaryDirectory() as folder:
        summary = Path(folder) / "summary.json"
        words = [str(program), "ior", "-a", "NULL", "-w", "-r", "-t", str(XFER_BYTES)]
        run([*words, "-b", str(XFER_BYTES * operations), "-o", "none", "-O", f"summaryFile={summary}"])
        document = json.loads(summary.read_text())
    return {r["access"]: 1e6 * r["io_s"] / r["operations"] for r in document["results"]}


def original(program: str, operations: int) -> dict[str, float]:
    words = [program, "-a", "DUMMY", "-w", "-r", "-t", str(XFER_BYTES), "-b", str(XFER_BYTES * operations)]
    rows = re.findall(
        r"^(write|read) +\S+ +\S+ +\S+ +\S+ +\S+ +\S+ +(\S+) ", run([*words, "-o", "none"]), re.M
    )
    return {access: 1e6 * float(io_s) / operations for access, io_s in rows[:2]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--operations", type=int, default=2**20)
    parser.add_argument("--program", type=Path, default=ROOT / "build/weir-io")
    asked = parser.parse_args()
    beside = os.environ.get("IOR")
    found: dict[tuple[str, str], list[float]] = {}
    for _ in range(asked.runs):
        measured = {"weir-io": ours(asked.program, asked.operations)}
        if beside:
            measured["IOR"] = original(beside, asked.operations)
        for name, by_access in measured.items():
            for access, cost_us in by_access.items():
                found.setdefault((name, access), []).append(cost_us)
    print(f"{asked.operations} operations of {XFER_BYTES} bytes, {asked.runs} runs; goal {GOAL_US} us")
    print("program  access  median_us  least_us  greatest_us")
    for (name, access), costs in found.items():
        print(f"{name:8} {access:6} {statistics.median(costs):10.4f} {min(costs):9.4f} {max(costs):12.4f}")


if __name__ == "__main__":
    main()
