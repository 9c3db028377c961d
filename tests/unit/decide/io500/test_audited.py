"""Score, import and contract give one answer about the logs of a result."""

import json
from pathlib import Path

import pytest

from tests.conftest import ROOT, beside
from tests.unit.conftest import RunWeir
from tests.unit.decide.io500.results import OVERLAPPING_LOG, SOUND_LOG, ini, new_summary, write
from weir.decide.accept.contract import read_contract
from weir.decide.accept.evidence import read_measured
from weir.decide.accept.judge import NOT_PROVEN, PASS, judge, overall
from weir.decide.io500.result_sets import LogAudit, audit_text

VALID = "score 6.00; valid by its rules: every write phase lasted 300 s or longer"


def delivered(folder: Path, easy: str, hard: str) -> Path:
    """A valid result without a random read, and with two logs."""
    summary = "\n".join(line for line in new_summary().split("\n") if "rnd4K" not in line)
    write(folder, result_summary=summary, result=ini())
    (folder / "ior-easy-write.txt").write_text(easy)
    (folder / "ior-hard-write.txt").write_text(hard.replace("0.023810   300.00", "0.027311   300.01"))
    return folder


def first_line(folder: Path, run_weir: RunWeir) -> str:
    return run_weir("io500", folder).out.partition("\n")[0]


@pytest.mark.parametrize(
    ("easy", "hard", "found"),
    [
        (SOUND_LOG, SOUND_LOG, "the audit calls none of its logs (2) INVALID or DEGRADED"),
        (OVERLAPPING_LOG, SOUND_LOG, "the audit calls 1 of its 2 logs INVALID (phases-overlap)"),
        (
            OVERLAPPING_LOG.replace("90.361390", "9.361390"),
            OVERLAPPING_LOG,
            "the audit calls 1 of its 2 logs INVALID (phases-overlap), 1 DEGRADED (phases-overlap)",
        ),
    ],
)
def test_the_first_line_has_the_audit_of_the_logs(
    easy: str, hard: str, found: str, tmp_path: Path, run_weir: RunWeir
) -> None:
    assert first_line(delivered(tmp_path, easy, hard), run_weir) == f"{VALID}; {found}"


def test_a_summary_alone_and_a_doubted_random_read_are_told(tmp_path: Path, run_weir: RunWeir) -> None:
    line = first_line(write(tmp_path, result_summary=new_summary()), run_weir)
    assert line == f"{VALID}; it has no logs to audit; its random read of 4 KiB is DOUBTED"
    assert audit_text(LogAudit()) == "it has no logs to audit"


def test_the_finding_has_its_logs_and_its_evidence(tmp_path: Path, run_weir: RunWeir) -> None:
    folder = delivered(tmp_path, OVERLAPPING_LOG, SOUND_LOG)
    text = run_weir("io500", folder).out
    assert "  INVALID phases-overlap: ior-easy-write.txt\n    ior-easy-write.txt: the phases are " in text
    audit = json.loads(run_weir("io500", folder, "--json").out)["audit"]
    assert audit["logs"] == 2
    (one,) = audit["findings"]
    assert (one["verdict"], one["reasons"]) == ("INVALID", "phases-overlap")
    assert one["logs"] == ["ior-easy-write.txt"]


def test_a_contract_does_not_count_a_phase_whose_log_is_invalid(tmp_path: Path) -> None:
    contract = read_contract(ROOT / "config/contracts/io500.yaml")
    sound, overlapping = tmp_path / "sound", tmp_path / "overlapping"
    for folder in (sound, overlapping):
        folder.mkdir()
    assert overall(judge(contract, read_measured(delivered(sound, SOUND_LOG, SOUND_LOG)))) == PASS
    measured = read_measured(delivered(overlapping, OVERLAPPING_LOG, SOUND_LOG))
    bad = [one for one in judge(contract, measured) if one.verdict != PASS]
    assert [(one.line.name, one.verdict) for one in bad] == [("ior-easy-write", NOT_PROVEN)]
    assert bad[0].why == "1 of 1 records are INVALID: phases-overlap"
    assert "ior-easy-write.txt" in measured.digests


def test_a_published_result_has_one_answer(tmp_path: Path, run_weir: RunWeir) -> None:
    folder = beside("reference/io500-raw") / "set-03"
    assert "the audit calls 4 of its 11 logs INVALID (phases-overlap)" in first_line(folder, run_weir)
    printed = run_weir("accept", "io500", folder, "--unverified", code=1).out
    assert "8 pass, 0 fail, 4 not proven" in printed.partition("\n")[0]
    printed = run_weir("import", folder, "--out", tmp_path / "records.csv").out
    assert "set-03: the audit calls 4 logs INVALID: phases-overlap" in printed
