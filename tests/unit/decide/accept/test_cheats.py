"""Ways to cheat a contract: each is found, or printed as possible on the first page of the report.

docs/how-to/accept.md lists them; the markers name its rows.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.decide.accept.compliant import cells_of, write_study
from tests.unit.decide.accept.test_accept import CONTRACTS, contract_of
from tests.unit.recorded import collect, judged_as, measure, measure_one
from weir.base.files import file_sha256
from weir.cli import main
from weir.decide.accept.output import REMAINS_POSSIBLE
from weir.records.table import read_records, write_records
from weir.runs.files import RUN_FILE
from weir.runs.ledger import LEDGER, read_ledger
from weir.runs.manifest import MANIFEST, read_manifest

PLANNED = 6  # rounds_at_least of mistral-2015, and three
CONTRACT = "mistral-2015"


def verified_study(folder: Path, **values: float) -> Path:
    """All conditions hold, every run has its line, and the promises are reached."""
    study = write_study(folder, cells_of(contract_of(CONTRACT), values))
    rows = read_records(study / "records.csv")
    measure(study.parent, rows, PLANNED)
    return collect(study.parent, study.name, rows, PLANNED)


def again(study: Path) -> None:
    """weir collect, after the runs or the records were changed."""
    collect(study.parent, study.name, read_records(study / "records.csv"), PLANNED)


def accept(study: Path, *more: str) -> int:
    return main(["accept", CONTRACT, str(study), *more])


def run_of(study: Path, run: int = 3, cell: str = "c00") -> Path:
    return study.parent / "runs" / cell / f"{run:03d}"


def drop(study: Path) -> None:
    shutil.rmtree(run_of(study))
    again(study)


def repeat(study: Path) -> None:
    measure_one(study.parent, "c00", 3, PLANNED)
    again(study)


def replay(study: Path) -> None:
    """A round is deleted, and a better one is copied under its number."""
    shutil.rmtree(run_of(study))
    shutil.copytree(run_of(study, 1), run_of(study))
    again(study)


def edit_records(study: Path) -> None:
    file = study / "records.csv"
    file.write_text(file.read_text().replace(",scratch,", ",scratch2,"))


def sum_again(study: Path) -> None:
    """SHA256SUMS has no secret: it can be written for any table."""
    text, sums = read_manifest(study)
    for name in sums:
        text = text.replace(sums[name], file_sha256(study / name))
    (study / MANIFEST).write_text(text)
    digest = hashlib.sha256(text.encode()).hexdigest()
    (study / "facts.json").write_text(json.dumps({"digest": digest}))


def edit_and_sum(study: Path) -> None:
    change_units(study)
    sum_again(study)


def better_verdict(study: Path) -> None:
    """What the run was judged is DEGRADED, as the ledger has it; the records are VALID."""
    shutil.rmtree(run_of(study).parent)
    (study.parent / LEDGER).unlink()
    rows = read_records(study / "records.csv")
    write_study(study.parents[2], cells_of(contract_of(CONTRACT), {}))
    bad = [row | {"verdict": "DEGRADED", "reasons": "read-from-cache"} for row in rows]
    measure(study.parent, bad, PLANNED)
    collect(study.parent, study.name, rows, PLANNED)


def edit_rows(study: Path) -> None:
    """What the run was judged is written anew, with its sum; then all is collected."""
    file = run_of(study) / RUN_FILE
    document = json.loads(file.read_text())
    rows = [row for row in read_records(study / "records.csv") if (row["cell"], row["run"]) == ("c00", 3)]
    text = judged_as([row | {"bw_mib_s": 1e6} for row in rows], document)
    (file.parent / "rows.json").write_text(text)
    document["sha256"]["rows.json"] = hashlib.sha256(text.encode()).hexdigest()
    file.write_text(json.dumps(document))
    again(study)


def edit_run(study: Path) -> None:
    file = run_of(study) / "run.json"
    file.write_text(file.read_text().replace("a processor", "another processor"))
    again(study)


def cut_ledger(study: Path) -> None:
    """The run and its line are deleted, and what was collected is written anew."""
    shutil.rmtree(run_of(study))
    file = study.parent / LEDGER
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(line for line in lines if '"c00"' not in line or '"run": 3' not in line))
    again(study)


def new_ledger(study: Path) -> None:
    """Rounds are exchanged, and every run gets a line of a ledger that begins then."""
    file = run_of(study) / "run.json"
    file.write_text(file.read_text().replace("a processor", "another processor"))
    (study.parent / LEDGER).unlink()
    measure(study.parent, read_records(study / "records.csv"), PLANNED)


def fewer_planned(study: Path) -> None:
    shutil.rmtree(run_of(study, PLANNED - 1))
    rows = read_records(study / "records.csv")
    collect(study.parent, study.name, rows, PLANNED - 1)


def change_units(study: Path) -> None:
    """MiB/s become MB/s: 4.9 % more."""
    file = study / "records.csv"
    rows = read_records(file)
    write_records(file, [row | {"bw_mib_s": (row["bw_mib_s"] or 0) * 1.048576} for row in rows])


def change_suite(study: Path) -> None:
    """The runs get other parameters, and are collected again."""
    for file in sorted(study.parent.glob("runs/c00/*/run.json")):
        document = json.loads(file.read_text())
        document["cell"]["params"]["xfer_bytes"] *= 2
        file.write_text(json.dumps(document))
    again(study)


def drop_cell(study: Path) -> None:
    shutil.rmtree(study.parent / "runs/c00")
    again(study)


def exchange_cells(study: Path) -> None:
    """The runs of two cells change places."""
    first, second = (run_of(study, cell=cell).parent for cell in ("c00", "c01"))
    first.rename(first.with_name("aside"))
    second.rename(first)
    first.with_name("aside").rename(second)
    again(study)


def one_more_iteration(study: Path) -> None:
    """A run gets a second, faster iteration, which raises its median."""
    file = study / "records.csv"
    rows = read_records(file)
    better = [row | {"iteration": 1, "bw_mib_s": 1e6} for row in rows if row["run"] == 3]
    write_records(file, [*rows, *better])
    sum_again(study)


def hide_access(study: Path) -> None:
    """The slow access of a round is not among the records."""
    file = study / "records.csv"
    rows = read_records(file)
    write_records(file, [row for row in rows if (row["cell"], row["run"]) != ("c00", 3)])
    sum_again(study)


def ledger_twice(study: Path) -> None:
    """The line of a good round is copied to the end."""
    file = study.parent / LEDGER
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join([*lines, lines[0]]))
    again(study)


def name_another_program(study: Path) -> None:
    """The records name another version of the program than that which ran."""
    file = study / "records.csv"
    write_records(file, [row | {"tool_version": "9.9"} for row in read_records(file)])
    sum_again(study)


def name_another_tool(study: Path) -> None:
    """The bad round of a cell is that of another tool, which no line is about."""
    file = study / "records.csv"
    bad = ("c00", 3)
    rows = read_records(file)
    write_records(file, [row | {"tool": "x"} if (row["cell"], row["run"]) == bad else row for row in rows])
    sum_again(study)


def record_without_a_run(study: Path) -> None:
    """A record that no run can contradict."""
    file = study / "records.csv"
    rows = read_records(file)
    more = [row | {"run": None} for row in rows if (row["cell"], row["run"]) == ("c00", 3)]
    write_records(file, [*rows, *more])
    sum_again(study)


CHEATS: dict[str, tuple[Callable[[Path], object], str]] = {
    "drop a round": (drop, "deleted: c00 round 3"),
    "drop the last round and plan fewer": (fewer_planned, "deleted: c00 round 5"),
    "repeat a round": (repeat, "replaced: c00 round 3: it ended 2 times"),
    "replay a good round": (replay, "c00 round 3: run.json is not that of line"),
    "edit the records": (edit_records, "records.csv"),
    "edit a run": (edit_run, "edited: c00 round 3"),
    "edit what a run was judged": (edit_rows, "edited: c00 round 3"),
    "edit the records and their checksum": (edit_and_sum, "bw_mib_s is"),
    "make a verdict better": (better_verdict, "it is VALID in the records, its run gives DEGRADED"),
    "edit the ledger": (cut_ledger, "does not follow from line"),
    "write a new ledger": (new_ledger, "is not the one of the collection"),
    "change units": (change_units, "records.csv"),
    "change the suite": (change_suite, "edited: c00 round 0"),
    "drop a cell": (drop_cell, "no record has these parameters"),
    "exchange the runs of two cells": (exchange_cells, "c00 round 0: run.json is not that of line"),
    "add an iteration": (one_more_iteration, "records, and its run gives"),
    "drop a record and write its checksum": (hide_access, "c00 round 3"),
    "copy a line of the ledger": (ledger_twice, "does not follow from line"),
    "name another version of the program": (name_another_program, "tool_version is 9.9"),
    "name another tool": (name_another_tool, "tool is x in the records"),
    "add a record without a run": (record_without_a_run, "c00: 2 records without a run"),
}


def test_an_honest_study_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study = verified_study(tmp_path)
    assert accept(study) == 0
    printed = capsys.readouterr().out
    ledger = read_ledger(study.parent / LEDGER)
    assert ledger is not None
    assert f"Ledger: {len(ledger.entries)} runs of its directory" in printed
    assert ledger.head in printed
    assert "UNVERIFIED" not in printed


@pytest.mark.row(
    "drop a round",
    "repeat a round",
    "replay a good round",
    "edit records, a run, the ledger",
    "edit a table and write its checksum anew",
    "change units",
    "change the suite",
    "exchange the runs of two cells",
    "add a faster iteration, or drop a slow record, with checksums written anew",
    "copy a line of the ledger",
    "name another version of the program in the records",
    "name another tool in the record of a bad round, or add a record without a run",
)
@pytest.mark.slow
@pytest.mark.parametrize("name", CHEATS)
def test_what_was_done_to_the_rounds_is_not_a_pass(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cheat, named = CHEATS[name]
    study = verified_study(tmp_path)
    cheat(study)
    for more in ((), ("--unverified",)):
        assert accept(study, *more) == 1
        printed = capsys.readouterr().out
        assert f"{CONTRACT}: NOT PROVEN" in printed
        assert named in " ".join(printed.split())


@pytest.mark.slow
@pytest.mark.parametrize("gone", [MANIFEST, LEDGER, "plan.json"])
def test_what_cannot_be_verified_is_refused_or_marked(
    gone: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = verified_study(tmp_path)
    file = study.parent / gone if gone == LEDGER else study / gone
    if gone != MANIFEST:  # or the checksums name it
        (study / MANIFEST).unlink()
    file.unlink()
    assert accept(study) == 2
    error = capsys.readouterr().err
    assert gone in error
    assert "--unverified" in error
    out = tmp_path / "out"
    accept(study, "--unverified", "--json")
    assert json.loads(capsys.readouterr().out)["verified"] is False
    assert accept(study, "--unverified") == 0
    assert "PASS UNVERIFIED" in capsys.readouterr().out
    assert not out.exists()


def test_records_alone_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """SHA256SUMS deleted and all bandwidths doubled."""
    study = verified_study(tmp_path)
    (study / MANIFEST).unlink()
    edit_records(study)
    assert accept(study) == 2
    assert "SHA256SUMS is missing" in capsys.readouterr().err


def test_the_first_page_tells_what_remains_possible(tmp_path: Path, unprinted: None) -> None:
    study = verified_study(tmp_path)
    out = tmp_path / "out"
    accept(study, "--report", str(out))
    page, tex = (out / "acceptance.html").read_text(), (out / "acceptance.tex").read_text()
    first = page.partition("<table>")[0]
    assert all(text.partition(":")[0] in first for text in REMAINS_POSSIBLE)
    assert "What remains possible" in first
    assert r"\newcommand{\ContractMark}{}" in tex
    (study / MANIFEST).unlink()
    accept(study, "--report", str(out), "--unverified")
    assert "<p class=mark>UNVERIFIED: SHA256SUMS is missing" in (out / "acceptance.html").read_text()


def first_page(study: Path, out: Path, contract: Path | str = CONTRACT) -> str:
    main(["accept", str(contract), str(study), "--report", str(out)])
    return " ".join((out / "acceptance.html").read_text().partition("<table>")[0].split())


@pytest.mark.row("sign again")
@pytest.mark.slow
def test_who_signs_again_is_not_an_allowed_signer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if not shutil.which("ssh-keygen"):
        pytest.skip("ssh-keygen is missing")
    keys = [tmp_path / name for name in ("agreed", "other")]
    for key in keys:
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    public = keys[0].with_suffix(".pub").read_text().split()
    allowed = tmp_path / "allowed"
    allowed.write_text(f"vendor@example.org {public[0]} {public[1]}\n")
    study = verified_study(tmp_path / "made")
    signers = ("--allowed-signers", str(allowed))
    assert main(["verify", str(study), "--sign", str(keys[0])]) == 0
    assert accept(study, *signers) == 0
    assert "Signed by vendor@example.org" in capsys.readouterr().out
    rows = read_records(study / "records.csv")
    collect(study.parent, study.name, [row | {"target": "scratch2"} for row in rows], PLANNED)
    assert accept(study, *signers) == 3
    assert main(["verify", str(study), "--sign", str(keys[1])]) == 0
    capsys.readouterr()
    assert accept(study, *signers) == 3
    assert "ssh-keygen" in capsys.readouterr().err


@pytest.mark.slow
def test_every_page_of_a_pdf_is_marked_also_where_nothing_is_listed(tmp_path: Path) -> None:
    for program in ("latexmk", "pdftotext"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    text = (CONTRACTS / f"{CONTRACT}.yaml").read_text()
    before, _, rest = text.partition("not_encoded:")
    after = rest[rest.index("\n") + 1 :].splitlines(keepends=True)
    kept = next(at for at, line in enumerate(after) if line.strip() and not line.startswith((" ", "-", "\t")))
    contract = tmp_path / f"{CONTRACT}.yaml"
    contract.write_text(before + "".join(after[kept:]))
    study = verified_study(tmp_path / "made")
    (study / MANIFEST).unlink()
    out = tmp_path / "out"
    assert main(["accept", str(contract), str(study), "--report", str(out), "--unverified"]) == 0
    printed = subprocess.run(
        ["pdftotext", "-layout", out / "acceptance.pdf", "-"], capture_output=True, text=True, check=True
    ).stdout
    pages = printed.split("\f")[:-1]
    assert len(pages) > 1
    assert all("UNVERIFIED: SHA256SUMS is missing" in page for page in pages)
    assert "What remains possible" in pages[0]
