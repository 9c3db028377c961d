"""The back end URING beside fio on one file, with O_DIRECT: 4 KiB in random order and 1 MiB in order.

Both use io_uring with registered buffers and a registered file, in alternating order. Printed: the median
ratio of operations per second and the CPU time per operation. fio: apt-get install fio.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ENGINE = ROOT / "build" / "weir-io"
FILE_MIB = int(os.environ.get("BENCH_FILE_MIB", "256"))
SECONDS = float(os.environ.get("BENCH_SECONDS", "1"))
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "5"))
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


@dataclass(frozen=True)
class Case:
    access: str
    xfer: str
    depth: int

    @property
    def random(self) -> bool:
        return self.xfer == "4k"


@dataclass(frozen=True)
class Sample:
    ops_s: float
    cpu_us: float


def cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run_engine(case: Case, file: Path) -> Sample:
    summary = file.with_suffix(".json")
    words = [str(ENGINE), "ior", "-a", "URING", f"--uring.depth={case.depth}", "--posix.odirect", "-k"]
    words += ["-E", "-t", case.xfer, "-b", f"{FILE_MIB}m", "-D", str(SECONDS), "-o", str(file)]
    words += ["-z"] if case.random else []
    words += ["-w" if case.access == "write" else "-r", "--no-warm-up", "-O", f"summaryFile={summary}"]
    before_s = cpu_s()
    subprocess.run(words, check=True, capture_output=True, env={**os.environ, **AS_ROOT})
    result = json.loads(summary.read_text())["results"][0]
    return Sample(result["ops_s"], (cpu_s() - before_s) / result["operations"] * 1e6)


def run_fio(case: Case, file: Path) -> Sample:
    words = ["fio", "--name=queue", f"--filename={file}", f"--size={FILE_MIB}m", f"--bs={case.xfer}"]
    words += [f"--rw={'rand' if case.random else ''}{case.access}", f"--iodepth={case.depth}", "--direct=1"]
    words += ["--ioengine=io_uring", "--fixedbufs", "--registerfiles", f"--runtime={SECONDS}", "--thread"]
    words += ["--time_based", "--overwrite=1", "--output-format=json"]
    before_s = cpu_s()
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    job = json.loads(done.stdout[done.stdout.index("{") :])["jobs"][0][case.access]
    return Sample(job["iops"], (cpu_s() - before_s) / job["total_ios"] * 1e6)


def compare(case: Case, file: Path) -> str:
    engine, fio = [], []
    for number in range(ROUNDS):
        for ours in (True, False) if number % 2 else (False, True):
            (engine if ours else fio).append((run_engine if ours else run_fio)(case, file))
    ratios = [a.ops_s / b.ops_s for a, b in zip(engine, fio, strict=True)]
    rates = [statistics.median(sample.ops_s for sample in samples) for samples in (engine, fio)]
    cpu = [statistics.median(sample.cpu_us for sample in samples) for samples in (engine, fio)]
    spread = f"{min(ratios):.2f}-{max(ratios):.2f}"
    return (
        f"| {case.access} | {case.xfer} | {case.depth} | {rates[0]:,.0f} | {rates[1]:,.0f} "
        f"| {statistics.median(ratios):.2f} | {spread} | {cpu[0]:.1f} | {cpu[1]:.1f} |"
    )


def main() -> int:
    if shutil.which("fio") is None:
        print("skipped: fio is not installed; hint: apt-get install fio")
        return 0
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_FOLDER", str(ROOT / "build"))) as folder:
        file = Path(folder) / "data"
        words = [str(ENGINE), "ior", "-w", "-k", "-e", "-t", "1m", "-b", f"{FILE_MIB}m", "-l", "random"]
        subprocess.run([*words, "-o", str(file)], check=True, capture_output=True)
        print(f"{FILE_MIB} MiB in {folder}, {ROUNDS} rounds of {SECONDS} s each in alternating order")
        print(
            "| access | bytes | depth | weir-io ops/s | fio ops/s | ratio | range | CPU us | CPU us of fio |"
        )
        print("|---|---|---|---|---|---|---|---|---|")
        for xfer, depths in (("4k", (1, 8, 32)), ("1m", (1, 8))):
            for depth in depths:
                for access in ("read", "write"):
                    print(compare(Case(access, xfer, depth), file), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
