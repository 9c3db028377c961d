"""Collecting a study again: what is known is not parsed again, and the tables are the same either way."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from bench.growth import write_configuration, write_runs
from weir.cli import main
from weir.plan import Plan, read_plan
from weir.records import study
from weir.records.run_cache import CACHE_FILE, Parsed, RunCache
from weir.records.study import found_runs


@pytest.fixture
def planned(tmp_path: Path) -> Plan:
    write_configuration(tmp_path / "config", 16)
    plan_file = tmp_path / "results" / "study" / "plan.json"
    assert main(["plan", "--config-dir", str(tmp_path / "config"), "--out", str(plan_file)]) == 0
    return read_plan(plan_file)


def collect(folder: Path) -> dict[str, str]:
    """Every table by its name."""
    out = folder / "results" / "study"
    words = ["--plan", str(out / "plan.json"), "--results", str(folder / "results")]
    assert main(["collect", *words, "--out", str(out / "records.csv")]) == 0
    names = ("records.csv", "latencies.csv", "excluded.csv", "facts.json", CACHE_FILE)
    return {name: (out / name).read_text() for name in names}


def parsed_cells(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Cells whose runs are parsed from now on."""
    parsed: list[str] = []
    real = study._parsed_run

    def counted(run: study.FoundRun) -> Parsed:
        parsed.append(run.cell.cell)
        return real(run)

    monkeypatch.setattr(study, "_parsed_run", counted)
    return parsed


def test_only_new_and_changed_runs_are_parsed(
    tmp_path: Path, planned: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_runs(planned, tmp_path / "results", 0, 10)
    parsed = parsed_cells(monkeypatch)
    first = collect(tmp_path)
    assert len(parsed) == 10
    assert collect(tmp_path) == first
    assert len(parsed) == 10, "nothing changed, nothing is parsed"
    write_runs(planned, tmp_path / "results", 10, 11)
    changed = tmp_path / "results" / "runs" / planned.cells[3].cell / "000" / "summary.json"
    os.utime(changed, ns=(1, 1))
    assert len(collect(tmp_path)["records.csv"].splitlines()) == 1 + 11 * 4
    assert parsed[10:] == [planned.cells[3].cell, planned.cells[10].cell]


@pytest.mark.parametrize("damage", ["", "other state\n", "half"])
def test_a_cache_that_is_gone_old_or_damaged_changes_no_table(
    tmp_path: Path, planned: Plan, damage: str
) -> None:
    write_runs(planned, tmp_path / "results", 0, 4)
    first = collect(tmp_path)
    cache = tmp_path / "results" / "study" / CACHE_FILE
    cache.write_text(first[CACHE_FILE][: len(first[CACHE_FILE]) // 2] if damage == "half" else damage)
    assert collect(tmp_path) == first


def test_many_runs_are_parsed_by_several_processes_in_the_order_of_the_plan(
    tmp_path: Path, planned: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_runs(planned, tmp_path / "results", 0, 16)
    one = collect(tmp_path)
    (tmp_path / "results" / "study" / CACHE_FILE).unlink()
    monkeypatch.setattr(study, "_WORTH_PROCESSES", 2)
    monkeypatch.setattr(study, "_CHUNK_RUNS", 3)
    assert collect(tmp_path) == one


def test_the_cache_keeps_the_counts_of_the_facts(tmp_path: Path, planned: Plan) -> None:
    write_runs(planned, tmp_path / "results", 0, 2)
    facts = json.loads(collect(tmp_path)["facts.json"])
    assert (facts["records"], facts["finished_executions"], facts["failed_executions"]) == (8, 2, 0)
    assert sum(facts["verdicts"].values()) == 8
    cache = RunCache(tmp_path / "results" / "study" / CACHE_FILE)
    (run,) = found_runs(planned.cells[0], tmp_path / "results")
    known = cache.get(run.key, run.state)
    assert known is not None
    assert known[1]["counts"]["records"] == 4
    assert cache.get("no such run", run.state) is None
    cache.close()
