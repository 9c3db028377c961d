"""Overhead of the burst buffer's interfaces: library and mount against a plain directory, all in memory.

Prints medians with the interquartile range: microseconds for each operation, bandwidth of large transfers,
eight ranks on one file, files created and removed, and how near the drain comes to the rate it was given.
"""

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = ROOT / "build/ime"
MIB = 2**20
INTERFACES = ("plain", "native", "mount")
CASES = {
    "512 B": ["--xfer", "512", "--file", str(4 * MIB)],
    "4 KiB": ["--xfer", "4096", "--file", str(16 * MIB)],
    "16 KiB random, 8 ranks": ["--xfer", "16384", "--file", str(64 * MIB), "--ranks", "8", "--random"],
    "1 MiB": ["--xfer", str(MIB), "--file", str(128 * MIB)],
}
Samples = dict[tuple[str, str, str], list[float]]


@dataclass
class Bench:
    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "IM_CLIENT_CFG_FILE": str(self.folder / "ime.conf")}

    def run(self, program: str, *arguments: str) -> str:
        command = [str(PROGRAMS / program), *arguments]
        return subprocess.run(
            command, env=self.environment, capture_output=True, text=True, check=True
        ).stdout

    def configure(self, **settings: str) -> None:
        keys = {"fast": f"{self.folder}/fast", "backing": f"{self.folder}/backing", **settings}
        (self.folder / "ime.conf").write_text("".join(f"{key} = {value}\n" for key, value in keys.items()))
        self.run("imectl", "create")

    def place(self, interface: str) -> tuple[str, str]:
        """The interface's option and the file's name in it."""
        places = {"plain": self.folder / "plain", "mount": self.folder / "mount"}
        return (
            ("native", "ime://file") if interface == "native" else ("system", str(places[interface] / "file"))
        )


@contextlib.contextmanager
def store(**settings: str) -> Iterator[Bench]:
    with tempfile.TemporaryDirectory(dir="/dev/shm", prefix="weir-bench-") as folder:
        bench = Bench(Path(folder))
        for name in ("plain", "mount"):
            (bench.folder / name).mkdir()
        bench.configure(**settings)
        yield bench
        bench.run("imectl", "destroy", "--discard")


def transfers(bench: Bench, rounds: int) -> Samples:
    samples: Samples = defaultdict(list)
    order = random.Random(1)
    for _ in range(rounds):
        for case, arguments in CASES.items():
            for interface in order.sample(INTERFACES, k=len(INTERFACES)):
                kind, path = bench.place(interface)
                lines = bench.run(
                    "ime-cost", "--interface", kind, "--path", path, *arguments, "--repeat", "1"
                )
                for line in lines.splitlines():
                    told = json.loads(line)
                    samples[case, told["access"] + " us", interface].append(told["op_us"])
                    samples[case, told["access"] + " MiB/s", interface].append(told["bw_mib_s"])
    return samples


def names(bench: Bench, rounds: int, files: int = 300) -> Samples:
    """Create with 3,901 bytes, look at, remove: mount and plain directory by the same system calls."""
    samples: Samples = defaultdict(list)
    data = bytes(3901)
    for _ in range(rounds):
        for interface in ("plain", "mount"):
            folder = bench.folder / interface / "names"
            folder.mkdir()
            paths = [folder / str(i) for i in range(files)]
            steps = {
                "create us": lambda path: path.write_bytes(data),
                "stat us": lambda path: path.stat(),
                "remove us": lambda path: path.unlink(),
            }
            for step, act in steps.items():
                began = time.perf_counter()
                for path in paths:
                    act(path)
                samples["3,901 byte files", step, interface].append(
                    1e6 * (time.perf_counter() - began) / files
                )
            folder.rmdir()
    return samples


def show(samples: Samples) -> None:
    groups = list(dict.fromkeys((case, what) for case, what, _ in samples))
    for case, what in groups:
        print(f"{case:24} {what:12}", end="")
        for interface in INTERFACES:
            values = sorted(samples.get((case, what, interface), []))
            if values:
                low, _, high = statistics.quantiles(values, n=4) if len(values) > 1 else values * 3
                print(f"  {interface} {statistics.median(values):9.2f} [{low:.2f}, {high:.2f}]", end="")
        print()


def drain_rate(rounds: int) -> None:
    """Seconds of `imectl wait` against bytes over rate."""
    size, rate = 96 * MIB, 64 * MIB
    ratios = []
    with store(drain="auto", drain_rate="64 MiB/s", capacity="256 MiB") as bench:
        for i in range(rounds):
            began = time.monotonic()
            arguments = [
                "--interface",
                "native",
                "--path",
                f"ime://file{i}",
                "--xfer",
                str(MIB),
                "--file",
                str(size),
            ]
            bench.run("ime-cost", *arguments, "--keep", "--repeat", "1")
            bench.run("imectl", "wait")
            ratios.append((time.monotonic() - began) / (size / rate))
        bench.run("imectl", "drainer", "--stop")
    worst = max(abs(ratio - 1) for ratio in ratios)
    print(
        f"write 96 MiB and wait, drain_rate 64 MiB/s: {statistics.median(ratios):.3f} of bytes/rate, "
        f"largest deviation {100 * worst:.1f} %"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    if not (PROGRAMS / "ime-fuse").exists() or not os.access("/dev/fuse", os.R_OK | os.W_OK):
        raise SystemExit(f"needs {PROGRAMS}/ime-fuse (make build, libfuse3-dev) and a /dev/fuse that opens")
    with store(drain="manual", capacity="1 GiB") as bench:
        pid = int(bench.run("ime-fuse", str(bench.folder / "mount")))
        try:
            show(transfers(bench, rounds))
            show(names(bench, rounds))
        finally:
            os.kill(pid, signal.SIGTERM)
            while os.path.ismount(bench.folder / "mount"):
                time.sleep(0.01)
    drain_rate(5)


if __name__ == "__main__":
    if shutil.which("fusermount3") is None:
        raise SystemExit("needs fusermount3 (Debian: fuse3)")
    main()
