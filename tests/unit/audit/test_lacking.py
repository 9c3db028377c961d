"""For whoever has a log alone: no hint about a suite, and of each missing evidence what can be done."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.unit.audit.findings import FINDS
from tests.unit.audit.ior_log import MIB, WHOLE_MIB, log
from tests.unit.audit.subjects import subject
from tests.unit.conftest import RunWeir
from tests.unit.imported import rows_of
from weir.audit import judge
from weir.audit.evidence import EVIDENCE, needed
from weir.audit.explain import LACKING, hint_of
from weir.audit.registry import rules
from weir.collect.imported_files import Facts

LOG = ROOT / "tests/golden/ior/ior-posix-shared.txt"
OF_A_SUITE = re.compile(
    r"\w+: (true|false|cached|uncached|constant)\b|\bthe cells?\b|run\.json|site\.yaml|rounds\b"
)


def rules_about_logs() -> set[str]:
    """Those with a finding in a case of which no run is known."""
    found = set()
    for _, about, *_ in FINDS:
        judged = judge(replace(about, run=None, cell=None))
        found |= {finding.rule for finding in (*judged.findings, *judged.notes)}
    return found


def test_the_hint_for_a_log_names_nothing_of_a_suite() -> None:
    hints = {rule: hint_of(rules()[rule], of_log=True) for rule in rules_about_logs()}
    assert len(hints) > 40
    assert {rule: hint for rule, hint in hints.items() if OF_A_SUITE.search(hint)} == {}


def test_every_evidence_is_explained() -> None:
    assert LACKING.keys() >= EVIDENCE.keys()


def test_the_audit_of_a_log_says_what_is_missing_and_how_to_have_it(
    tmp_path: Path, run_weir: RunWeir
) -> None:
    out = tmp_path / "records.csv"
    assert f"weir audit {out}" in run_weir("import", LOG, "--out", out).out
    shown = " ".join(run_weir("audit", out).out.split())
    assert "without stored: 3 records The kernel, the device or the client of the servers counted" in shown
    assert "the program does not see what the kernel sends to the storage. --facts cannot add it." in shown
    assert "weir import run.json" in shown
    assert "weir prove --on DIRECTORY_OF_THE_FILES --reports $PWD/reports -- srun PROGRAM" in shown
    facts = json.loads(run_weir("audit", out, "--json").out)
    assert [(one["evidence"], one["of_logs"]) for one in facts["lacking"]] == [("stored", 3), ("sync", 3)]


@pytest.mark.parametrize(
    ("evidence", "text"),
    [("fetched", log(access="read", options="-C")), ("file", log(api="HDF5", options="-e"))],
)
def test_what_facts_are_said_to_add_they_add(evidence: str, text: str, tmp_path: Path) -> None:
    (without,) = rows_of(tmp_path, text)
    assert evidence in without["missing"].split(";")
    columns = dict.fromkeys((f"{evidence}_bytes", "moved_bytes"), WHOLE_MIB * MIB)
    (with_facts,) = rows_of(tmp_path, text, Facts(columns=columns))
    assert evidence not in with_facts["missing"].split(";")


def test_only_a_plan_tells_that_nothing_was_to_be_stored() -> None:
    """The log of `ior -a DUMMY` has a rate and no storage."""
    assert "request" in needed(subject(run=None, cell=None, api="NULL", file_bytes=0))
    assert "request" not in needed(subject(run=None, cell=None))
    assert needed(subject(api="NULL")) == ("end", "request")
