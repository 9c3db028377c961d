"""weir/report/live.py: what a study shows after each round, from recorded rounds."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.unit.conftest import RunWeir
from tests.unit.report.rounds import RATES, measure, row_of, run_of, small_plan
from weir.collect.progress import EndedExecution
from weir.commands import run, watch
from weir.plan import Plan, write_plan
from weir.records.columns import verdict_texts
from weir.records.model import Cell
from weir.report.live import LIVE_PAGE, LIVE_TEXT, LiveStudy, page_writer
from weir.report.page import page_text
from weir.report.text import answers
from weir.workflow import follow


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return small_plan(tmp_path)


@pytest.fixture
def live(plan: Plan, tmp_path: Path) -> LiveStudy:
    study = tmp_path / "results" / "here" / "mine"
    study.mkdir(parents=True)
    return LiveStudy(plan, study)


@pytest.fixture
def cell(plan: Plan) -> Cell:
    return plan.batches[0].cells[0]


def end(live: LiveStudy, number: int = 0, error: str | None = None, **row: Any) -> None:
    """The first cell has ended a round, with one record."""
    batch = live.progress.batches[0].batch
    run = run_of(batch.cells[0], number, "failed" if error else "done", error)
    live.take(
        EndedExecution(batch, batch.cells[0], number, [row_of(batch.cells[0], number, "write", **row)], run)
    )


def go_on(live: LiveStudy) -> None:
    """The first cell has printed a rate, in a launch that goes on."""
    batch = live.progress.batches[0].batch
    printed = {"api": "POSIX", "access": "write", "iteration": 0, "bw_mib_s": 90.0, "observed": {}}
    live.take(EndedExecution(batch, batch.cells[0], 0, [printed]))


def test_the_first_round_gives_rates_and_each_round_narrows_them(live: LiveStudy, plan: Plan) -> None:
    shown = []
    for number in range(3):
        measure(live, plan, [number])
        live.write()
        shown.append((live.progress.batches[0], (live._folder / LIVE_TEXT).read_text()))
    first, second, third = (text for _, text in shown)
    assert first.startswith("1 of 3 rounds complete, 8 of 24 executions\n")
    assert "write  best 200 MiB/s (one run)  POSIX, shared file, sequential" in first
    assert "write  best 204 MiB/s (2 runs, 200–208)" in second
    assert "write  best 200 MiB/s (3 runs, 196–208)" in third
    assert "16 of 16 results proven (16 to the devices)" in first


def test_the_page_says_what_is_missing_and_how_each_batch_is(live: LiveStudy, plan: Plan) -> None:
    before = live.facts()["live"]
    assert (before["left"], before["first"]) == ("13 s (6.4 s to 27 s)", "4.4 s (2.1 s to 9.0 s)")
    measure(live, plan, [0])
    state = live.facts()["live"]
    assert state["first"] == ""
    assert (state["over"], state["rounds"], state["planned"]) == (False, 1, 3)
    assert state["missing"][:2] == ["16 of 24 executions", "intervals of medians: they need 6 runs of a cell"]
    assert state["left"] == "32 s (32 s to 32 s)", "both batches are measured in turns"
    batch = state["batches"][0]
    assert (batch["nodes"], batch["done"], batch["executions"]) == (["n[7-8]"], 4, 12)
    assert batch["rates"] == {"write": 100.0, "read": 400.0}
    measure(live, plan, [1, 2])
    state = live.facts()["live"]
    assert (state["over"], state["left"], state["rounds"]) == (True, "", 3)


def test_a_failed_execution_is_named_until_it_is_repeated(live: LiveStudy, cell: Cell) -> None:
    lost = {"verdict": "INVALID", "reasons": "exit-code", "bw_mib_s": None}
    end(live, 0, "exit code 9", **lost)
    facts = live.facts()
    found = {"cell": cell.label, "round": 1, "reason": "exit code 9", "count": 1}
    assert facts["live"]["troubles"] == [found]
    end(live, 1, "exit code 9", **lost)
    assert live.facts()["live"]["troubles"] == [found | {"round": 2, "count": 2}], "a line for each reason"
    end(live, 1)
    assert (facts["verdicts"]["real"]["INVALID"], facts["answers"]) == (1, [])
    assert [(one["rule"], one["real"]) for one in facts["doubted"]] == [("exit-code", 1)]
    end(live, 0)
    facts = live.facts()
    assert facts["live"]["troubles"] == []
    assert (facts["verdicts"]["real"]["INVALID"], facts["points"][0]["n"]) == (0, 2)


def test_cells_beside_give_no_rate_and_no_verdict(live: LiveStudy, plan: Plan, cell: Cell) -> None:
    """The page has the results of one program; whether the other one agrees is a line of the report."""
    beside = replace(cell, cell="0" * 12, by_cross_check=True, checks=cell.cell)
    for one in (cell, beside):
        rows = [row_of(one, 0, "write")]
        live.take(EndedExecution(plan.batches[0], one, 0, rows, None))
        live.take(EndedExecution(plan.batches[0], one, 0, rows, run_of(one, 0)))
    facts = live.facts()
    assert [point["cell"] for point in facts["points"]] == [cell.cell]
    assert facts["verdicts"]["real"]["VALID"] == 1


def test_a_time_that_lacks_the_synchronisation_of_its_rate_has_a_note(
    live: LiveStudy, plan: Plan, cell: Cell
) -> None:
    small = {"order": "random", "xfer_bytes": 2**14, "ops": 1000, "ops_s": 90.0, "lat_p99_us": 50.0}
    rows = [row_of(cell, 0, access, **small) for access in RATES]
    live.take(EndedExecution(plan.batches[0], cell, 0, rows, run_of(cell, 0)))
    notes = {one["access"]: one["tail"]["note"] for one in live.facts()["answers"]}
    expected = "the rate includes the final synchronisation, this time does not"
    assert notes == {"write": expected, "read": None}


def test_what_ended_in_a_launch_that_goes_on_is_not_proven_yet(live: LiveStudy) -> None:
    go_on(live)
    facts = live.facts()
    assert sum(facts["verdicts"]["real"].values()) == 0
    assert [(one["median"], one["verdict"]) for one in facts["points"]] == [(90.0, "UNPROVEN")]
    end(live)
    (point,) = live.facts()["points"]
    assert (point["median"], point["verdict"], point["n"]) == (100.0, "VALID", 1)


def test_emulated_storage_is_told_as_that_while_its_launch_goes_on(live: LiveStudy, plan: Plan) -> None:
    disk = replace(plan.site.targets["disk"], emulated=True)
    emulated = LiveStudy(replace(plan, site=replace(plan.site, targets={"disk": disk})), live._folder)
    go_on(emulated)
    before = emulated.facts()
    end(emulated, emulated=True)
    for facts in (before, emulated.facts()):
        assert [one["emulated"] for one in facts["targets"]] == [True]
        assert [one["emulated"] for one in facts["points"]] == [True]


def test_the_template_is_filled_and_no_text_ends_its_script(live: LiveStudy) -> None:
    end(live, reasons="x", evidence="</script><!--<script>")
    text = page_text(live.facts())
    assert "{{" not in text
    assert text.count("</script>") == page_text({}).count("</script>")
    facts = text.split('id="facts">', 1)[1].split("</script>", 1)[0]
    assert json.loads(facts)["points"][0]["seen"] == "</script><!--<script>"
    known = text.split('id="words">', 1)[1].split("</script>", 1)[0]
    assert {name: one["word"] for name, one in json.loads(known).items()} == dict(verdict_texts())


def test_a_fault_of_the_page_is_none_of_the_measurement(
    plan: Plan, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_plan(plan, tmp_path / "mine" / "plan.json")
    write = page_writer(plan, tmp_path / "mine")
    write()
    assert (tmp_path / "mine" / LIVE_PAGE).is_file()
    (tmp_path / "mine").rename(tmp_path / "away")
    write()
    assert "weir: the live page was not written: " in capsys.readouterr().err


def test_a_plan_that_lies_elsewhere_has_no_page(plan: Plan, tmp_path: Path) -> None:
    assert run._page(plan, tmp_path / "here" / "mine", tmp_path / "here")
    assert not run._page(plan, tmp_path, tmp_path / "here")


def test_one_batch_goes_by_rounds_only_where_a_round_is_waited_for() -> None:
    cells = [SimpleNamespace(rounds=4), SimpleNamespace(rounds=2)]
    for estimated_s, is_long in ((20.0, True), (19.0, False)):
        batch = SimpleNamespace(estimated_s=estimated_s, cells=cells)
        assert run._have_long_rounds([batch]) is is_long  # type: ignore[list-item]


def test_watch_leaves_the_page_to_the_machine_that_measures(
    plan: Plan, tmp_path: Path, run_weir: RunWeir
) -> None:
    study = tmp_path / "results" / "here" / "mine"
    write_plan(plan, study / "plan-measured.json")
    assert "which writes the page itself between two rounds" in run_weir("watch", "--page", study, code=2).err
    run_weir("watch", "--page", "--once", study)
    assert '"done": 0' in (study / LIVE_PAGE).read_text()


def test_the_page_of_a_campaign_is_written_when_something_ended(
    live: LiveStudy, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, written = 0.0, []
    monkeypatch.setattr(watch, "time", SimpleNamespace(monotonic=lambda: now))
    monkeypatch.setattr(live, "write", lambda: written.append(now))
    writer = watch.PageWriter(live)
    for second in range(20):
        now = float(second)
        if second == 7:
            measure(live, plan, [0])
        writer.write_what_is_new()
    assert written == [0.0, 7.0]


def test_a_log_gets_the_first_answer_the_second_and_the_fourth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / LIVE_TEXT
    file.write_text("6 of 6 rounds, of an earlier measurement")
    answer = follow._Answer(file)
    stamps = iter(range(1, 100))
    monkeypatch.setattr(follow._Answer, "_written_ns", lambda self: next(stamps))
    seen = []
    for number in range(6):
        file.write_text(f"{number} of 6 rounds")
        seen += answer.news()
    assert seen == [f"{number} of 6 rounds" for number in (1, 2, 4)]


def test_no_line_of_the_answer_begins_with_a_unit() -> None:
    best = {"value": 2040.0, "n": 1, "unit": "MiB/s"}
    for width in range(1, 40):
        best["setting"] = f"{'x' * width}, 1 MiB"
        (found,) = [[*answers("disk", [{"access": "read", "best": best}])]]
        assert not any(line.strip().startswith("MiB") for line in found), found
