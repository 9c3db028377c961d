"""Composed cases: drawn by a seed, with a truth that follows from what is staged, and rates on the page."""

import math
from dataclasses import replace
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.zoo.composed.axes import AROUND, AXES, FILE_SYSTEMS, LIBRARIES, PROGRAMS, RECORDS, SUITES
from tests.zoo.composed.composer import ALARM, MISSED, NOISE, RIGHT, UNPROVEN, Judged, animal_of
from tests.zoo.composed.draw import draw
from tests.zoo.composed.records import AFTER, BEFORE
from tests.zoo.composed.tally import HEAD, interval, read_lines, section
from tests.zoo.composed.truth import FALSE, HONEST, OPEN, Case, truth
from weir.audit.registry import rules

pytestmark = pytest.mark.quick

_LISTS = {"program": PROGRAMS, "suite": SUITES, "library": LIBRARIES}
_LISTS |= {"file_system": FILE_SYSTEMS, "around": AROUND, "record": RECORDS}
_NEWEST = max(value.since for values in (LIBRARIES, FILE_SYSTEMS, AROUND, RECORDS) for value in values)
_PLAIN = {name: values[0] for name, values in _LISTS.items()}


def composed(**names: str) -> Case:
    """Honest in every axis that is not named."""
    values: dict[str, Any] = dict(_PLAIN)
    for axis, name in names.items():
        values[axis] = next(value for value in _LISTS[axis] if value.name == name)
    return Case(0, **values)


def test_a_seed_gives_the_same_cases_and_each_value_is_drawn() -> None:
    drawn = [draw(_NEWEST, number, ("weir-io", "ior")) for number in range(3000)]
    assert drawn[:20] == [draw(_NEWEST, number, ("weir-io", "ior")) for number in range(20)]
    assert drawn[:20] != [draw(_NEWEST + 1, number, ("weir-io", "ior")) for number in range(20)]
    early = {value for number in range(3000) for value in draw(1, number, ("weir-io", "ior")).values}
    assert not {value.name for value in early if value.since > 1}
    for at, axis in enumerate(AXES):
        assert {case.names[at] for case in drawn} == {value.name for value in _LISTS[axis]}
    assert {case.program.name for case in (draw(1, number, ("weir-io",)) for number in range(50))} == {
        "weir-io"
    }


def test_what_does_not_go_together_is_not_drawn() -> None:
    for case in (draw(_NEWEST + 3, number, ("weir-io", "ior")) for number in range(2000)):
        for value in case.values:
            assert case.program.name in value.programs
            assert not value.suites or case.suite.name in value.suites
            assert not value.targets or case.file_system.target in value.targets


TRUTHS = [
    ({}, "write", HONEST),
    ({}, "read", HONEST),
    ({"program": "ior"}, "read", FALSE),  # from the page cache
    ({"program": "ior", "suite": "direct"}, "read", HONEST),
    ({"library": "fsync filtered"}, "write", FALSE),
    ({"library": "fsync filtered"}, "read", OPEN),  # dirty pages may stay
    ({"library": "fsync filtered", "suite": "direct"}, "write", OPEN),
    ({"library": "fsync filtered", "suite": "unsynchronised"}, "write", HONEST),
    ({"library": "fsync filtered", "file_system": "memory"}, "write", HONEST),
    ({"library": "half of the pages dropped"}, "read", FALSE),
    ({"library": "half of the pages dropped"}, "write", HONEST),
    ({"library": "O_DIRECT stripped", "suite": "direct"}, "read", FALSE),
    ({"library": "O_DIRECT stripped"}, "read", HONEST),
    ({"file_system": "ext4 on a cached loop"}, "write", HONEST),
    ({"file_system": "ext4 on a cached loop"}, "read", FALSE),
    ({"file_system": "ext4 on a cached loop", "suite": "unsynchronised-direct"}, "write", FALSE),
    ({"file_system": "loop with O_DIRECT below", "suite": "unsynchronised-direct"}, "write", HONEST),
    ({"file_system": "volatile overlay"}, "write", FALSE),
    ({"file_system": "lying FUSE"}, "write", FALSE),
    ({"file_system": "tmpfs as disk"}, "read", FALSE),
    ({"file_system": "disk as parallel"}, "write", FALSE),
    ({"around": "a writer to the disk"}, "write", FALSE),
    ({"around": "a writer to the disk", "file_system": "memory"}, "write", HONEST),
    ({"around": "a writer to the disk", "suite": "directories"}, "create", OPEN),
    ({"around": "a writer to the disk", "suite": "unsynchronised"}, "write", OPEN),  # stays in memory
    ({"around": "a writer to the disk", "suite": "unsynchronised-direct"}, "write", FALSE),
    ({"around": "a process that maps the files"}, "read", FALSE),
    ({"around": "a program that computes"}, "read", HONEST),
    ({"around": "a tenth of a core for the ranks", "file_system": "memory"}, "write", FALSE),
    ({"around": "100 MiB/s of the disk allowed to the ranks", "suite": "direct"}, "read", FALSE),
    ({"around": "one processor for the ranks"}, "write", HONEST),
    ({"around": "a control group without limits for the ranks"}, "write", HONEST),
    ({"around": "a process of the job that writes to the disk"}, "write", FALSE),
    ({"around": "a process that synchronises all the time", "library": "fsync filtered"}, "write", FALSE),
    ({"library": "fetched again by a child"}, "read", FALSE),
    ({"library": "fetched again after the drop"}, "write", HONEST),
    ({"around": "a mount that the ranks alone have"}, "write", FALSE),
    ({"suite": "directories", "library": "mkdir and rmdir do nothing"}, "remove", FALSE),
    ({"suite": "files", "library": "stat from memory"}, "stat", FALSE),
    ({"suite": "files", "library": "stat from memory"}, "create", HONEST),
    ({"suite": "synchronised-files", "library": "fsync filtered"}, "create", FALSE),
    ({"suite": "synchronised-files", "library": "fsync filtered"}, "remove", HONEST),
    ({"record": "the output edited", "file_system": "memory"}, "write", FALSE),
]


@pytest.mark.parametrize(("names", "access", "expected"), TRUTHS)
def test_the_truth_follows_from_what_is_staged(names: dict[str, str], access: str, expected: str) -> None:
    assert truth(composed(**names), access) == expected


HONEST_VALUES = {
    *("none", "profiler that passes all on", "audit library that binds nothing", "slow rank"),
    *("disk", "memory", "loop with O_DIRECT below", "overlay on the disk"),
    *("nothing", "a program that computes", "a reader of memory", "small files in memory", "as it is"),
    "one processor for the ranks",
    "another mount of the disk that the ranks alone have",
    "a control group without limits for the ranks",
    "a process that synchronises all the time",
}


@pytest.mark.parametrize("axis", ["library", "file_system", "around", "record"])
def test_each_fault_makes_something_false(axis: str) -> None:
    """Else it is none, or the truth does not know it."""
    for value in _LISTS[axis]:
        made = False
        for suite in SUITES:
            if value.suites and suite.name not in value.suites:
                continue
            plain = Case(0, **{**_PLAIN, "suite": suite})
            case = replace(plain, **{axis: value})
            made |= any(truth(case, one) == FALSE != truth(plain, one) for one in suite.accesses)
        assert made == (value.name not in HONEST_VALUES), value.name


def test_every_value_can_be_staged() -> None:
    """By what the shims and the records know."""
    shims = "".join((ROOT / f"tests/zoo/{name}.c").read_text() for name in ("shims", "detours"))
    for number in range(500):
        preload = animal_of(draw(_NEWEST + 4, number, ("weir-io", "ior"))).preload
        assert preload in ("", "pass-through") or f'is("{preload}")' in shims
    assert {value.name for value in RECORDS[1:]} == {*BEFORE, *AFTER}
    assert {value.finding for value in AROUND if value.finding} <= {*rules()}


@pytest.mark.parametrize(
    ("judged", "outcome"),
    [
        (Judged("write", FALSE, "VALID", (), ""), MISSED),
        (Judged("write", FALSE, "DEGRADED", ("others-on-device",), ""), MISSED),  # of the machine
        (
            Judged("write", FALSE, "DEGRADED", ("others-on-device",), "", frozenset({"others-on-device"})),
            RIGHT,
        ),
        (
            Judged("write", FALSE, "VALID", ("others-on-device:note",), "", frozenset({"others-on-device"})),
            RIGHT,
        ),
        (Judged("write", FALSE, "VALID", ("others-on-device:note",), ""), MISSED),
        (Judged("write", FALSE, "INVALID", ("sync-not-effective",), ""), RIGHT),
        (Judged("write", FALSE, "UNPROVEN", (), "stored"), RIGHT),
        (Judged("write", HONEST, "VALID", (), ""), RIGHT),
        (Judged("write", HONEST, "INVALID", ("sync-not-effective",), ""), ALARM),
        (Judged("write", HONEST, "DEGRADED", ("machine-busy",), ""), NOISE),
        (Judged("write", HONEST, "UNPROVEN", (), "stored"), UNPROVEN),
        (Judged("write", OPEN, "INVALID", ("sync-not-effective",), ""), RIGHT),
    ],
)
def test_an_outcome_is_strict_about_the_machine(judged: Judged, outcome: str) -> None:
    assert judged.outcome == outcome


@pytest.mark.parametrize(
    ("wrong", "cases", "low", "high"),
    # By qbeta of R.
    [
        (0, 300, 0.0, 0.012220),
        (1, 300, 0.0000844, 0.018431),
        (5, 40, 0.041857, 0.268032),
        (3, 3, 0.292402, 1.0),
    ],
)
def test_intervals_are_exact(wrong: int, cases: int, low: float, high: float) -> None:
    found = interval(wrong, cases)
    for one, other in zip(found, (low, high), strict=True):
        assert math.isclose(one, other, rel_tol=1e-3, abs_tol=1e-9)


def test_the_page_has_the_rates_of_the_results() -> None:
    lines = read_lines()
    page = (ROOT / "docs/zoo.md").read_text()
    assert lines
    assert tuple(lines[0]) == HEAD
    assert "\n".join(section(lines)) in page, "write it again: make zoo-composed IOR=PATH"
    for line in lines:
        case = draw(int(line["seed"]), int(line["case"]), ("weir-io", "ior"))
        assert case.names == tuple(line[axis] for axis in AXES)
        assert line["truth"] == truth(case, line["access"])
