#!/usr/bin/env python3
"""Time and memory from records to report.html and report.pdf: 1,000, 10,000, 100,000 records.

The records are synthetic: cells of twelve rounds, two accesses, two targets. Prints a table;
--limits fails if the largest takes more than 60 s or 2 GiB, or its page more than 5 MB.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.workflow.report_study import MIB, Record, facts_of, record, write_study  # noqa: E402

ROUNDS = 12
SIZES = (1_000, 10_000, 100_000)
MOST_S, MOST_MIB, MOST_PAGE_MB = 60.0, 2048.0, 5.0


def rows(count: int) -> list[Record]:
    """Makes that many records: cells differ in interface, layout, order, transfer size, nodes and
    processes."""
    made: list[Record] = []
    number = 0
    while len(made) < count:
        api, layout = ("POSIX", "MPIIO")[number % 2], ("shared", "file-per-process")[number // 2 % 2]
        order, xfer = ("sequential", "random")[number // 4 % 2], 4096 << (number // 8 % 9)
        target, ppn = ("disk", "memory")[number // 72 % 2], 1 << (number // 144 % 6)
        nn = 1 + number // 864
        for access, speed in (("write", 900.0), ("read", 1700.0)):
            for round_ in range(ROUNDS):
                factor = (1 + number % 7 / 10) * (1 + (round_ * 7 + number) % 11 / 100)
                made.append(
                    record(access, speed * factor, api=api, layout=layout, order=order, xfer_bytes=xfer)
                    | {
                        "target": target,
                        "ppn": ppn,
                        "nn": nn,
                        "run": round_,
                        "iteration": 0,
                        "lat_p99_us": 100.0,
                    }
                    | {
                        "cell": f"cell{number}",
                        "label": f"cell {number}",
                        "block_bytes": 64 * MIB,
                        "ops": 1000,
                    }
                )
        number += 1
    return made[:count]


def measured(command: list[str]) -> tuple[float, float, float]:
    """Seconds, seconds of processor, and MiB of the largest process."""
    began = time.monotonic()
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, env={**os.environ, "PATH": path})
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"{' '.join(command)} failed")
    largest = max(usage.ru_maxrss, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
    return time.monotonic() - began, usage.ru_utime + usage.ru_stime, largest / 1024


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=list(SIZES), help="numbers of records")
    parser.add_argument("--limits", action="store_true", help="fail if the largest exceeds its limits")
    args = parser.parse_args()
    print(
        f"{'records':>8} {'page s':>7} {'CPU s':>6} {'PDF s':>6} {'MiB':>6} {'HTML MB':>8}"
        f"   load {os.getloadavg()[0]:.1f}"
    )
    beyond = False
    for count in args.sizes:
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch) / "results" / "here" / "grown"
            held = rows(count)
            write_study(folder, held, facts_of(held))
            draw = [
                "Rscript",
                "analysis/draw.R",
                "study",
                str(folder),
                "--with",
                "published=reference/published.csv",
            ]
            page_s, cpu_s, page_mib = measured(draw)
            pdf_s, _, _ = measured(
                ["reports/print.sh", "reports/measurement/main.tex", str(folder), str(folder / "report.pdf")]
            )
            size_mb = (folder / "report.html").stat().st_size / 1e6
            json.loads((folder / "page.json").read_text())
        print(
            f"{count:8,} {page_s:7.1f} {cpu_s:6.1f} {pdf_s:6.1f} {page_mib:6.0f} {size_mb:8.2f}", flush=True
        )
        beyond = page_s + pdf_s > MOST_S or page_mib > MOST_MIB or size_mb > MOST_PAGE_MB
    return 1 if args.limits and beyond else 0


if __name__ == "__main__":
    sys.exit(main())
