"""The back end URING beside fio on one file, with O_DIRECT: 4 KiB in random order and 1 MiB in order.

Both use io_uring with registered buffers and a registered file, in alternating order. In order both move the
whole file once; in random order both stop after BENCH_SECONDS. Printed: the median ratio of operations per
second, its 95 % interval from 6 rounds on, and the CPU time of the transfers per operation, as each program
reports it. fio: apt-get install fio.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.engine_table import ENVIRONMENT, ROOT
from weir.statistics.median import median_interval

ENGINE = ROOT / "build" / "weir-io"
FILE_MIB = int(os.environ.get("BENCH_FILE_MIB", "512"))
SECONDS = float(os.environ.get("BENCH_SECONDS", "1"))
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "9"))


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


def run_engine(case: Case, file: Path) -> Sample:
    summary = file.with_suffix(".json")
    arguments = [str(ENGINE), "ior", "-a", "URING", f"--uring.depth={case.depth}", "--posix.odirect", "-k"]
    arguments += ["-E", "-t", case.xfer, "-b", f"{FILE_MIB}m", "-o", str(file)]
    arguments += ["-z", "-D", str(SECONDS)] if case.random else []
    arguments += ["-w" if case.access == "write" else "-r", "--no-warm-up", f"--json={summary}"]
    subprocess.run(arguments, check=True, capture_output=True, env={**os.environ, **ENVIRONMENT})
    result = json.loads(summary.read_text())["results"][0]
    return Sample(result["ops_s"], result["observed"]["cpu_s"] / result["operations"] * 1e6)


def run_fio(case: Case, file: Path) -> Sample:
    arguments = ["fio", "--name=queue", f"--filename={file}", f"--size={FILE_MIB}m", f"--bs={case.xfer}"]
    arguments += [
        f"--rw={'rand' if case.random else ''}{case.access}",
        f"--iodepth={case.depth}",
        "--direct=1",
    ]
    arguments += ["--ioengine=io_uring", "--fixedbufs", "--registerfiles", "--thread", "--overwrite=1"]
    arguments += [f"--runtime={SECONDS}", "--time_based"] if case.random else []
    arguments += ["--output-format=json"]
    done = subprocess.run(arguments, check=True, capture_output=True, text=True)
    job = json.loads(done.stdout[done.stdout.index("{") :])["jobs"][0]
    cpu_share = (job["usr_cpu"] + job["sys_cpu"]) / 100
    found = job[case.access]
    return Sample(found["iops"], cpu_share * job["job_runtime"] * 1e3 / found["total_ios"])


def interval(ratios: Sequence[float]) -> str:
    ends = median_interval(ratios, 0.0)
    return f"{ends[0]:.2f}-{ends[1]:.2f}" if ends else "too few rounds"


def compare(case: Case, file: Path) -> str:
    engine, fio = [], []
    for number in range(ROUNDS):
        for ours in (True, False) if number % 2 else (False, True):
            (engine if ours else fio).append((run_engine if ours else run_fio)(case, file))
    ratios = [a.ops_s / b.ops_s for a, b in zip(engine, fio, strict=True)]
    rates = [statistics.median(sample.ops_s for sample in samples) for samples in (engine, fio)]
    cpu = [statistics.median(sample.cpu_us for sample in samples) for samples in (engine, fio)]
    return (
        f"| {case.access} | {case.xfer} | {case.depth} | {rates[0]:,.0f} | {rates[1]:,.0f} "
        f"| {statistics.median(ratios):.2f} | {interval(ratios)} | {cpu[0]:.1f} | {cpu[1]:.1f} |"
    )


def main() -> int:
    if shutil.which("fio") is None:
        print("skipped: fio is not installed; hint: apt-get install fio")
        return 0
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_FOLDER", str(ROOT / "build"))) as folder:
        file = Path(folder) / "data"
        arguments = [str(ENGINE), "ior", "-w", "-k", "-e", "-t", "1m", "-b", f"{FILE_MIB}m", "-l", "random"]
        subprocess.run([*arguments, "-o", str(file)], check=True, capture_output=True)
        print(f"{FILE_MIB} MiB in {folder}, {ROUNDS} rounds of {SECONDS} s each in alternating order")
        print(
            "| access | bytes | depth | weir-io ops/s | fio ops/s | ratio | 95 % | CPU us | CPU us of fio |"
        )
        print("|---|---|---|---|---|---|---|---|---|")
        for xfer, depths in (("4k", (1, 8, 32)), ("1m", (1, 8))):
            for depth in depths:
                for access in ("read", "write"):
                    print(compare(Case(access, xfer, depth), file), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
