"""A contract that names its campaign: no line passes if a round of it is missing, repeated or too late."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.decide.accept.test_accept import CONTRACTS
from tests.unit.decide.accept.test_cheats import (
    CONTRACT,
    PLANNED,
    again,
    drop,
    fewer_planned,
    run_of,
    verified_study,
)
from tests.unit.recorded import collect, measure, measure_one
from weir.base.errors import ConfigError
from weir.cli import main
from weir.decide.accept.contract import read_contract
from weir.records.table import read_records
from weir.runs.ledger import LEDGER, append, read_ledger

DATES = {"not_before": "2026-03-01", "not_after": "2026-03-01"}


def head_of(study: Path) -> str:
    ledger = read_ledger(study.parent / LEDGER)
    assert ledger is not None
    return ledger.head


def contract_with(folder: Path, **campaign: str) -> Path:
    file = folder / f"{CONTRACT}.yaml"
    keys = "".join(
        f"  {key}: {value}\n" for key, value in {"study": "lab/study", **DATES, **campaign}.items()
    )
    file.write_text(f"{(CONTRACTS / file.name).read_text()}campaign:\n{keys}")
    return file


def accepted(contract: Path, study: Path, *more: str) -> int:
    return main(["accept", str(contract), str(study), *more])


def test_an_honest_campaign_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study = verified_study(tmp_path)
    contract = contract_with(tmp_path, ledger_after=head_of(study))
    assert accepted(contract, study) == 0
    printed = capsys.readouterr().out
    assert "Campaign: the contract names lab/study, 2026-03-01 00:00 to 2026-03-01 23:59 UTC" in printed
    assert "the head of its ledger, that of line" in printed
    assert accepted(contract_with(tmp_path), study) == 0
    assert "may have written it anew" in capsys.readouterr().out


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
    rows = read_records(study / "records.csv")
    more = [row | {"run": PLANNED} for row in rows if row["cell"] == "c00" and row["run"] == 0]
    shutil.copytree(run_of(study, 0), run_of(study, PLANNED))
    file = run_of(study, PLANNED) / "run.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"run": PLANNED}))
    measure(study.parent, more, PLANNED + 1)
    collect(study.parent, study.name, [*rows, *more], PLANNED)


def new_ledger(study: Path) -> None:
    """A bad round is deleted and measured again, and the ledger begins then; all of it is collected again."""
    (study.parent / LEDGER).unlink()
    file = run_of(study) / "run.json"
    file.write_text(file.read_text().replace("a processor", "another processor"))
    measure(study.parent, read_records(study / "records.csv"), PLANNED)
    again(study)


def cut_the_end(study: Path) -> None:
    """The last line is cut, and its round measured again: the chain is whole."""
    file = study.parent / LEDGER
    lines = file.read_text().splitlines(keepends=True)
    last = json.loads(lines[-1])
    file.write_text("".join(lines[:-1]))
    rows = read_records(study / "records.csv")
    own = [row for row in rows if (row["cell"], row["run"]) == (last["cell"], last["run"])]
    faster = [row | {"bw_mib_s": (row["bw_mib_s"] or 0) * 1.1} for row in own]
    document = run_of(study, last["run"], last["cell"]) / "run.json"
    document.write_text(document.read_text().replace("a processor", "another processor"))
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
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cheat, named = CHEATS[name]
    study = verified_study(tmp_path)
    contract = contract_with(tmp_path, ledger_after=head_of(study))
    cheat(study)
    for more in ((), ("--unverified",)):
        assert accepted(contract, study, *more) == 1
        printed = " ".join(capsys.readouterr().out.split())
        assert f"{CONTRACT}: NOT PROVEN" in printed
        assert named in printed
        assert " 0 pass" in printed


@pytest.mark.parametrize("name", ["delete a cell", "begin another ledger", "cut the end of the ledger"])
def test_what_only_the_campaign_tells(name: str, tmp_path: Path) -> None:
    study = verified_study(tmp_path)
    CHEATS[name][0](study)
    assert main(["accept", CONTRACT, str(study)]) == 0


def test_a_round_outside_of_the_dates_and_another_study_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = verified_study(tmp_path)
    assert accepted(contract_with(tmp_path, not_after='"2026-03-01 04:30"'), study) == 1
    assert "c00 round 5: it ended at 2026-03-01 05:00 UTC, outside of the dates" in " ".join(
        capsys.readouterr().out.split()
    )
    assert accepted(contract_with(tmp_path, study="lab@2026-03/study"), study) == 1
    printed = " ".join(capsys.readouterr().out.split())
    assert "names the study lab@2026-03/study, this is lab/study" in printed


def test_a_campaign_without_its_ledger_is_refused_also_unverified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = verified_study(tmp_path)
    contract = contract_with(tmp_path, ledger_after=head_of(study))
    (study.parent / LEDGER).unlink()
    assert accepted(contract, study, "--unverified") == 2
    assert "ledger.jsonl is missing" in capsys.readouterr().err


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
