"""The runs of these studies are made: what they were judged stands for what their outputs give."""

from __future__ import annotations

import pytest

from tests.unit.recorded import rows_as_judged


@pytest.fixture(autouse=True)
def outputs_that_give_what_was_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weir.records.rounds.rows_of_run", rows_as_judged)


@pytest.fixture
def unprinted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The report is written and not printed: a test reads its text."""
    monkeypatch.setattr("weir.decide.accept.actions.print_pdf", lambda *_: None)
