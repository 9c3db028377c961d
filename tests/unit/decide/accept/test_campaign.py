"""A contract that names its campaign: no line passes if a round of it is missing, repeated or too late."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.decide.accept.compliant import (
    CONTRACT,
    CONTRACTS,
    PLANNED,
    again,
    measure_again,
    rows_of,
    run_of,
)
from tests.unit.decide.accept.conftest import Accept
from tests.unit.decide.accept.test_cheats import drop, exchange, fewer_planned
from tests.unit.recorded import collect, measure, measure_one
from weir.base.errors import ConfigError
from weir.decide.accept.contract import read_contract
from weir.runs.ledger import LEDGER, append, read_ledger

DATES = {"not_before": "2026-03-01", "not_after": "2026-03-01"}


def head_of(study: Path) -> str:
    return read_ledger(study.parent / LEDGER).head


def contract_with(folder: Path, **campaign: str) -> Path:
    file = folder / f"{CONTRACT}.yaml"
    named = {"study": "lab/study"} | DATES | campaign
    keys = "".join(f"  {key}: {value}\n" for key, value in named.items())
    file.write_text(f"{(CONTRACTS / file.name).read_text()}campaign:\n{keys}")
    return file


def test_an_honest_campaign_passes(study: Path, tmp_path: Path, accept: Accept) -> None:
    contract = contract_with(tmp_path, ledger_after=head_of(study))
    printed = accept(study, contract=contract, code=0)
    assert "Campaign: the contract names lab/study, 2026-03-01 00:00 to 2026-03-01 23:59 UTC" in printed
    assert "the head of its ledger, that of line" in printed
    assert "may have written it anew" in accept(study, contract=contract_with(tmp_path), code=0)


def fail_once(study: Path) -> None:
    """A round that failed and was run again, which is a remark where no campaign is named."""
    failed = {"cell": {"cell": "c00", "rounds": PLANNED}, "run": 3, "status": "failed"}
    append(study.parent / LEDGER, failed | {"ended": "2026-03-01T03:00:00+00:00"}, "0" * 64)
    measure_one(study.parent, "c00", 3, PLANNED)
    again(study)


def drop_a_cell_that_no_line_names(study: Path) -> None:
    measure_one(study.parent, "c98", 0, PLANNED)
    shutil.rmtree(study.parent / "runs/c98")
    again(study)


def measure_more(study: Path) -> None:
    rows = rows_of(study)
    more = [row | {"run": PLANNED} for row in rows if row["cell"] == "c00" and row["run"] == 0]
    shutil.copytree(run_of(study, 0), run_of(study, PLANNED))
    file = run_of(study, PLANNED) / "run.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"run": PLANNED}))
    measure(study.parent, more, PLANNED + 1)
    collect(study.parent, study.name, [*rows, *more], PLANNED)


def new_ledger(study: Path) -> None:
    """A bad round is deleted and measured again, and the ledger begins then; all of it is collected again."""
    (study.parent / LEDGER).unlink()
    exchange(study)
    measure_again(study)
    again(study)


def cut_the_end(study: Path) -> None:
    """The last line is cut, and its round measured again: the chain is whole."""
    file = study.parent / LEDGER
    lines = file.read_text().splitlines(keepends=True)
    last = json.loads(lines[-1])
    file.write_text("".join(lines[:-1]))
    rows = rows_of(study)
    own = [row for row in rows if (row["cell"], row["run"]) == (last["cell"], last["run"])]
    faster = [row | {"bw_mib_s": (row["bw_mib_s"] or 0) * 1.1} for row in own]
    exchange(study, last["run"], last["cell"])
    measure(study.parent, faster, PLANNED)
    others = [row for row in rows if row not in own]
    collect(study.parent, study.name, [*others, *faster], PLANNED)


CHEATS: dict[str, tuple[Callable[[Path], object], str]] = {
    "delete a round": (drop, "deleted: c00 round 3: it ended as 'done'"),
    "delete the last round and plan fewer": (fewer_planned, "deleted: c00 round 5"),
    "repeat a round that failed": (fail_once, "not as agreed: c00 round 3"),
    "delete a cell": (drop_a_cell_that_no_line_names, "c98 round 0: it is in no plan"),
    "measure more": (measure_more, f"c00 round {PLANNED}: it ended after the campaign"),
    "begin another ledger": (new_ledger, "it was written anew, cut or copied"),
    "cut the end of the ledger": (cut_the_end, "it was written anew, cut or copied"),
}


@pytest.mark.row("choose campaigns", "write a ledger anew, or cut its end", "let a bad round fail")
@pytest.mark.slow
@pytest.mark.parametrize("name", CHEATS)
def test_each_round_of_a_named_campaign_counts(
    name: str, study: Path, tmp_path: Path, accept: Accept
) -> None:
    cheat, named = CHEATS[name]
    contract = contract_with(tmp_path, ledger_after=head_of(study))
    cheat(study)
    for more in ((), ("--unverified",)):
        printed = accept(study, *more, contract=contract)
        assert f"{CONTRACT}: NOT PROVEN" in printed
        assert named in printed
        assert " 0 pass" in printed


@pytest.mark.parametrize("name", ["delete a cell", "begin another ledger", "cut the end of the ledger"])
def test_what_only_the_campaign_tells(name: str, study: Path, accept: Accept) -> None:
    CHEATS[name][0](study)
    accept(study, code=0)


def test_a_round_outside_of_the_dates_and_another_study_are_named(
    study: Path, tmp_path: Path, accept: Accept
) -> None:
    printed = accept(study, contract=contract_with(tmp_path, not_after='"2026-03-01 04:30"'))
    assert "c00 round 5: it ended at 2026-03-01 05:00 UTC, outside of the dates" in printed
    printed = accept(study, contract=contract_with(tmp_path, study="lab@2026-03/study"))
    assert "names the study lab@2026-03/study, this is lab/study" in printed


def test_a_campaign_without_its_ledger_is_refused_also_unverified(
    study: Path, tmp_path: Path, accept: Accept
) -> None:
    contract = contract_with(tmp_path, ledger_after=head_of(study))
    (study.parent / LEDGER).unlink()
    assert "ledger.jsonl is missing" in accept(study, "--unverified", contract=contract, code=2)


@pytest.mark.parametrize(
    ("campaign", "named"),
    [
        ({"not_before": "2026-03-02"}, "ends before it begins"),
        ({"not_before": "2026-02-31"}, "is not a time"),
        ({"ledger_after": "abc"}, "ledger_after"),
    ],
)
def test_a_campaign_that_cannot_be_is_refused(campaign: dict[str, str], named: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=named):
        read_contract(contract_with(tmp_path, **campaign))
