"""The finding that a line of weir prove shows first."""

from __future__ import annotations

import pytest

from weir.audit.judge import Judgement
from weir.audit.registry import rules
from weir.prove.output import most_telling
from weir.terms.model import Finding


@pytest.mark.parametrize("first", ["read-from-cache", "others-on-device", "phase-too-short"])
def test_what_the_program_did_comes_before_what_others_did_and_before_numbers(first: str) -> None:
    """A read from memory beside another job had the busy disk as its reason, which gave no byte of it."""
    names = [first, *{"others-on-device", "read-from-cache", "phase-too-short"} - {first}]
    assert set(names) <= rules().keys()
    judgement = Judgement(tuple(Finding(name, "DEGRADED", "seen") for name in names))
    assert most_telling(judgement).rule == "read-from-cache"
