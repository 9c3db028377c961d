"""weir history add on a results database of ReFrame: checks of weir and any other test, each session once."""

import json
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.unit.conftest import RunWeir
from weir.decide.history.reframe_results import sessions

DAY_S = 86400
CELL = {
    **{"cell": "c1", "label": "scratch POSIX 1MiB", "suite": "nodes", "experiment": "one", "site": "lab"},
    **{"target": "scratch", "stack": "spack", "tool": "ior", "api": "POSIX", "nn": 2, "ppn": 8},
    **{"access": "write", "verdict": "VALID"},
}
NAME = "write POSIX 1MiB"


def case(day: int, value: float, unit: str = "MiB/s", variable: str = NAME, **more: Any) -> dict[str, Any]:
    """As ReFrame 4.7 and 4.10 store it; the latter adds a result to the value."""
    result = [] if day % 2 else ["pass"]
    return {
        **{"name": "measure", "display_name": "measure %batch=nodes:scratch-spack-2x8", "uuid": f"{day}:0:0"},
        **{"system": "lab", "partition": "compute", "environ": "spack", "result": "pass"},
        "job_completion_time_unix": 1_800_000_000 + day * DAY_S,
        "perfvalues": {f"lab:compute:{variable}": [value, 0, None, None, unit, *result]},
        **more,
    }


def database(file: Path, days: Iterable[list[dict[str, Any]]]) -> Path:
    with sqlite3.connect(file) as connection:
        connection.execute(
            "CREATE TABLE IF NOT EXISTS sessions"
            "(uuid TEXT PRIMARY KEY, session_start_unix REAL, json_blob TEXT)"
        )
        for day, cases in enumerate(days):
            report = json.dumps({"runs": [{"testcases": cases}]})
            row = (f"uuid-{day}", float(day), report)
            connection.execute("INSERT OR IGNORE INTO sessions VALUES (?, ?, ?)", row)
    return file


def test_sessions_become_campaigns_once_and_give_references(tmp_path: Path, run_weir: RunWeir) -> None:
    file, history, out = tmp_path / "results.db", tmp_path / "history", tmp_path / "bounds.json"
    days = [[case(day, 1000.0 + day % 3, cells={NAME: CELL})] for day in range(12)]
    database(file, days[:10])
    assert "added 10 sessions of ReFrame, 0 were there" in run_weir("history", "add", history, file).out
    database(file, days)
    assert "added 2 sessions of ReFrame, 10 were there" in run_weir("history", "add", history, file).out
    assert "write scratch POSIX 1MiB (spack)" in run_weir("history", "check", history, "--all").out
    run_weir("history", "reference", history, "--out", out)
    (bound,) = json.loads(out.read_text())["bounds"]
    assert (bound["cell"], bound["access"]) == ("c1", "write")
    assert bound["low"] < 1000 <= bound["median"] <= 1002


def test_emulated_storage_is_told_as_that(tmp_path: Path, run_weir: RunWeir) -> None:
    """Sessions of before, which do not tell it, are of the same series."""
    cells = [{NAME: CELL | more} for more in ({}, {"emulated": True})]
    days = [[case(day, 1000.0, cells=cells[day])] for day in range(2)]
    file, history = database(tmp_path / "results.db", days), tmp_path / "history"
    run_weir("history", "add", history, file)
    assert "write scratch POSIX 1MiB (spack) (E): 2 points" in run_weir("history", "show", history).out


def test_other_tests_are_series_where_their_values_are_rates(tmp_path: Path, run_weir: RunWeir) -> None:
    other = {"name": "stream", "display_name": "stream %threads=8"}
    file = database(
        tmp_path / "results.db",
        [
            [case(0, 1048.576, "MB/s", "copy", **other), case(0, 12.0, "s", "time", **other)],
            [case(1, 2.0, "GiB/s", "copy", **other), case(1, 500.0, "op/s", "creates", **other)],
            [case(2, 1.0, perfvalues=None), case(2, 1.0, job_completion_time_unix=None)],
        ],
    )
    found = list(sessions(file))
    assert [len(session.rows) for session in found] == [1, 2]
    first, second = found[0].rows[0], found[1].rows[0]
    assert (first["bw_mib_s"], second["bw_mib_s"]) == (1000.0, 2048.0)
    assert first["cell"] == second["cell"] != found[1].rows[1]["cell"]
    assert found[1].rows[1]["ops_s"] == 500.0
    history = tmp_path / "history"
    printed = run_weir("history", "add", history, file).out
    assert "added 2 sessions of ReFrame, 0 were there; no rates: s" in printed
    assert "copy compute stream %threads=8 (spack)" in run_weir("history", "show", history).out


def test_a_database_without_rates_or_of_something_else_is_named(tmp_path: Path, run_weir: RunWeir) -> None:
    file = database(tmp_path / "results.db", [[case(0, 12.0, "s")]])
    error = run_weir("history", "add", tmp_path / "history", file, code=2).err
    assert "no session has a rate\n    its values are in s" in error
    with sqlite3.connect(tmp_path / "mail.db") as connection:
        connection.execute("CREATE TABLE mail(text TEXT)")
    error = run_weir("history", "add", tmp_path / "history", tmp_path / "mail.db", code=2).err
    assert "is not a results database of ReFrame: no such table: sessions" in error
    assert not (tmp_path / "history").exists()
