"""Stages each animal by weir's own commands: plan, run, collect, import."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.zoo.animals import LOAD, SPARSE, TWO_RUNS, Animal
from weir.model import Row
from weir.records.facts import Facts
from weir.records.importing import import_files
from weir.records.table import read_records

ROOT = Path(__file__).resolve().parents[2]
ENGINE = ROOT / "build" / "weir-io"
_RANKS = 2
_ATTEMPTS = 4
_AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
_LAUNCHER_OPTIONS = [
    "--oversubscribe",
    "--bind-to",
    "none",
    "--mca",
    "pml",
    "ob1",
    "--mca",
    "btl",
    "self,vader",
]
_BLOCK = "64 MiB"


@dataclass(frozen=True)
class Visit:
    """Records of one animal: of weir run, of an import of the document, of an import of the printed table."""

    run: list[Row]
    document: list[Row]
    table: list[Row]


class Keeper:
    """Where the zoo lives: a folder for results, one on disk and one in memory for data."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = f"weir-zoo-{os.getpid()}"
        self.disk = Path("/var/tmp") / self.name
        self.memory = Path("/dev/shm") / self.name
        self.shims = folder / "shims.so"

    def open(self) -> None:
        for place in (self.disk, self.memory):
            place.mkdir()
        compile_words = ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
        words = [*compile_words, str(ROOT / "tests/zoo/shims.c"), "-o", str(self.shims), "-ldl"]
        subprocess.run(words, check=True)

    def close(self) -> None:
        for place in (self.disk, self.memory):
            shutil.rmtree(place, ignore_errors=True)

    def visit(self, animal: Animal) -> Visit:
        """Again where others used the disk meanwhile: their bytes cannot be told from those of the animal."""
        for attempt in range(_ATTEMPTS):
            visit = self._visit(animal, self.folder / f"{animal.name.replace(' ', '-')}-{attempt}")
            names = {
                name for _, reasons, notes in found(visit.run, animal.access) for name in (*reasons, *notes)
            }
            if "others-on-device" in animal.rules or "others-on-device" not in names:
                break
        return visit

    def _visit(self, animal: Animal, home: Path) -> Visit:
        if animal.beside == SPARSE:
            return self._sparse(home)
        self._configure(home, animal)
        plan, results = home / "plan.json", home / "results"
        options = ["--config-dir", str(home / "config"), "--site", "zoo", "--suite", animal.suite]
        self._weir("plan", *options, "--target", animal.target, "--out", str(plan))
        with self._beside(animal):
            self._weir("run", "--plan", str(plan), "--results", str(results), may_fail=True)
        self._weir(
            "collect", "--plan", str(plan), "--results", str(results), "--out", str(home / "records.csv")
        )
        (run,) = results.rglob("run.json")
        return Visit(
            read_records(home / "records.csv"),
            _imported(run.with_name("summary.json")),
            _imported(run.with_name("stdout.txt")),
        )

    def _configure(self, home: Path, animal: Animal) -> None:
        environment = dict(_AS_ROOT)
        if animal.preload:
            environment |= {
                "LD_PRELOAD": str(self.shims),
                "WEIR_ZOO": animal.preload,
                "WEIR_ZOO_PATH": self.name,
            }
        partition = {
            "nodes": 1,
            "cores_per_node": 2,
            "launcher": "mpirun",
            "scheduler": "local",
            "stacks": ["plain"],
        }
        stack = {
            "programs": {"ior": [str(ENGINE), "ior"]},
            "environment": environment,
            "launcher_options": _LAUNCHER_OPTIONS,
        }
        site = {
            "site": "zoo",
            "description": "Fake storages with known answers",
            "partitions": {"node": partition},
            "stacks": {"plain": stack},
        }
        _write(home / "config/sites/zoo/site.yaml", site)
        targets = {
            "disk": ("disk", self.disk),
            "memory": ("memory", self.memory),
            "tmpfs-as-disk": ("disk", self.memory),
            "disk-as-parallel": ("parallel", self.disk),
        }
        for name, (kind, place) in targets.items():
            target = {"target": name, "kind": kind, "description": "Of the zoo", "path": f"{place}/{name}"}
            target |= {"apis": ["POSIX"], "prepare": [["mkdir", "-p", f"{place}/{name}"]]}
            _write(home / f"config/sites/zoo/targets/{name}.yaml", target)
        for suite, more in (("zoo", {"drop_caches": True}), ("zoo-direct", {"direct": True})):
            fixed = {"api": "POSIX", "xfer": "1 MiB", "block": _BLOCK, "sync": True, "barriers": True}
            experiment = {"tool": "ior", "nodes": [1], "ppn": [_RANKS], "fixed": fixed | more}
            content = {
                "suite": suite,
                "question": "Is the animal recognised?",
                "experiments": {"one": experiment},
            }
            _write(home / f"config/suites/{suite}.yaml", content)

    @contextmanager
    def _beside(self, animal: Animal) -> Iterator[None]:
        """What runs beside the measurement, from a moment before it until its end."""
        if not animal.beside:
            yield
            return
        other = str(self.disk / "beside")
        writer = ["dd", "if=/dev/zero", f"of={other}", "bs=4M", "count=512", "oflag=direct", "conv=notrunc"]
        second = [str(ENGINE), "ior", "-w", "-e", "-i", "500", "-t", "1m", "-b", "64m", "-o", other]
        words = {LOAD: writer, TWO_RUNS: second}[animal.beside]
        loop = ["bash", "-c", f"for n in {{1..1000}}; do {shlex.join(words)}; done"]
        process = subprocess.Popen(
            loop,
            env={**os.environ, **_AS_ROOT},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            time.sleep(0.5)
            yield
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            Path(other).unlink(missing_ok=True)

    def _sparse(self, home: Path) -> Visit:
        """No plan reads a file that it did not write: the engine alone does."""
        home.mkdir()
        source, summary = self.disk / "sparse", home / "summary.json"
        with source.open("wb") as stream:
            stream.truncate(_RANKS * 64 * 2**20)
        words = [
            "mpirun",
            *_LAUNCHER_OPTIONS,
            "-n",
            str(_RANKS),
            str(ENGINE),
            "ior",
            "-r",
            "-t",
            "1m",
            "-b",
            "64m",
        ]
        words += [
            "--drop-caches",
            "-k",
            "-o",
            str(source),
            "-O",
            f"summaryFile={summary}",
            "-O",
            "summaryFormat=JSON",
        ]
        environment = {**os.environ, **_AS_ROOT}
        done = subprocess.run(words, env=environment, cwd=home, capture_output=True, text=True, check=False)
        (home / "stdout.txt").write_text(done.stdout)
        return Visit([], _imported(summary), _imported(home / "stdout.txt"))

    def _weir(self, *words: str, may_fail: bool = False) -> None:
        done = subprocess.run(
            [sys.executable, "-m", "weir", *words], cwd=ROOT, capture_output=True, text=True, check=False
        )
        if done.returncode != 0 and not may_fail:
            raise RuntimeError(f"weir {' '.join(words)}: {done.stdout}{done.stderr}")


def found(rows: list[Row], access: str) -> list[tuple[str, list[str], list[str]]]:
    """Verdict, reasons and notes of the records of an access."""
    return [
        (
            str(row["verdict"]),
            [name for name in (row["reasons"] or "").split(";") if name],
            [part.partition(":")[0] for part in (row["notes"] or "").split("; ") if part],
        )
        for row in rows
        if row["access"] == access
    ]


def _imported(file: Path) -> list[Row]:
    if not file.is_file():
        return []
    try:
        return import_files([file], Facts()).rows
    except Exception as error:  # a run that failed prints no result to import
        if "holds no results" in str(error):
            return []
        raise


def _write(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        yaml.safe_dump(content, sort_keys=False) if path.suffix == ".yaml" else json.dumps(content)
    )
