"""Collecting a study again: what is known is not parsed again, and the tables are the same either way."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from bench.growth import write_configuration, write_runs
from weir.cli import main
from weir.errors import WeirError
from weir.plan import Plan, read_plan
from weir.records import study
from weir.records.run_cache import CACHE_FILE, Parsed
from weir.records.study import Work, blocks_of, collected
from weir.records.tally import Tally


@pytest.fixture
def planned(tmp_path: Path) -> Plan:
    write_configuration(tmp_path / "config", 16)
    plan_file = tmp_path / "results" / "study" / "plan.json"
    assert main(["plan", "--config-dir", str(tmp_path / "config"), "--out", str(plan_file)]) == 0
    return read_plan(plan_file)


def collect(folder: Path) -> dict[str, str]:
    """Every table by its name."""
    out = folder / "results" / "study"
    arguments = ["--plan", str(out / "plan.json"), "--results", str(folder / "results")]
    assert main(["collect", *arguments, "--out", str(out / "records.csv")]) == 0
    names = ("records.csv", "latencies.csv", "excluded.csv", "facts.json", "SHA256SUMS", CACHE_FILE)
    return {name: (out / name).read_text(encoding="latin-1") for name in names}


def parsed_cells(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Cells whose runs are parsed from now on."""
    parsed: list[str] = []
    real = study._parsed_runs

    def counted(runs: Sequence[study.FoundRun]) -> list[Parsed]:
        parsed.extend(run.cell.cell for run in runs)
        return real(runs)

    monkeypatch.setattr(study, "_parsed_runs", counted)
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


def flipped(cache: bytes) -> Iterator[bytes]:
    """The cache with a changed byte, at a dozen places over all of it."""
    for place in range(0, len(cache), len(cache) // 12):
        yield cache[:place] + bytes([cache[place] ^ 1]) + cache[place + 1 :]


def test_a_cache_that_is_gone_old_or_damaged_changes_no_table(
    tmp_path: Path, planned: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study, "_BLOCK_RUNS", 2)
    write_runs(planned, tmp_path / "results", 0, 4)
    first = collect(tmp_path)
    cache = tmp_path / "results" / "study" / CACHE_FILE
    whole = cache.read_bytes()
    for damaged in (b"", b"other state\n", whole[: len(whole) // 2], *flipped(whole)):
        cache.write_bytes(damaged)
        # What belongs to single runs is checked when it is needed.
        os.utime(tmp_path / "results" / "runs" / planned.cells[0].cell / "000" / "stdout.txt", ns=(1, 1))
        assert collect(tmp_path) | {CACHE_FILE: ""} == first | {CACHE_FILE: ""}


def test_other_blocks_keep_what_is_known_of_their_runs(
    tmp_path: Path, planned: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a plan with more cells or rounds, whose blocks begin elsewhere."""
    write_runs(planned, tmp_path / "results", 0, 16)
    first = collect(tmp_path)
    parsed = parsed_cells(monkeypatch)
    monkeypatch.setattr(study, "_BLOCK_RUNS", 3)
    second = collect(tmp_path)
    assert second.pop(CACHE_FILE) != first.pop(CACHE_FILE)
    assert second == first
    assert parsed == []


def test_counts_of_blocks_are_those_of_their_runs(tmp_path: Path, planned: Plan) -> None:
    write_runs(planned, tmp_path / "results", 0, 5)
    ((block, _),) = collected(Work(blocks_of(planned.cells), tmp_path / "results", tmp_path / "no cache"))
    counts = [run.facts["tally"] for run in block.parsed().values()]
    every, halves = tallied(counts), Tally()
    for half in (counts[:2], counts[2:]):
        halves.add(json.loads(json.dumps(tallied(half).data())))
    assert json.dumps(halves.data()) == json.dumps(every.data())
    assert (every.runs, every.records) == (5, 20)


def tallied(counts: Iterable[Mapping[str, Any]]) -> Tally:
    tally = Tally()
    for each in counts:
        tally.add(each)
    return tally


def test_many_runs_are_parsed_by_several_processes_in_the_order_of_the_plan(
    tmp_path: Path, planned: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study, "_BLOCK_RUNS", 3)
    write_runs(planned, tmp_path / "results", 0, 16)
    one = collect(tmp_path)
    (tmp_path / "results" / "study" / CACHE_FILE).unlink()
    monkeypatch.setattr(study, "_WORTH_PROCESSES", 2)
    assert collect(tmp_path) == one
    (tmp_path / "results" / "runs" / planned.cells[9].cell / "000" / "run.json").write_text("{}")
    with pytest.raises(WeirError, match=rf"{planned.cells[9].cell}/000/run.json: .*is damaged"):
        list(collected(Work(blocks_of(planned.cells), tmp_path / "results", tmp_path / "no cache")))


def test_facts_count_records_and_runs(tmp_path: Path, planned: Plan) -> None:
    write_runs(planned, tmp_path / "results", 0, 2)
    facts = json.loads(collect(tmp_path)["facts.json"])
    assert (facts["records"], facts["finished_executions"], facts["failed_executions"]) == (8, 2, 0)
    assert sum(facts["verdicts"].values()) == 8
