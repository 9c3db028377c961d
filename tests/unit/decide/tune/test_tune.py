"""weir tune: few measurements find good settings, only VALID ones count, and the gain is measured again."""

import json
import re
import statistics
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.checkout import ROOT, shipped
from tests.unit.conftest import RunWeir
from weir.base.errors import ConfigError, WeirError
from weir.base.units import counted
from weir.decide.compare.verdict import FASTER
from weir.decide.tune import actions
from weir.decide.tune.measured import Machine, candidates_of, known_suite, objective_of, read_replay
from weir.decide.tune.search import make_space, run, winner
from weir.plan import make_plan
from weir.records.model import Cell, Row

DDN, MISTRAL = ROOT / "reference/ddn-lustre-2018.csv", ROOT / "reference/mistral-defaults.csv"
SEEDS = range(6)


def share(replay: Any, method: str, budget: int, seed: int) -> float:
    best = winner(run(replay.space, budget, seed, replay.score, method))
    assert best is not None
    return float(replay.score(best) / replay.best)


@pytest.mark.slow
def test_twenty_measurements_reach_the_best_and_beat_chance() -> None:
    spaces = [read_replay(MISTRAL, ["stripes", "ppn"], {}, column) for column in ("rnode", "wnode")]
    where = {"campaign": "output", "nn": "4"}
    spaces += [
        read_replay(DDN, ["api", "ppn", "xfer_bytes"], where | {"access": access}, "bw_mib_s")
        for access in ("write", "read")
    ]
    for replay in spaces:
        model = statistics.fmean(share(replay, "gp", 20, seed) for seed in SEEDS)
        chance = statistics.fmean(share(replay, "random", 20, seed) for seed in SEEDS)
        assert model >= 0.95
        assert model >= chance - 0.005


@pytest.mark.slow
def test_each_search_measures_a_setting_once_and_all_if_it_may() -> None:
    replay = read_replay(MISTRAL, ["stripes", "ppn"], {}, "wnode")
    for method in ("random", "gp", "tpe"):
        requests: list[int] = []

        def measure(number: int, requests: list[int] = requests) -> float | None:
            requests.append(number)
            return None if number == 0 else replay.score(number)

        trials = run(replay.space, 100, 3, measure, method)
        assert sorted(requests) == list(range(35))
        assert replay.score(winner(trials) or 0) == replay.best


def test_values_that_are_no_numbers_are_unlike_each_other() -> None:
    space = make_space([{"api": api, "xfer": xfer} for api in ("A", "B", "C") for xfer in (1, 2, 1024)])
    assert space.points.shape == (9, 4)
    assert sorted(set(space.points[:, 3])) == [0.0, 0.5, 1.0]


def row(run: int, access: str, rate: float, verdict: str = "VALID") -> Row:
    known = {"run": run, "access": access, "bw_mib_s": rate, "verdict": verdict, "iteration": 0}
    return {**known, "reasons": "x", "missing": "", "began": f"2026-01-01T00:00:{run:02d}"}


def test_an_application_is_the_time_of_all_its_bytes() -> None:
    objective = objective_of({"objective": {"application": {"write": "100 MiB", "read": "300 MiB"}}})
    rows = [row(0, "write", 100.0), row(0, "read", 300.0)]
    rows += [row(1, "write", 100.0, "UNPROVEN"), row(1, "read", 1.0)]
    scored = objective.scored(rows)
    assert [one["bw_mib_s"] for one in scored] == [pytest.approx(200.0)]
    assert len(objective_of({"objective": {"access": "read"}}).scored(rows)) == 2


class Pretended(Machine):
    """Measures nothing: large transfers are fast, MPIIO is unproven."""

    def measure(self, cells: Sequence[Cell], results: Path) -> dict[str, list[Row]]:
        return {cell.cell: [*self._rows(cell)] for cell in cells}

    def _rows(self, cell: Cell) -> list[Row]:
        rate = 100.0 + cell.params["xfer_bytes"] / 2**14 + 10 * cell.ppn
        verdict = "UNPROVEN" if cell.params["api"] == "MPIIO" else "VALID"
        rounds = [rate * (1 + 0.01 * (number % 2)) for number in range(cell.rounds)]
        return [
            row(number, access, value, verdict)
            for number, value in enumerate(rounds)
            for access in ("write", "read")
        ]


@pytest.mark.parametrize(("rounds", "score"), [(1, 100.0), (2, 100.5), (3, 100.0), (4, 100.5)])
def test_the_score_of_a_setting_is_the_median_of_its_runs(rounds: int, score: float, tmp_path: Path) -> None:
    plan = make_plan(shipped("local", ["tune-transfers"], scale="quick"))
    first = next(cell for cell in plan.cells if cell.params["api"] == "POSIX" and cell.ppn == 1)
    cell = replace(first, rounds=rounds, params={**first.params, "xfer_bytes": -10 * 2**14})
    machine = Pretended(plan, tmp_path, objective_of({"objective": {"access": "read"}}))
    assert machine.score(cell) == pytest.approx(score)


@pytest.mark.parametrize(("target", "emulated"), [("disk", False), ("backing", True)])
def test_the_winner_is_valid_measured_again_and_printed_for_use(
    target: str, emulated: bool, monkeypatch: pytest.MonkeyPatch, run_weir: RunWeir, tmp_path: Path
) -> None:
    monkeypatch.setattr("weir.decide.tune.actions.Machine", Pretended)
    monkeypatch.chdir(ROOT)
    facts = tmp_path / "facts.json"
    arguments = f"tune --suite tune-transfers --site local --target {target} --scale quick --budget 24"
    out, told = run_weir(*arguments.split(), "--results", tmp_path, "--json", facts)
    application = "rate of an application with 1 GiB write and 1 GiB read"
    best = "api POSIX, xfer 16 MiB, collective false, ppn 2"
    assert out.splitlines()[0] == f"best: {best}: 1,140 MiB/s ({application})"
    assert out.splitlines()[1].startswith("gain: ")
    assert told.splitlines()[0] == f"30 settings, 24 to measure: {application}"
    assert len([line for line in told.splitlines() if line.startswith("  api ")]) == 24
    found = json.loads(facts.read_text())
    assert found["best"] == {"api": "POSIX", "xfer": 16 * 2**20, "collective": False, "ppn": 2}
    assert found["verdict"] == FASTER
    assert found["emulated"] == ("(E): emulated storage" in out) == emulated
    assert found["interval"][0] > 1
    assert "options:  ior -a POSIX" in out
    assert "-t 16777216" in out
    assert "UNPROVEN" in out
    assert all(one["score"] is None for one in found["trials"] if one["setting"]["api"] == "MPIIO")
    assert "not tried: 6 of 30 settings" in out


def test_stripes_and_hints_are_printed_as_their_tools_take_them() -> None:
    plan = make_plan(shipped("local", ["tune-transfers"], scale="quick"))
    cell = next(cell for cell in plan.cells if cell.params["api"] == "MPIIO")
    cell = replace(cell, params={**cell.params, "stripe_count": 4, "hints": {"romio_cb_write": "enable"}})
    text = "\n".join(actions.as_used(cell, plan.site.targets["disk"]))
    assert "lfs setstripe -c 4 DIRECTORY" in text
    assert f"(1 node, {counted(cell.ppn, 'process')} each)" in text
    assert "romio_cb_write enable" in text
    assert "summaryFile" not in text
    assert actions.hints_file(cell) == "romio_cb_write enable\n"


def test_settings_must_differ_in_what_moves_only() -> None:
    config = shipped("local", ["tune-transfers"], scale="quick", targets=["disk"])
    plan = make_plan(config)
    suite = known_suite(config.suites, "tune-transfers")
    assert len(candidates_of(plan, suite).cells) == 30
    with pytest.raises(WeirError, match="has no tune:"):
        candidates_of(plan, known_suite(shipped("local", ["quick"]).suites, "quick"))
    object.__setattr__(suite, "tune", {**suite.tune, "move": ["api", "xfer", "collective"], "default": {}})
    with pytest.raises(WeirError, match="differ in their ppn"):
        candidates_of(plan, suite)


@pytest.mark.parametrize(
    ("old", "new", "arguments"),
    [
        ("experiment: shared-file", "experiment: shared", "no experiment 'shared'"),
        ("move: [api,", "move: [apy,", "'apy' is not a key that may move"),
        ("ppn: 1}", "pnn: 1}", "'pnn' is not a key that may move"),
        ("budget: 12", "budget: 1", "budget"),
        ("{write: 1 GiB, read: 1 GiB}", "{write: 1}", "write"),
    ],
)
def test_a_wrong_tune_is_refused(tmp_path: Path, old: str, new: str, arguments: str) -> None:
    own = tmp_path / "suites"
    own.mkdir()
    text = (ROOT / "config/suites/tune-transfers.yaml").read_text()
    (own / "tune-transfers.yaml").write_text(text.replace(old, new))
    with pytest.raises(ConfigError, match=arguments):
        shipped("local", ["tune-transfers"], config_dir=str(tmp_path))


def test_wrong_use_is_told(run_weir: RunWeir) -> None:
    run_weir("tune", code=2)
    assert "did you mean 'api'" in run_weir("tune", "--replay", DDN, "--move", "apy", code=2).err


@pytest.mark.parametrize(
    ("where", "lines", "message"),
    [
        ((), "1,x\n2,3\n", "table.csv:2: b: 'x' is not a number"),
        ((), "1,2\n2,nan\n", "table.csv:3: b: 'nan' is not a number"),
        ((), "1,2\n2\n", "table.csv:3: has more or fewer fields than the header"),
        ((), "", "table.csv: --value: has no line with a valid b"),
        ((), "1,2\n1,3\n", "table.csv: --move: has one setting alone: a 1"),
        (("a=3",), "1,2\n2,3\n", "--where a: no line has a 3\n    known: 1, 2"),
        (("a=1", "b=3"), "1,2\n2,3\n", "--where: no line has a 1, b 3 together"),
    ],
)
def test_what_a_replay_cannot_use_is_named(
    where: tuple[str, ...], lines: str, message: str, tmp_path: Path, run_weir: RunWeir
) -> None:
    table = tmp_path / "table.csv"
    table.write_text(f"a,b\n{lines}")
    fixed = [text for one in where for text in ("--where", one)]
    error = run_weir("tune", "--replay", table, "--move", "a", "--value", "b", *fixed, code=2).err
    assert message in error


def test_a_replay_tells_of_settings_that_join_unlike_cells(capsys: pytest.CaptureFixture[str]) -> None:
    read_replay(DDN, ["api"], {"access": "write"}, "bw_mib_s")
    assert "a setting joins different values of nn, ppn, xfer_bytes, layout, " in capsys.readouterr().err
    read_replay(DDN, ["api"], {}, "bw_mib_s")
    assert "a setting joins different values of access, nn, " in capsys.readouterr().err
    same = {"access": "write", "nn": "4", "ppn": "4", "xfer_bytes": "1048576", "block_bytes": "40265318400"}
    read_replay(DDN, ["api", "layout"], same, "bw_mib_s")
    assert "joins" not in capsys.readouterr().err


def test_a_replay_answers_first_with_a_unit(run_weir: RunWeir, tmp_path: Path) -> None:
    """That of a column that weir does not know is requested; its name is not printed in its stead."""
    arguments = ["tune", "--replay", str(MISTRAL), "--move", "stripes", "--move", "ppn", "--budget", "12"]
    first, second, third, *_ = run_weir(*arguments, "--value", "wnode").out.splitlines()
    known = r"best: stripes \d+, ppn \d+: wnode [\d,]+ {}, [\d.]+% of the best setting .*"
    assert re.fullmatch(known.format(r"\(unit unknown: --unit\)"), first)
    assert "12 of " in second
    assert re.fullmatch(r" +[\d,]+  stripes \d+, ppn \d+", third)
    first, _, third, *_ = run_weir(*arguments, "--value", "wnode", "--unit", "MiB/s").out.splitlines()
    assert re.fullmatch(known.format("MiB/s"), first)
    assert re.fullmatch(r" +[\d,]+ MiB/s  stripes \d+, ppn \d+", third)
    table = tmp_path / "table.csv"
    table.write_text("ppn,bw_mib_s\n1,1000\n2,2000\n")
    out = run_weir("tune", "--replay", table, "--move", "ppn").out
    assert out.startswith("best: ppn 2: bw_mib_s 2,000 MiB/s, 100.0% of the best")
    assert "emulated" not in out
    table.write_text("ppn,emulated,bw_mib_s\n1,true,1000\n2,true,2000\n")
    assert "(E): emulated storage" in run_weir("tune", "--replay", table, "--move", "ppn").out.splitlines()[1]
