"""The runs of these studies are made: what they were judged stands for what their outputs give."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.conftest import RunWeir
from tests.unit.decide.accept.compliant import CONTRACT, verified_study
from tests.unit.recorded import rows_as_judged


@pytest.fixture(autouse=True)
def outputs_that_give_what_was_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weir.collect.rounds.rows_of_run", rows_as_judged)


@pytest.fixture(scope="session")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("honest")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("weir.collect.rounds.rows_of_run", rows_as_judged)
        verified_study(folder)
    return folder


@pytest.fixture
def study(honest: Path, tmp_path: Path) -> Path:
    """A copy of the study that passes, which a test may change."""
    shutil.copytree(honest / "results", tmp_path / "results")
    return tmp_path / "results/lab/study"


Accept = Callable[..., str]


@pytest.fixture
def accept(run_weir: RunWeir) -> Accept:
    """Compares the exit code; the answer is all that was printed, in one line."""

    def accepted(study: Path, *more: object, contract: Path | str = CONTRACT, code: int = 1) -> str:
        printed = run_weir("accept", contract, study, *more, code=code)
        return " ".join(f"{printed.out} {printed.err}".split())

    return accepted


@pytest.fixture
def unprinted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The report is written and not printed: a test reads its text."""
    monkeypatch.setattr("weir.decide.accept.actions.print_pdf", lambda *_: None)


FirstPage = Callable[..., str]


@pytest.fixture
def first_page(accept: Accept, unprinted: None, tmp_path: Path) -> FirstPage:
    """The report up to its first table, in one line."""

    def page(study: Path, contract: Path | str = CONTRACT) -> str:
        accept(study, "--report", tmp_path / "out", contract=contract, code=0)
        return " ".join((tmp_path / "out/acceptance.html").read_text().partition("<table>")[0].split())

    return page
