"""weir history: what else changed with a level is named beside it."""

import json
from pathlib import Path
from typing import Any

from tests.unit.conftest import RunWeir
from tests.unit.decide.compare.test_compare import cell, noisy, write_day
from weir.decide.history.store import conditions_of

FIRST_SLOW, LAST = 14, 20  # days from 0


def facts(**machine: Any) -> dict[str, Any]:
    known = {"node": "n1", "kernel": "6.1", "power": "governor performance", "memory_bytes": 2**34}
    target = {"target": "disk", "file_system": "ext4", "device": "/dev/sda1", "mount_options": "rw"}
    return {"site": {"site": "lab"}, "machines": [known | machine], "targets": [target]}


def history_of(folder: Path, changed: dict[str, Any]) -> Path:
    """A campaign a day, slower from FIRST_SLOW on, when the machine changes."""
    for day in range(LAST):
        slow = day >= FIRST_SLOW
        rows = cell(noisy(day, 3, 700.0 if slow else 1000.0, 0.02), start=day * 1440)
        known = facts(**(changed if slow else {}))
        write_day(folder, day, rows).with_name("facts.json").write_text(json.dumps(known))
    return folder


def test_a_governor_that_changed_with_the_level_is_a_note(tmp_path: Path, run_weir: RunWeir) -> None:
    history = history_of(tmp_path, {"power": "governor powersave"})
    text = "2026-11-15: power of the processors was governor performance, is governor powersave"
    assert run_weir("history", "check", history, code=1).out.splitlines()[-1] == f"note: {text}"
    assert json.loads(run_weir("history", "check", history, "--json", code=1).out)[0]["conditions"] == [text]
    assert f"note: {text}" in run_weir("history", "show", history).out


def test_notes_of_many_changes_have_an_end(tmp_path: Path, run_weir: RunWeir) -> None:
    for day in range(12):
        records = write_day(tmp_path, day, cell(noisy(day, 3), start=day * 1440))
        records.with_name("facts.json").write_text(json.dumps(facts(kernel=f"6.{day}")))
    printed = run_weir("history", "show", tmp_path).out
    notes = [line for line in printed.splitlines() if line.startswith("note: ")]
    assert notes[0] == "note: 5 earlier changes of nodes and targets: --all"
    assert notes[1:] == [
        f"note: 2026-11-{day + 1:02d}: kernel was 6.{day - 1}, is 6.{day}" for day in range(6, 12)
    ]
    printed = run_weir("history", "show", tmp_path, "--all").out
    notes = [line for line in printed.splitlines() if line.startswith("note: ")]
    assert [note.split(": ")[1] for note in notes] == [f"2026-11-{day + 1:02d}" for day in range(1, 12)]


def test_nothing_is_noted_where_nothing_else_changed(tmp_path: Path) -> None:
    assert not conditions_of(history_of(tmp_path, {}))


def test_facts_that_a_campaign_lacks_are_held_against_the_last_that_has_them(tmp_path: Path) -> None:
    for day, known in enumerate((facts(), {}, facts(power=None), facts(kernel="6.12"))):
        folder = tmp_path / f"2026-11-0{day + 1}-a"
        folder.mkdir()
        (folder / "facts.json").write_text(json.dumps(known))
    (found,) = conditions_of(tmp_path)["lab"]
    assert (found.day, found.text) == ("2026-11-04", "kernel was 6.1, is 6.12")


def test_a_series_that_stopped_or_got_another_name_is_a_note(tmp_path: Path, run_weir: RunWeir) -> None:
    """Its slow values were never measured, or are those of a series that still learns."""
    for day in range(20):
        label = "fast" if day < 15 else "fast, renamed"
        rows = [*cell(noisy(day, 3), start=day * 1440), *cell(noisy(day, 3), start=day * 1440, label=label)]
        write_day(tmp_path, day, rows)
    printed = run_weir("history", "check", tmp_path).out
    (note,) = [line for line in printed.splitlines() if line.startswith("note")]
    assert note.startswith("note: write fast (debian): no value since 2026-11-15, others until 2026-11-20")
    printed = run_weir("history", "check", tmp_path, "--json").out
    found = {one["series"]: one["stopped"] for one in json.loads(printed)}
    assert [name for name, is_stopped in found.items() if is_stopped] == ["write fast (debian)"]
