"""The engine, compiled before its tests; and file systems that fail in known ways."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.compiled import compiled, shared_library
from tests.compiled import sanitized as sanitized_programs
from tests.engine.cells import Together, cells
from tests.engine.runs import ROOT, Done, Engine, Fault, argv
from tests.mounting import tmpfs

# What the MPI library never frees is not weir-io's.
NO_LEAKS = {"ASAN_OPTIONS": "detect_leaks=0"}


@pytest.fixture(scope="session")
def build() -> Path:
    return compiled(ROOT / "build")


@pytest.fixture(scope="session")
def sanitized_build() -> Path:
    return sanitized_programs()


@pytest.fixture
def engine(build: Path, tmp_path: Path) -> Engine:
    return Engine(build / "weir-io", tmp_path)


@pytest.fixture(scope="module")
def together(build: Path, tmp_path_factory: pytest.TempPathFactory) -> Together:
    return one_launch(Engine(build / "weir-io", tmp_path_factory.mktemp("together")))


@pytest.fixture(scope="module")
def sanitized_together(sanitized_build: Path, tmp_path_factory: pytest.TempPathFactory) -> Together:
    return one_launch(Engine(sanitized_build / "weir-io", tmp_path_factory.mktemp("together"), NO_LEAKS))


def one_launch(engine: Engine) -> Together:
    """All command lines of a table in one launch, when the first of them is needed."""
    launches: dict[tuple[str, ...], dict[str, Done]] = {}

    def run(lines: tuple[str, ...], ranks: int = 1, documented: bool = True) -> dict[str, Done]:
        if lines not in launches:
            launches[lines] = {}  # none is repeated for each line, also where it fails
            done = cells(engine, ranks, *map(argv, lines), documented=documented)
            launches[lines] = dict(zip(lines, done, strict=True))
        assert launches[lines], "their launch failed at the first of these tests"
        return launches[lines]

    return run


@pytest.fixture
def bench(engine: Engine) -> Engine:
    """Its netcdf-bench."""
    return replace(engine, personality="netcdf-bench")


@pytest.fixture
def sanitized(sanitized_build: Path, tmp_path: Path) -> Engine:
    return Engine(sanitized_build / "weir-io", tmp_path, NO_LEAKS)


@pytest.fixture(scope="session")
def faults_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """To be preloaded: calls of the system that fail as ordered."""
    library = tmp_path_factory.mktemp("faults") / "faults.so"
    source = ROOT / "tests/engine/preload/faults.c"
    return shared_library(library, source, "-std=c11", "-Wall", "-Wextra", "-Werror")


@pytest.fixture
def fault(faults_library: Path) -> Fault:
    """The variables of a run in which a call of the system fails, by the names of preload/faults.c."""

    def variables(call: str = "", path: object = "", **more: object) -> dict[str, str]:
        ordered = {"call": call, "path": path, **more}
        named = {f"FAULT_{name.upper()}": str(value) for name, value in ordered.items() if value != ""}
        return {"LD_PRELOAD": str(faults_library), **named}

    return variables


@pytest.fixture
def small_space(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 MiB."""
    with tmpfs(tmp_path / "small", "size=64m") as point:
        yield point


@pytest.fixture
def few_inodes(tmp_path: Path) -> Iterator[Path]:
    with tmpfs(tmp_path / "few", "size=1m", "nr_inodes=60") as point:
        yield point


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    with tmpfs(tmp_path / "read-only", "size=1m", "ro") as point:
        yield point
