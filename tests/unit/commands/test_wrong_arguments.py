"""Messages about wrong arguments: the value, and the next step."""

import os
import re
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.unit.conftest import RunWeir
from weir.base.errors import WeirError
from weir.cli import main

LOG = ROOT / "tests" / "golden" / "ior" / "ior-posix-shared.txt"


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log that was imported; no test changes it."""
    folder = tmp_path_factory.mktemp("imported") / "study"
    assert main(["import", str(LOG), "--out", str(folder / "records.csv")]) == 0
    return folder


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        ("compare A B --across apii", "--across apii: is not a column.*\n.*did you mean 'api'"),
        ("compare STUDY STUDY --fail-on slow:5%", "--fail-on slow:5%: is not something"),
        ("io500 --records STUDY/records.csv --cell abc", "--cell abc: has no such cell"),
        ("io500 --records STUDY --cell abc", "records.csv: --cell abc: has no such cell"),
        ("io500 STUDY/records.csv", "is not a directory\n.*name the directory that holds it"),
        ("predict madbench --records STUDY", "records.csv: no record fits a phase of madbench"),
        ("predict madbench --records STUDY/none", "none: there is no such table of records"),
        ("show STUDY/records.csv", "is not the page of a study\n.*name the folder of a study"),
        ("show STUDY", "page.json: is missing: the study was not drawn\n.*imported logs: .*weir audit /"),
        ("show STUDY/..", "page.json: is missing: the study was not drawn\n.*make report"),
        ("reproduce STUDY/none --out STUDY/again", "none: cannot be read: No such file"),
        ("history show STUDY/records.csv", "that name a series\n.*--key .*it has .* and [0-9]+ more"),
    ],
)
def test_the_message_has_the_value_and_the_next_step(
    arguments: str, printed: str, study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([one.replace("STUDY", str(study)) for one in arguments.split()]) in (1, 2)
    assert re.search(printed, capsys.readouterr().err)


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        ("nodes --site local --nodes -1", "--nodes -1: is out of range"),
        ("nodes --site local --nodes 0", "--nodes 0: is out of range"),
        ("nodes --site local --factor nan", "--factor nan: is out of range"),
        ("tune --suite tune-transfers --budget 0", "--budget 0: is out of range"),
        ("tune --suite tune-transfers --budget -5", "--budget -5: is out of range"),
        ("history check history --recent 0", "--recent 0: is out of range"),
        ("history check history --recent -1", "--recent -1: is out of range"),
        ("bundle results/local/quick --without=", "--without: is empty"),
    ],
)
def test_a_value_that_nothing_can_be_done_with_is_wrong_use(
    arguments: str, key: str, run_weir: RunWeir
) -> None:
    assert run_weir(*arguments.split(), code=2).err.startswith(f"weir: {key}")


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        ("audit STUDY/record.csv", "did you mean 'records.csv'?"),
        ("compare STUDY/record.csv STUDY", "did you mean 'records.csv'?"),
        ("audit STUDY1", "did you mean 'study'?"),
        ("import STUDY/recrds.csv", "did you mean 'records.csv'?"),
        ("import STUDY/records.csv --facts STUDY/fact.json", "did you mean 'facts.json'?"),
        ("import STUDY/unlike-all", "check the path"),
        ("import STUDY/none/records.csv", "check the path"),
        ("audit STUDY/unlike-all", "name a records.csv, or the folder of a study"),
    ],
)
def test_a_misspelt_file_has_the_name_of_its_neighbour(
    arguments: str, hint: str, study: Path, run_weir: RunWeir
) -> None:
    assert hint in run_weir(*(one.replace("STUDY", str(study)) for one in arguments.split()), code=2).err


def test_the_audit_takes_the_folder_of_a_study(study: Path, run_weir: RunWeir) -> None:
    of_folder = run_weir("audit", study).out
    assert run_weir("audit", study / "records.csv").out == of_folder


def test_a_value_is_printed_once() -> None:
    facts: dict[str, Any] = {"key": "--batch", "value": "mine"}
    assert str(WeirError("the plan has no batch 'mine'", **facts)) == "--batch: the plan has no batch 'mine'"
    assert str(WeirError("is unknown", **facts)) == "--batch mine: is unknown"


def test_what_the_audit_explains_fits_a_terminal(study: Path, run_weir: RunWeir) -> None:
    printed = run_weir("audit", study / "records.csv").out
    assert "the number is a peak, not a rate that lasts" in " ".join(printed.split())
    paragraphs = [line for line in printed.splitlines() if line[:2] == "  " and line[:4] != "  - "]
    assert max(map(len, paragraphs)) <= 100


def test_an_interrupted_run_names_the_next_step(monkeypatch: pytest.MonkeyPatch, run_weir: RunWeir) -> None:
    def interrupted(args: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("weir.commands.run._measure", interrupted)
    error = run_weir("run", "--plan", "plan.json", "--results", "results", code=130).err
    assert error == "weir: interrupted\n    run again: finished runs are kept\n"


READERS = {
    "audit": "FILE",
    "bundle": "FILE",
    "clean": "--plan FILE --results r",
    "collect": "--plan FILE --out o",
    "compare": "FILE FILE",
    "import": "LOG --facts FILE",
    "io500": "--submissions FILE",
    "plan": "--out FILE",
    "reproduce": "FILE --out o",
    "run": "--plan FILE --results r",
    "show": "FILE",
    "trace": "FILE",
    "verify": "FILE",
}


@pytest.mark.slow
@pytest.mark.parametrize("command", READERS)
def test_a_pipe_and_a_device_are_refused_at_once(
    command: str, tmp_path: Path, run_weir: RunWeir, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it would be read without end; and what root writes to /dev/null would replace it."""
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    for file in ("pipe", "/dev/zero"):
        arguments = [one.replace("FILE", file).replace("LOG", str(LOG)) for one in READERS[command].split()]
        error = run_weir(command, *arguments, code=2).err
        assert re.search("is a (pipe|device), not a file|is no such|there is no", error)
    assert [entry.name for entry in tmp_path.iterdir()] == ["pipe"]
