"""What may be chosen: campaigns, cells, conditions, when to stop. Each is judged, or printed as possible."""

import json
import math
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.unit.decide.accept.compliant import (
    CONTRACT,
    CONTRACTS,
    PLANNED,
    again,
    cells_of,
    contract_of,
    measure_again,
    rows_of,
    run_of,
    verified_study,
    write_study,
)
from tests.unit.decide.accept.conftest import Accept, FirstPage
from tests.unit.decide.accept.test_campaign import contract_with
from tests.unit.decide.compare.test_conditions import POWER
from tests.unit.recorded import collect, measure, measure_one
from weir.base.files import file_sha256
from weir.decide.accept.conditions import storages_of
from weir.decide.accept.evidence import Measured, read_measured
from weir.decide.accept.judge import judge
from weir.runs.ledger import LEDGER, append, read_ledger
from weir.statistics.median import ASSUMED

pytestmark = pytest.mark.slow  # each judges and verifies a campaign or two


@pytest.mark.row("choose campaigns")
def test_another_campaign_is_printed_as_possible(
    tmp_path: Path, accept: Accept, first_page: FirstPage
) -> None:
    """The better of two directories is handed in: its ledger is whole, and knows its own directory alone."""
    studies = [verified_study(tmp_path / name) for name in ("first", "second")]
    page = first_page(studies[1])
    assert "PASS" in page
    assert "Other campaigns: whoever measured in several directories" in page
    assert f"head {read_ledger(studies[1].parent / LEDGER).head}" in page
    copied = run_of(studies[1])
    shutil.rmtree(copied)
    shutil.copytree(run_of(studies[0], 4), copied)  # a run of the other campaign
    again(studies[1])
    assert "c00 round 3: run.json is not that of line" in accept(studies[1])


@pytest.mark.row("choose cells")
def test_where_the_best_cell_counts_the_others_may_not_be_dropped(tmp_path: Path) -> None:
    contract = contract_of("nersc-10")
    cells = cells_of(contract, {})
    rounds = {cell["rounds"] for cell in cells}
    study = write_study(tmp_path, [*cells, {**cells[0], "cell": "c98"}])
    rows = rows_of(study)
    (planned,) = rounds
    measure(study.parent, rows, planned)
    collect(study.parent, study.name, rows, planned)
    assert not [one for one in read_measured(study).rounds.findings if one.cell == "c98"]
    shutil.rmtree(study.parent / "runs/c98")
    collect(study.parent, study.name, rows, planned)
    texts = [item.text for one in judge(contract, read_measured(study)) for item in one.findings]
    assert any(text.startswith("deleted: c98 round 0") for text in texts)


@pytest.mark.row("choose cells")
def test_cells_that_the_plan_lacks_are_counted_on_the_first_page(study: Path, first_page: FirstPage) -> None:
    """Cells were measured in the same directory and are not in the plan handed in."""
    for run in range(PLANNED):
        measure_one(study.parent, "c99", run, PLANNED)
    again(study)
    entries = len(read_ledger(study.parent / LEDGER).entries)
    told = f"{entries} runs of its directory, of which {entries - PLANNED} are of cells of this study"
    assert told in first_page(study)


@pytest.mark.row("change conditions")
def test_a_changed_contract_has_another_sum_on_the_first_page(
    study: Path, tmp_path: Path, first_page: FirstPage
) -> None:
    agreed = CONTRACTS / f"{CONTRACT}.yaml"
    changed = tmp_path / f"{CONTRACT}.yaml"
    changed.write_text(agreed.read_text().replace("rounds_at_least: 3", "rounds_at_least: 2"))
    assert changed.read_text() != agreed.read_text()
    for contract in (agreed, changed):
        page = first_page(study, contract)
        assert f"Contract: SHA-256 {file_sha256(contract)}" in page
    assert "an emptied file system, no other users, settings of the servers" in page


def begin_with(study: Path, run: int, cell: dict[str, Any], status: str, ended: str) -> None:
    """The ledger has a run before those of the study, which is collected again."""
    (study.parent / LEDGER).unlink()
    about = {"cell": cell, "run": run, "status": status, "ended": f"{ended}T03:00:00+00:00"}
    append(study.parent / LEDGER, about, "0" * 64)
    measure_again(study)
    again(study)


@pytest.mark.row("let a bad round fail")
def test_a_round_that_failed_before_is_on_the_first_page(study: Path, first_page: FirstPage) -> None:
    begin_with(study, 3, {"cell": "c00", "rounds": PLANNED}, "failed", "2026-03-01")
    page = first_page(study)
    assert "repeated: c00 round 3: it failed 1 times before" in page
    assert "A run that was interrupted leaves no line" in page


@pytest.mark.row("stop a long plan when the numbers are good")
def test_a_plan_that_was_not_measured_to_its_end_is_judged_as_many_looks(
    tmp_path: Path, accept: Accept
) -> None:
    study = write_study(tmp_path, cells_of(contract_of(CONTRACT), {}))
    measure(study.parent, rows_of(study), 40)
    again(study)
    assert set(read_measured(study).rounds.looks.values()) == {1 + PLANNED}
    printed = accept(study, code=0)
    assert f"look {1 + PLANNED}" in printed
    assert "a longer plan was not measured to its end" in printed


@pytest.mark.row("hide runs that are alike among many other cells")
def test_other_cells_do_not_make_the_interval_narrower() -> None:
    source = random.Random(1)
    rows = [
        {"cell": f"c{cell}", "access": "write", "run": run, "verdict": "VALID"}
        | {"bw_mib_s": 1000 * math.exp(source.gauss(0, 0.05))}
        for cell in range(40)
        for run in range(10)
    ]
    assert Measured(Path("made"), tuple(rows)).autocorrelation(None) == ASSUMED


@pytest.mark.row("set the clock back to meet the dates of a campaign")
def test_a_clock_that_was_set_back_is_on_the_first_page(
    study: Path, tmp_path: Path, accept: Accept, first_page: FirstPage
) -> None:
    begin_with(study, 0, {"cell": "another", "rounds": 1}, "done", "2026-03-09")
    text = f"clock: c00 round 0: it ended 2026-03-01T00:00:00+00:00 (line 2 of {LEDGER})"
    assert text in first_page(study)
    assert "not as agreed: c00 round 0" in accept(study, contract=contract_with(tmp_path))


@pytest.mark.row("join two studies")
def test_a_cell_of_another_results_directory_is_refused(tmp_path: Path, accept: Accept) -> None:
    """Its runs, as they are, and its records, in a plan of both."""
    first, second = (verified_study(tmp_path / name) for name in ("first", "second"))
    kept = [row for row in rows_of(first) if row["cell"] != "c00"]
    (first.parent / LEDGER).unlink()
    shutil.rmtree(first.parent / "runs/c00")
    measure(first.parent, kept, PLANNED)
    shutil.copytree(run_of(second).parent, run_of(first).parent)
    moved = [row for row in rows_of(second) if row["cell"] == "c00"]
    collect(first.parent, first.name, [*kept, *moved], PLANNED)
    refused = f"{PLANNED} runs were measured before the ledger was begun, or elsewhere"
    assert refused in accept(first, code=2)
    both = [path.parent / LEDGER for path in (first, second)]
    both[0].write_text("".join(file.read_text() for file in both))
    collect(first.parent, first.name, [*kept, *moved], PLANNED)
    assert "does not follow from line" in accept(first)


def on_hosts(folder: Path, host_of: Callable[[str, int], dict[str, Any]], **cell: str) -> Path:
    """A study whose runs tell more of their hosts, and of their cell."""
    study = write_study(folder, cells_of(contract_of(CONTRACT), {}))
    for file in study.parent.glob("runs/*/*/run.json"):
        document = json.loads(file.read_text())
        document["host"] |= host_of(file.parents[1].name, int(file.parent.name))
        document["cell"] |= cell
        file.write_text(json.dumps(document) + "\n")
    measure_again(study)
    return again(study)


def on_storages(folder: Path, others: Callable[[str, int], bool]) -> Path:
    """All runs are of one target, and some of them on another device by its name."""

    def host_of(cell: str, run: int) -> dict[str, Any]:
        device = "/dev/nvme0n1" if others(cell, run) else "mds:/one"
        return {"file_system": {"type": "lustre", "device": device}}

    return on_hosts(folder, host_of)


@pytest.mark.row("measure rounds, or lines of one storage, on other storage by its name")
def test_a_name_of_a_target_is_no_storage(tmp_path: Path, accept: Accept) -> None:
    accept(on_storages(tmp_path / "alike", lambda *_: True), code=0)
    one_round = on_storages(tmp_path / "round", lambda cell, run: (cell, run) == ("c00", 3))
    assert "several-storages: its runs were measured on" in accept(one_round)
    one_line = on_storages(tmp_path / "line", lambda cell, _: cell == "c00")
    assert "one-storage: the lines were measured on" in accept(one_line)


def test_servers_of_one_file_system_are_one_storage() -> None:
    devices = ("10.0.0.1:/export", "10.0.0.2:/export", "10.0.0.2:/other")
    runs = [
        {"cell": {"target": "t"}, "host": {"file_system": {"type": "nfs4", "device": one}}} for one in devices
    ]
    assert storages_of(runs[:2]) == ["t (nfs4 server:/export)"]
    assert len(storages_of(runs)) == 2
    assert storages_of([{"cell": {"target": "t"}, "host": {}}]) == []


@pytest.mark.row("call other storage by the name of the target, or measure on other nodes")
def test_the_first_page_tells_what_a_target_is(tmp_path: Path, first_page: FirstPage) -> None:
    memory = {"type": "tmpfs", "device": "tmpfs", "mount_point": "/dev/shm"}
    host = {"file_system": memory, "power": POWER, "node": "n7"}
    study = on_hosts(tmp_path, lambda *_: host, target="scratch")
    runs = len(list(study.parent.glob("runs/*/*/run.json")))
    page = first_page(study)
    assert f"Storage of target scratch: tmpfs tmpfs at /dev/shm ({runs} runs)." in page
    power = "governor performance, driver acpi-cpufreq, 1500 to 2250 MHz, boost on"
    assert f"Processors: {power} ({runs} runs)" in page
