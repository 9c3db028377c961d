"""weir compare: what else than the cells differs between the sides is a note."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.conftest import RunWeir
from tests.unit.decide.compare.test_compare import cell, noisy, write

POWER = {
    "drivers": ["acpi-cpufreq"], "governors": ["performance"], "preferences": [], "least_mhz": 1500.0,
    "most_mhz": 2250.0, "boost": True, "idle": [], "idle_disabled": [], "profile": None, "limits_w": {},
    "mhz": 2240.0,
}  # fmt: skip
HOST = {
    "processor": "EPYC", "power": POWER, "cores": 64, "kernel": "6.1",
    "file_system": {"type": "lustre", "device": "mds:/one", "mount_point": "/scratch"},
}  # fmt: skip


def study(folder: Path, start: int, host: dict[str, Any], **columns: Any) -> Path:
    """A folder of records with one run file."""
    (folder / "study").mkdir(parents=True)
    run = folder / "runs" / "c1" / "007"
    run.mkdir(parents=True)
    (run / "run.json").write_text(json.dumps({"cell": {"target": "scratch"}, "host": host}) + "\n")
    write(folder / "study" / "records.csv", cell(noisy(1, 8), start=start, **columns))
    return folder / "study"


def notes(first: Path, second: Path, run_weir: RunWeir, *more: str) -> list[str]:
    found: list[str] = json.loads(run_weir("compare", first, second, "--json", *more).out)["conditions"]
    return found


@pytest.mark.parametrize(
    ("host", "columns", "note"),
    [
        ({}, {}, None),
        ({"kernel": "6.12"}, {}, "kernel differs: 6.1 in A, 6.12 in B"),
        ({"processor": "Xeon"}, {}, "processor differs: EPYC in A, Xeon in B"),
        (
            {"power": POWER | {"governors": ["powersave"]}},
            {},
            "power of the processors differs: governor performance, driver acpi-cpufreq, 1500 to 2250 MHz, "
            "boost on in A, governor powersave, driver acpi-cpufreq, 1500 to 2250 MHz, boost on in B",
        ),
        (
            {"power": POWER | {"mhz": 1200.0}},
            {},
            "frequency of the processors before a run differs: 2240 to 2240 MHz in A, 1200 to 1200 MHz in B",
        ),
        ({"power": POWER | {"mhz": 2100.0}}, {}, None),
        ({"power": None}, {}, None),
        ({}, {"tool_version": "0.3.0"}, "version of weir-io differs: 0.2.0 in A, 0.3.0 in B"),
        (
            {"file_system": {"type": "tmpfs", "device": "tmpfs", "mount_point": "/scratch"}},
            {},
            "storage of target scratch differs: lustre mds:/one /scratch in A, tmpfs tmpfs /scratch in B",
        ),
    ],
)
def test_another_machine_version_or_storage_is_a_note(
    host: dict[str, Any], columns: dict[str, Any], note: str | None, tmp_path: Path, run_weir: RunWeir
) -> None:
    known = {"program": "weir-io", "tool_version": "0.2.0"}
    first = study(tmp_path / "a", 0, HOST, **known)
    second = study(tmp_path / "b", 300, HOST | host, **(known | columns))
    assert notes(first, second, run_weir) == ([f"note: {note}"] if note else [])
    assert not note or f"note: {note}" in run_weir("compare", first, second).out


def test_exchanged_sides_are_a_note(tmp_path: Path, run_weir: RunWeir) -> None:
    """Else a slowdown would be a gain, and --fail-on slower would end with 0."""
    before, after = study(tmp_path / "a", 0, HOST), study(tmp_path / "b", 300, HOST)
    (note,) = notes(after, before, run_weir)
    assert note.startswith("note: B was measured before A")
