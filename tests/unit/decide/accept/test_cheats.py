"""Ways to cheat a contract: each is found, or printed as possible on the first page of the report.

docs/how-to/accept.md lists them; the markers name its rows.
"""

import hashlib
import json
import shutil
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from tests.unit.conftest import RunWeir
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
    write_study,
)
from tests.unit.decide.accept.conftest import Accept
from tests.unit.printed import need_latex, text_of
from tests.unit.recorded import collect, judged_as, measure, measure_one
from weir.base.files import file_sha256
from weir.collect.table import write_records
from weir.decide.accept.output import REMAINS_POSSIBLE
from weir.records.model import Row
from weir.runs.files import RUN_FILE
from weir.runs.ledger import LEDGER, read_ledger
from weir.runs.manifest import MANIFEST, read_manifest


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


def rewrite(study: Path, rows: Iterable[Row]) -> None:
    """SHA256SUMS has no secret: it can be written for any table."""
    write_records(study / "records.csv", rows)
    text, sums = read_manifest(study)
    for name in sums:
        text = text.replace(sums[name], file_sha256(study / name))
    (study / MANIFEST).write_text(text)
    digest = hashlib.sha256(text.encode()).hexdigest()
    (study / "facts.json").write_text(json.dumps({"digest": digest}))


def edit_and_sum(study: Path) -> None:
    change_units(study)
    rewrite(study, rows_of(study))


def better_verdict(study: Path) -> None:
    """What the run was judged is DEGRADED, as the ledger has it; the records are VALID."""
    shutil.rmtree(run_of(study).parent)
    (study.parent / LEDGER).unlink()
    rows = rows_of(study)
    write_study(study.parents[2], cells_of(contract_of(CONTRACT), {}))
    bad = [row | {"verdict": "DEGRADED", "reasons": "read-from-cache"} for row in rows]
    measure(study.parent, bad, PLANNED)
    collect(study.parent, study.name, rows, PLANNED)


def is_bad(row: Row) -> bool:
    return (row["cell"], row["run"]) == ("c00", 3)


def edit_rows(study: Path) -> None:
    """What the run was judged is written anew, with its sum; then all is collected."""
    file = run_of(study) / RUN_FILE
    document = json.loads(file.read_text())
    text = judged_as([row | {"bw_mib_s": 1e6} for row in rows_of(study) if is_bad(row)], document)
    (file.parent / "rows.json").write_text(text)
    document["sha256"]["rows.json"] = hashlib.sha256(text.encode()).hexdigest()
    file.write_text(json.dumps(document))
    again(study)


def exchange(study: Path, run: int = 3, cell: str = "c00") -> None:
    """The run is measured once more, on another machine."""
    file = run_of(study, run, cell) / RUN_FILE
    file.write_text(file.read_text().replace("a processor", "another processor"))


def edit_run(study: Path) -> None:
    exchange(study)
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
    exchange(study)
    (study.parent / LEDGER).unlink()
    measure_again(study)


def fewer_planned(study: Path) -> None:
    shutil.rmtree(run_of(study, PLANNED - 1))
    collect(study.parent, study.name, rows_of(study), PLANNED - 1)


def change_units(study: Path) -> None:
    """MiB/s become MB/s: 4.9 % more."""
    more = [row | {"bw_mib_s": (row["bw_mib_s"] or 0) * 1.048576} for row in rows_of(study)]
    write_records(study / "records.csv", more)


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
    rows = rows_of(study)
    rewrite(study, [*rows, *(row | {"iteration": 1, "bw_mib_s": 1e6} for row in rows if row["run"] == 3)])


def hide_access(study: Path) -> None:
    """The slow access of a round is not among the records."""
    rewrite(study, [row for row in rows_of(study) if not is_bad(row)])


def ledger_twice(study: Path) -> None:
    """The line of a good round is copied to the end."""
    file = study.parent / LEDGER
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join([*lines, lines[0]]))
    again(study)


def name_another_program(study: Path) -> None:
    """The records name another version of the program than that which ran."""
    rewrite(study, [row | {"tool_version": "9.9"} for row in rows_of(study)])


def name_another_tool(study: Path) -> None:
    """The bad round of a cell is that of another tool, which no line is about."""
    rewrite(study, [row | {"tool": "x"} if is_bad(row) else row for row in rows_of(study)])


def record_without_a_run(study: Path) -> None:
    """A record that no run can contradict."""
    rows = rows_of(study)
    rewrite(study, [*rows, *(row | {"run": None} for row in rows if is_bad(row))])


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


def test_an_honest_study_passes(study: Path, accept: Accept) -> None:
    printed = accept(study, code=0)
    ledger = read_ledger(study.parent / LEDGER)
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
def test_what_was_done_to_the_rounds_is_not_a_pass(name: str, study: Path, accept: Accept) -> None:
    cheat, named = CHEATS[name]
    cheat(study)
    for more in ((), ("--unverified",)):
        printed = accept(study, *more)
        assert f"{CONTRACT}: NOT PROVEN" in printed
        assert named in printed


@pytest.mark.slow
@pytest.mark.parametrize("gone", [MANIFEST, LEDGER, "plan.json"])
def test_what_cannot_be_verified_is_refused_or_marked(
    gone: str, study: Path, accept: Accept, run_weir: RunWeir
) -> None:
    file = study.parent / gone if gone == LEDGER else study / gone
    if gone != MANIFEST:  # or the checksums name it
        (study / MANIFEST).unlink()
    file.unlink()
    error = accept(study, code=2)
    assert f"{gone} is missing" in error
    assert "--unverified" in error
    told = run_weir("accept", CONTRACT, study, "--unverified", "--json").out
    assert json.loads(told)["verified"] is False
    assert "PASS UNVERIFIED" in accept(study, "--unverified", code=0)


def test_the_first_page_tells_what_remains_possible(
    study: Path, tmp_path: Path, accept: Accept, unprinted: None
) -> None:
    out = tmp_path / "out"
    accept(study, "--report", out, code=0)
    page, tex = (out / "acceptance.html").read_text(), (out / "acceptance.tex").read_text()
    first = page.partition("<table>")[0]
    assert all(text.partition(":")[0] in first for text in REMAINS_POSSIBLE)
    assert "What remains possible" in first
    assert r"\newcommand{\ContractMark}{}" in tex
    (study / MANIFEST).unlink()
    accept(study, "--report", out, "--unverified", code=0)
    assert "<p class=mark>UNVERIFIED: SHA256SUMS is missing" in (out / "acceptance.html").read_text()


@pytest.mark.row("sign again")
@pytest.mark.slow
def test_who_signs_again_is_not_an_allowed_signer(
    study: Path, tmp_path: Path, accept: Accept, run_weir: RunWeir
) -> None:
    if not shutil.which("ssh-keygen"):
        pytest.skip("ssh-keygen is missing")
    keys = [tmp_path / name for name in ("agreed", "other")]
    for key in keys:
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    public = keys[0].with_suffix(".pub").read_text().split()
    allowed = tmp_path / "allowed"
    allowed.write_text(f"vendor@example.org {public[0]} {public[1]}\n")
    signers = ("--allowed-signers", allowed)
    run_weir("verify", study, "--sign", keys[0])
    assert "Signed by vendor@example.org" in accept(study, *signers, code=0)
    rows = rows_of(study)
    collect(study.parent, study.name, [row | {"target": "scratch2"} for row in rows], PLANNED)
    accept(study, *signers, code=3)
    run_weir("verify", study, "--sign", keys[1])
    assert "ssh-keygen" in accept(study, *signers, code=3)


@pytest.mark.slow
def test_every_page_of_a_pdf_is_marked_also_where_nothing_is_listed(
    study: Path, tmp_path: Path, accept: Accept
) -> None:
    need_latex()
    text = (CONTRACTS / f"{CONTRACT}.yaml").read_text()
    before, _, rest = text.partition("not_encoded:")
    after = rest[rest.index("\n") + 1 :].splitlines(keepends=True)
    kept = next(at for at, line in enumerate(after) if line.strip() and not line.startswith((" ", "-", "\t")))
    contract = tmp_path / f"{CONTRACT}.yaml"
    contract.write_text(before + "".join(after[kept:]))
    (study / MANIFEST).unlink()
    accept(study, "--report", tmp_path / "out", "--unverified", contract=contract, code=0)
    pages = text_of(tmp_path / "out/acceptance.pdf").split("\f")[:-1]
    assert len(pages) > 1
    assert all("UNVERIFIED: SHA256SUMS is missing" in page for page in pages)
    assert "What remains possible" in pages[0]
