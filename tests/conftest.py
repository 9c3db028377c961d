"""What all tests share: goldens, and the captures that lie beside the checkout."""

import os
import re
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[1]
BESIDE = ROOT.parent / "shared"
# Their tests start programs: some belong to `make check` all the same and carry the mark `quick`.
STARTS_PROGRAMS = ("engine", "ime", "lab", "slurm", "stacks", "witness", "workflow", "zoo")

# Minutes each: one that begins last keeps a process busy when the others are done.
LONGEST_FIRST = (
    "lab/test_storage.py",
    "workflow/test_versions.py",
    "workflow/test_kills.py",
    "zoo/test_zoo.py",
    "engine/test_netcdf_bench.py",
    "queues/test_faults.py",
    "workflow/test_what_is_measured_again.py",
    "workflow/test_report.py",
    "engine/test_engine_bytes.py",
    "workflow/test_interrupts.py",
    "workflow/test_tutorial.py",
    "lab/test_nodes.py",
    "engine/test_netcdf_bench_wrong.py",
    "workflow/test_paper.py",
    "workflow/test_hangs.py",
    "workflow/test_environment.py",
    "queues/test_queues.py",
    "workflow/test_page.py",
    "workflow/test_page_of_studies.py",
    "workflow/test_hostile_report.py",
    "engine/test_engine_how_to_add.py",
    "ime/test_conformance.py",
    "engine/test_engine_space.py",
    "ime/test_power_loss.py",
    "unit/collect/test_hostile_text.py",
    "lab/test_stopped_machine.py",
)

# nohup and a script's background job ignore these, and so would programs that tests start and interrupt. A
# handler that does nothing is not inherited.
for number in (signal.SIGINT, signal.SIGHUP):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, lambda *_: None)

# Where a hook of git runs the tests, these name its repository, into which tests would commit.
for name in [each for each in os.environ if re.match("GIT_(?!CONFIG_)", each)]:
    del os.environ[name]

# A rank that waits for another one leaves its core to the tests beside it, which need it.
os.environ.update(OMPI_MCA_mpi_yield_when_idle="1")

# munged and the emulated burst buffer refuse directories that a group may write, as some masks make them.
os.umask(os.umask(0) | 0o022)


@pytest.fixture(scope="module")
def readable_files() -> Iterator[None]:
    """Other users may read what a test of this module makes, whatever the mask of its own user is."""
    mask = os.umask(0o022)
    yield
    os.umask(mask)


# A slow moment of the machine fails no test, and every run tries the same examples; `make fuzz` has new ones.
settings.register_profile(
    "weir", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("weir")


@pytest.fixture(autouse=True)
def nothing_of_another_command() -> Iterator[None]:
    """A command that a test runs in this process is a starter of what comes after it, and has let go; it
    takes interrupts, and one that had come would ignore those of later tests."""
    for name in ("WEIR_STARTER", "WEIR_STARTER_PROCESS"):
        os.environ.pop(name, None)
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before, hook = [signal.getsignal(number) for number in numbers], sys.unraisablehook
    yield
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)
    sys.unraisablehook = hook


def rank(item: pytest.Item) -> int:
    name = item.path.relative_to(ROOT / "tests").as_posix()
    return LONGEST_FIRST.index(name) if name in LONGEST_FIRST else len(LONGEST_FIRST)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """`make check` need not read files in which every test starts programs."""
    if config.option.markexpr != "not slow" or collection_path.suffix != ".py":
        return None
    inside = collection_path.relative_to(ROOT / "tests").parts
    starts = len(inside) > 1 and inside[0] in STARTS_PROGRAMS and inside[-1].startswith("test_")
    return True if starts and "mark.quick" not in collection_path.read_text() else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=rank)
    cases: Counter[str] = Counter()
    for item in items:
        if sample := item.get_closest_marker("sample"):
            name = item.nodeid.split("[")[0]
            if cases[name] % sample.args[0]:
                item.add_marker("weekly")
            cases[name] += 1
        folder = item.path.relative_to(ROOT / "tests").parts[0]
        quick = folder not in STARTS_PROGRAMS or item.get_closest_marker("quick")
        if not quick or item.get_closest_marker("weekly"):
            item.add_marker("slow")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--rewrite-goldens", action="store_true", help="write what the code says now into the golden files"
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """Compares with a golden file. A missing one fails like a different one; only a request writes them."""

    def compare(path: Path, text: str) -> None:
        if request.config.getoption("--rewrite-goldens"):
            path.write_text(text)
            return
        how = f"look at it, then: pytest --rewrite-goldens {request.node.nodeid.split('[')[0]}"
        assert path.is_file(), f"{path.relative_to(ROOT)} is missing; {how}"
        assert text == path.read_text(), f"{path.relative_to(ROOT)} differs; {how}"

    return compare


def beside(name: str) -> Path:
    """A folder of third-party files, never committed; the test that needs it is skipped without."""
    path = BESIDE / name
    if not path.exists():
        pytest.skip(f"../shared/{name} is not beside the checkout")
    return path


@pytest.fixture
def memory() -> Iterator[Path]:
    """A folder of tmpfs, by a name that the libraries of the zoo lead elsewhere."""
    if not os.path.ismount("/dev/shm"):
        pytest.skip("/dev/shm is no mount of tmpfs")
    with tempfile.TemporaryDirectory(dir="/dev/shm", prefix="weir-zoo-") as folder:
        yield Path(folder)
