"""A step of the machine's clock in a run changes no order, deadline or verdict."""

import ast
import re
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

import weir
from tests.checkout import ROOT
from weir.base.processes import steady_s, wall, wall_s
from weir.measure import batches

PACKAGE = Path(weir.__file__).parent
# What may look at the clock itself, and why a step does no harm there.
BY_THE_WALL = {
    "base/processes.py": "takes it once, when the process begins",
    "collect/measured.py": "the date of a line, which nothing reads",
    "report/live.py": "the time that a page shows",
    "commands/prove.py": "is compared with times of files, for a hint only; and the time of a record",
    "measure/handover.py": "is compared with times of files: at most a failed batch is tried again",
    "measure/lock.py": "the time that a message about the holder shows",
    "measure/clean_up/prepared_target.py": "is compared with times of files: a segment may stay",
    "measure/clean_up/shared_memory.py": "as prepared_target.py",
}


@pytest.fixture(params=[-600.0, 600.0])
def step(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> float:
    """From now on CLOCK_REALTIME is ten minutes off."""
    off_s: float = request.param
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + off_s)
    return off_s


def test_the_clock_of_a_process_runs_on(step: float) -> None:
    before_s, before = wall_s(), wall()
    assert abs(time.time() - before_s - step) < 60
    time.sleep(0.01)
    assert 0.01 <= wall_s() - before_s < 60
    assert 0 < (wall() - before).total_seconds() < 60


def test_it_is_the_wall_clock_until_it_is_set() -> None:
    assert abs(wall_s() - time.time()) < 1
    assert steady_s() > 0


def test_runs_before_and_after_the_step_keep_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neighbours in time are compared by when they began."""
    real, moments = time.time, [wall()]
    for off_s in (-600.0, 600.0, -3600.0):
        monkeypatch.setattr(time, "time", lambda off_s=off_s: real() + off_s)
        moments.append(wall())
    assert moments == sorted(moments)
    assert (moments[-1] - moments[0]).total_seconds() < 60


def test_the_end_of_an_allocation_is_where_it_was(step: float) -> None:
    """A program of a minute fits into ten, and one of an hour does not, whatever the clock shows."""
    ends_at = wall_s() + 600

    minute, hour = (SimpleNamespace(cell=SimpleNamespace(timeout_s=limit_s)) for limit_s in (60.0, 3600.0))
    assert batches._fitting([minute], ends_at, None) == [minute]  # type: ignore[comparison-overlap, list-item]
    assert batches._fitting([hour], ends_at, None) == []  # type: ignore[list-item]


def test_no_other_code_goes_by_a_clock_that_may_be_set() -> None:
    clocks = ("time.time", "time.time_ns", "datetime.now", "datetime.utcnow", "date.today")
    found = set()
    for file in sorted(PACKAGE.rglob("*.py")):
        name, text = str(file.relative_to(PACKAGE)), file.read_text(encoding="utf-8")
        if name.startswith("data/") or not any(clock in text for clock in clocks):
            continue
        for node in ast.walk(ast.parse(text)):
            if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
                continue
            if f"{node.value.id}.{node.attr}" in clocks:
                found.add(name)
    assert found - {"report/bundle/pack.py"} == set(BY_THE_WALL), "use weir.base.processes"


# Times of files are of the kernel's clock of the day, which jumps with it.
BY_TIMES_OF_FILES = {
    "commands/report.py": "a page that changed, by equality",
    "measure/clean_up/shared_memory.py": "as prepared_target.py",
    "measure/command.py": "the same image again, by equality",
    "measure/launch.py": "the end of a cell of a killed weir; settle keeps the order of the cells",
    "prove/results.py": "at most the file of an older run is read, whose result its counts then contradict",
    "runs/files.py": "at most a failed run is tried again",
    "workflow/follow.py": "a page that changed, by equality",
    "measure/handover.py": "the newest log, of which the last errors are shown",
    "collect/progress.py": "the run that is shown as the last one; a run that changed, by equality",
    "workflow/study.py": "at most a failed batch is tried again",
}
# The engine, the emulator and the witness read the time of day here.
BY_THE_WALL_IN_C = {
    "engine/core/clock.c": "when the program begins, and for the dates that IOR and mdtest print",
    "engine/core/device_nodes.c": "the time of boot, where a container hides the kernel's boot_id",
    "engine/core/job.c": "a seed that all ranks share",
    "engine/core/host_clock.c": "tells whether somebody set the real-time clock of a virtual machine",
    "engine/personalities/ior/ior.c": "a signature",
    "ime/client/change.c": "the time of a change, which users see",
    "ime/mount/attributes.c": "utimes(2) of now",
    "witness/spans.c": "is compared with the kernel's clocks: clock-wrong",
}


def test_times_of_files_decide_nothing_by_their_order_alone() -> None:
    found = {
        str(file.relative_to(PACKAGE))
        for file in PACKAGE.rglob("*.py")
        if re.search(r"\.st_mtime|\bgetmtime\b", file.read_text(encoding="utf-8"))
    }
    assert {name for name in found if not name.startswith("data/")} == set(BY_TIMES_OF_FILES)


def test_c_goes_by_the_wall_clock_only_where_a_step_is_harmless() -> None:
    reads = re.compile(r"\bCLOCK_REALTIME\b(?!.*\*/)|\bgettimeofday\b|\btime\((?:NULL|0)\)")
    found = {
        str(file.relative_to(ROOT / "src"))
        for file in (ROOT / "src").rglob("*.c")
        if reads.search(re.sub(r"/\*.*?\*/", "", file.read_text(encoding="utf-8"), flags=re.DOTALL))
    }
    assert found == set(BY_THE_WALL_IN_C)
