"""Stages each animal by weir's own commands: plan, run, collect, import, verify."""

import contextlib
import csv
import io
import json
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import yaml

from tests.compiled import shared_library
from tests.programs import ran, write_program
from tests.zoo import scripts
from tests.zoo.animals import (
    ANSWERS,
    COMPUTING,
    EDITED,
    FILTERED,
    LIMITED,
    LOAD,
    MOUNTED,
    NETWORK,
    ON_DISK,
    ORIGINAL,
    OTHER_USER,
    READER_OF_MEMORY,
    SMALL_FILES,
    THROTTLED,
    TRACED,
    TWO_RUNS,
    WEIR_IO,
    Animal,
)
from tests.zoo.errors import CannotStageError
from tests.zoo.quiet_faults import environment_of, filter_program, supervisor_program
from tests.zoo.staging import in_group, mounted, of_another_user, repeated
from weir.cli import main as weir_main
from weir.collect.imported_files import Facts
from weir.collect.importing import import_files
from weir.collect.table import read_records
from weir.records.model import Row
from weir.tools.engine import is_engine
from weir.witness.document import WITNESS_FILE

ROOT = Path(__file__).resolve().parents[2]
ENGINE = ROOT / "build" / "weir-io"
_SHIMS = tuple(ROOT / f"tests/zoo/{name}.c" for name in ("shims", "detours", "swaps"))
_RANKS = 2
_ATTEMPTS = 4
_AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
_LAUNCHER_OPTIONS = ["--oversubscribe", "--bind-to", "none"]
_LAUNCHER_OPTIONS += ["--mca", "pml", "ob1", "--mca", "btl", "self,vader"]
_BLOCK = "64 MiB"
_SUITES: dict[str, dict[str, Any]] = {
    "plain": {"drop_caches": True},
    "direct": {"direct": True},
    "unsynchronised-direct": {"direct": True, "sync": False},
    "verify": {"drop_caches": True, "verify_read": True},
    "reducible": {"payload": "timestamp"},
    "mpiio": {"api": "MPIIO"},
    "mapped": {"api": "MMAP"},
    "own-files": {"layout": "file-per-process"},
    "unsynchronised": {"sync": False, "drop_caches": True},
}
_ITEMS = {"api": "POSIX", "directories": "own", "items_per_rank": 500}
_MDTEST_SUITES: dict[str, dict[str, Any]] = {
    "directories": {"item": "directory", "access": ["create", "remove"]},
    "files": {"item": "file", "access": ["create", "stat", "remove"]},
    "synchronised-files": {
        "item": "file",
        "access": ["create", "remove"],
        "xfer": "4 KiB",
        "sync_files": True,
    },
}
_MDTEST_SUITES["synchronised-twice"] = _MDTEST_SUITES["synchronised-files"] | {"sync": True}
_MODEL_SUITES: dict[str, dict[str, Any]] = {
    "small-file": {
        "access": ["read"],
        "order": "random",
        "operations": 20_000,
        "file_size": "4 MiB",
        "align": "4 KiB",
        "cache": "uncached",
    }
}
_TOOLS = dict.fromkeys(_MDTEST_SUITES, "mdtest") | dict.fromkeys(_MODEL_SUITES, "io-model")


@dataclass(frozen=True)
class Visit:
    """Records of one animal: of weir run, and of an import of what it printed; edits: by weir verify."""

    run: list[Row]
    document: list[Row]
    table: list[Row]
    edits: str = ""


class Keeper:
    """Where the zoo lives: a folder for results, one on disk and one in memory for data."""

    def __init__(self, folder: Path, ior: Path | None = None) -> None:
        self.folder = folder
        self.name = f"weir-zoo-{os.getpid()}"
        self.disk = Path("/var/tmp") / self.name
        self.memory = Path("/dev/shm") / self.name
        self.programs = {WEIR_IO: [str(ENGINE), "ior"]} | ({ORIGINAL: [str(ior)]} if ior else {})

    def __enter__(self) -> Self:
        for place in (self.disk, self.memory):
            place.mkdir()
        for source in _SHIMS:
            shared_library(self.library_of(source), source, "-std=c11", "-Wall", "-Wextra", "-Werror")
        return self

    def library_of(self, source: Path) -> Path:
        return self.folder / f"libdarshan-{source.stem}.so"  # no name is trusted

    def __exit__(self, *raised: object) -> None:
        for place in (self.disk, self.memory):
            shutil.rmtree(place, ignore_errors=True)

    def visit(self, animal: Animal, program: str = "weir-io") -> Visit:
        """Again where others used the disk meanwhile, as their bytes cannot be told from those of the animal;
        and where a busy machine did not let those write who should."""
        name = f"{animal.name.replace(' ', '-').replace(',', '')}-{program}"
        for attempt in range(_ATTEMPTS):
            visit = self._visit(animal, program, self.folder / f"{name}-{attempt}")
            names = {
                name for _, reasons, notes in found(visit.run, animal.access) for name in (*reasons, *notes)
            }
            wanted = "others-on-device" in animal.rules
            if ("others-on-device" in names) == wanted or (wanted and "machine-busy" not in names):
                break
        return visit

    def measure(self, animal: Animal, program: str, home: Path) -> Path:
        """Plan, run and collect in home; returns the directory of results."""
        self._configure(home, animal, program)
        plan, results, records = home / "plan.json", home / "results", home / "records.csv"
        with self._beside(animal, home) as prefix:
            self.plan(animal, home)
            run = [sys.executable, "-m", "weir", "run", "--any-kind", "--plan", str(plan)]
            run += ["--results", str(results)]
            ran([*prefix, *run], cwd=ROOT)
        self.after_run(animal, home)
        self.weir("collect", "--plan", str(plan), "--results", str(results), "--out", str(records))
        return results

    def weir(self, *arguments: str) -> None:
        """In this process: hundreds of cases need no Python of their own."""
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as printed:
            code = weir_main(arguments)
        if code:
            raise RuntimeError(f"weir {' '.join(arguments)}: {printed.getvalue()}")

    def plan(self, animal: Animal, home: Path) -> None:
        options = ["--config-dir", str(home / "config"), "--site", "zoo", "--suite", animal.suite]
        self.weir("plan", *options, "--target", animal.target, "--out", str(home / "plan.json"))

    def after_run(self, animal: Animal, home: Path) -> None:
        """For keepers that do something to a run before it is collected."""

    def _visit(self, animal: Animal, program: str, home: Path) -> Visit:
        results, records = self.measure(animal, program, home), home / "records.csv"
        (run,) = results.rglob("run.json")
        if program != "weir-io" and not run.with_name(WITNESS_FILE).is_file():
            raise RuntimeError(f"{run.parent}: no witness reported")
        edits = _edited(records) if EDITED in animal.beside else ""
        return Visit(
            read_records(records),
            _imported(run.with_name("summary.json")),
            _imported(run.with_name("stdout.txt")),
            edits,
        )

    def _configure(self, home: Path, animal: Animal, program: str) -> None:
        environment = dict(_AS_ROOT)
        if animal.preload:
            environment |= {
                "LD_PRELOAD": str(self.library_of(_source_of(animal.preload))),
                "WEIR_ZOO": animal.preload,
                "WEIR_ZOO_PATH": self.name,
            }
        if animal.library:
            environment |= environment_of(animal.library, home / "library")
        partition = {
            "nodes": 1,
            "cores_per_node": 2,
            "launcher": "mpirun",
            "scheduler": "local",
            "stacks": ["plain"],
        }
        tool = _TOOLS.get(animal.suite, "ior")
        arguments = self.programs[program]
        if tool != "ior":
            arguments = [str(ENGINE), tool] if program == WEIR_IO else _mdtest_of(arguments)
        if {*scripts.BY_NAME} & {*animal.beside}:
            arguments = self._scripted(home / tool, arguments, animal)
        stack = {
            "programs": {tool: arguments},
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
            **{name: ("parallel", self.disk / name) for name in NETWORK},
            "memory-as-burst-buffer": ("burst-buffer", self.memory),
            **{name: ("disk", self.disk / name) for name in MOUNTED if name not in NETWORK},
        }
        for name, (kind, place) in targets.items():
            target = {"target": name, "kind": kind, "description": "Of the zoo", "path": f"{place}/{name}"}
            target |= {"apis": ["POSIX", "MPIIO", "MMAP"], "prepare": [["mkdir", "-p", f"{place}/{name}"]]}
            _write(home / f"config/sites/zoo/targets/{name}.yaml", target)
        fixed = {"api": "POSIX", "xfer": "1 MiB", "block": _BLOCK, "sync": True, "barriers": True}
        fixed |= _SUITES.get(animal.suite, {})
        if not is_engine(arguments):
            fixed.pop("drop_caches", None)  # a script and the original IOR do not have it
        if tool != "ior":
            fixed = _MODEL_SUITES.get(animal.suite) or _ITEMS | _MDTEST_SUITES[animal.suite]
        experiment: dict[str, Any] = {"tool": tool, "nodes": [1], "ppn": [_RANKS], "fixed": fixed}
        experiment["timeout"] = "180 s"  # all other tests share its cores and its disk
        content = {
            "suite": animal.suite,
            "question": "Is the animal recognised?",
            "experiments": {"one": experiment},
        }
        _write(home / f"config/suites/{animal.suite}.yaml", content)

    def _scripted(self, script: Path, program: Sequence[str], animal: Animal) -> list[str]:
        """The program in a script. By the name of the tool each cell has a launch and a command line of its
        own."""
        first, *others = program
        text = next(text for name, text in scripts.BY_NAME.items() if name in animal.beside)
        write_program(script, text.format(program=first, python=sys.executable))
        return [str(script), *others]

    @contextmanager
    def _beside(self, animal: Animal, home: Path) -> Iterator[list[str]]:
        """What surrounds the measurement; what its command starts with."""
        other = self.disk / "beside"
        with ExitStack() as stack:
            prefix: list[str] = []
            if animal.target in MOUNTED:
                place = self.disk / animal.target
                place.mkdir(exist_ok=True)
                stack.enter_context(mounted(animal.target, place, self.disk, self.memory))
            stack.callback(lambda: other.unlink(missing_ok=True))
            for name, command in self._programs_beside(other).items():
                if name in animal.beside:
                    stack.enter_context(repeated(command, _AS_ROOT))
            if OTHER_USER in animal.beside:
                stack.enter_context(of_another_user(ENGINE))
            processes = stack.enter_context(in_group(animal.beside, self.name, self.disk))
            if {THROTTLED, LIMITED} & {*animal.beside}:
                prefix += ["bash", "-c", f'echo $$ >"{processes}" && exec "$@"', "bash"]
            if FILTERED in animal.beside:
                prefix += [str(filter_program(self.folder))]
            for mode in {*ANSWERS} & {*animal.beside}:
                prefix += [str(supervisor_program(self.folder)), mode, self.name]
            if TRACED in animal.beside:
                prefix += _tracer()
            launcher = shutil.which("mpirun")
            for name in sorted({*scripts.LAUNCHERS} & {*animal.beside}):
                text, places = scripts.LAUNCHERS[name], (processes or self.disk / "disk", self.memory / "own")
                folder = home / f"bin {name}".replace(" ", "-")
                launcher = _launching(folder, text, launcher, *places)
                prefix += ["env", f"PATH={folder}:{os.environ['PATH']}"]
            yield prefix

    def _programs_beside(self, other: Path) -> dict[str, list[str]]:
        """other: a file on the disk for them."""
        writer = ["dd", "if=/dev/zero", f"of={other}", "bs=4M", "count=512", "oflag=direct", "conv=notrunc"]
        second = [str(ENGINE), "ior", "-w", "-e", "-i", "500", "-t", "1m", "-b", "64m", "-o", str(other)]
        noise = [sys.executable, str(ROOT / "tests/zoo/noise.py")]
        return {
            LOAD: writer,
            TWO_RUNS: second,
            COMPUTING: [*noise, "compute"],
            READER_OF_MEMORY: [*noise, "read", str(self.memory / "noise")],
            SMALL_FILES: [*noise, "create", str(self.memory / "small")],
            **{name: [*noise, action, str(self.disk)] for name, action in ON_DISK.items()},
        }


def _source_of(fault: str) -> Path:
    """Where a preloaded fault is written down; one that does nothing is in any."""
    return next((one for one in _SHIMS if f'is("{fault}")' in one.read_text()), _SHIMS[0])


def _mdtest_of(ior: Sequence[str]) -> list[str]:
    """The mdtest that was built beside IOR."""
    mdtest = Path(ior[0]).with_name("mdtest")
    if not mdtest.is_file():
        raise CannotStageError(f"{mdtest} is not there: build mdtest with IOR")
    return [str(mdtest)]


def _launching(folder: Path, text: str, launcher: str | None, place: Path, image: Path) -> str:
    """Writes a script as mpirun, which starts the launcher, itself perhaps such a script."""
    if launcher is None or shutil.which("unshare") is None:
        raise CannotStageError("mpirun or unshare is not installed")
    text = text.format(launcher=launcher, place=place, image=image)
    return str(write_program(folder / "mpirun", text))


def planned(keeper: Keeper, animal: Animal) -> list[Row]:
    """Records of all cells that the keeper plans for an animal, measured once."""
    home = keeper.folder / animal.name
    keeper.measure(animal, "weir-io", home)
    return read_records(home / "records.csv")


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


def _tracer() -> list[str]:
    if shutil.which("strace") is None:
        raise CannotStageError("strace is not installed")
    answers = ["-e", "trace=fsync", "-e", "inject=fsync:retval=0"]
    return ["strace", "-f", "-qq", "--seccomp-bpf", *answers, "-o", "/dev/null"]


def _edited(records: Path) -> str:
    """Double the bandwidths and their row's bytes, and ask weir verify."""
    with records.open(newline="") as stream:
        header, *rows = csv.reader(stream)
    at = header.index("bw_mib_s")
    for row in rows:
        row[at] = str(2 * float(row[at]))
    with records.open("w", newline="") as stream:
        csv.writer(stream).writerows([header, *rows])
    done = ran([sys.executable, "-m", "weir", "verify", records.parent], cwd=ROOT)
    return done.stdout.splitlines()[1] if done.returncode == 1 else ""


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
