"""weir appendix: everything in it comes from the files of the study."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.conftest import RunWeir
from weir.base.errors import WeirError
from weir.report.bundle.appendix import appendix, claim_lines
from weir.report.bundle.reproduce import checked

FACTS: dict[str, Any] = {
    "weir_version": "9.8.7",
    "site": {"site": "lab"},
    "machines": [
        {"node": "n_1", "processor": "P", "cores": 2, "memory_bytes": 2**31, "system": "S", "kernel": "K"}
    ],
    "targets": [
        {
            "target": "disk", "description": "50 % full", "file_system": "ext4", "device": "/dev/vda",
            "mount_options": "rw,relatime", "emulated": False,
        }
    ],
    "stacks": [{"stack": "debian", "description": "D", "programs": ["weir-io 9"]}],
    "seeds": [17], "cells": 5, "finished_executions": 30, "records": 60,
    "verdicts": {"VALID": 59, "INVALID": 1}, "began": "2020-01-01", "ended": "2020-01-02",
    "digest": "ab" * 32,
}  # fmt: skip
PLAN: dict[str, Any] = {
    "site": {"name": "lab", "targets": {"disk": {}, "memory": {}}, "stacks": {"debian": {}}},
    "suites": [{"suite": "first"}, {"suite": "second"}],
    "scale": "full",
    "scale_requested": True,
    "cost": {"written_bytes": 3 * 2**30, "low_s": 5.0, "estimated_s": 60.0, "high_s": 120.0},
}
BEST = {"value": 2129.4, "lo": 1764.1, "hi": 2402.7, "unit": "MiB/s", "setting": "POSIX"}
CLAIMS = """\
says,evidence,verdict,bound,effect,lo,hi,unit
Files scale & so on.,these records,reproduced,0.85 or more,0.94,0.9,1.1,exponent
Of the paper.,published values,reproduced,1,1,1,1,ratio
Out of scope.,these records,out of scope here,,,,,
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    (tmp_path / "facts.json").write_text(json.dumps(FACTS))
    page = {"answers": [{"target": "disk", "access": "write", "best": BEST}]}
    (tmp_path / "page.json").write_text(json.dumps(page))
    (tmp_path / "plan.json").write_text(json.dumps(PLAN))
    return tmp_path


def test_best_rates_stand_where_no_claim_is_decided(study: Path) -> None:
    text = appendix(study)
    assert "Best write rate of disk: POSIX" in text
    assert "2,130~MiB/s {[}1,760--2,400{]}" in text
    command = " \\\n  ".join(
        ("snakemake --cores all", "--config site=lab suites=first,second", "targets=disk", "scale=full")
    )
    assert command in text
    mount = "50~\\% full; ext4 on /dev/vda, mounted with rw,relatime"
    for fact in ("n\\_1", mount, "abab", "weir 9.8.7", "59 VALID, 1 INVALID", "17", "3~GiB"):
        assert fact in text
    assert "1~min (5.0~s to 2~min)" in text
    assert "report.pdf" in text  # no figure was drawn


def test_claims_that_these_records_decide_are_listed_with_their_bound(study: Path) -> None:
    (study / "claims.csv").write_text(CLAIMS)
    (study / "spack.lock").write_text("{}")
    (study / "tables").mkdir()
    (study / "tables" / "claims.html").touch()
    text = appendix(study)
    assert "Files scale \\& so on. & " in text
    assert (
        "0.85 or more; measured 0.94 exponent {[}0.9--1.1{]}: reproduced & tables/\\allowbreak{}claims.html"
        in text
    )
    assert "Of the paper" not in text
    assert "Out of scope" not in text
    assert "spack.lock, SHA{-}256 44136fa355b3678a" in text


def test_numbers_have_three_digits_a_sign_and_no_exponent(study: Path) -> None:
    claims = CLAIMS.replace("0.94,0.9,1.1,exponent", "-0.000012345,-1234.5,inf,per second")
    (study / "claims.csv").write_text(claims)
    assert "measured {-}0.0000123 per second {[}{-}1,230--inf{]}" in appendix(study)


def test_a_study_of_archived_records_is_drawn_again_by_their_name(tmp_path: Path) -> None:
    """Nothing of their measurement is in a plan; what its facts file has is what is known."""
    study = tmp_path / "ddn-lustre-2018"
    study.mkdir()
    facts = {key: FACTS[key] for key in ("records", "verdicts", "digest")}
    (study / "facts.json").write_text(json.dumps(facts | {"about": {"file_system": "Lustre 2.10.5"}}))
    (study / "page.json").write_text("{}")
    text = appendix(study)
    assert "--config records=reference/ddn-lustre-2018.csv" in text
    assert "\\paragraph{File system.} Lustre 2.10.5" in text
    assert "\\paragraph{Executions.} not recorded" in text


def test_a_study_that_was_not_drawn_is_told_so(study: Path) -> None:
    (study / "page.json").unlink()
    with pytest.raises(WeirError, match=r"page\.json: is missing\n.*draw the study first"):
        appendix(study)


def test_the_command_writes_into_the_study(study: Path, run_weir: RunWeir) -> None:
    assert "reports/print.sh reports/appendix/main.tex" in run_weir("appendix", study).out
    assert (study / "appendix.tex").read_text() == appendix(study)
    with (study / "appendix.csv").open() as stream:
        (line,) = csv.DictReader(stream)
    assert list(line) == ["claim", "file", "command", "minutes", "expected"]
    assert line["claim"] == "Best write rate of disk: POSIX"
    assert line["minutes"] == "1"
    assert line["expected"] == "2,130 MiB/s [1,760–2,400]"


def test_each_line_is_compared_with_what_the_study_gives_again(study: Path) -> None:
    expected = claim_lines(study)
    assert [line.is_reproduced for line in checked(expected, claim_lines(study))] == [True]
    page = json.loads((study / "page.json").read_text())
    page["answers"][0]["best"]["value"] = 1000.0
    (study / "page.json").write_text(json.dumps(page))
    (line,) = checked(expected, claim_lines(study))
    assert not line.is_reproduced
    assert line.found.startswith("1,000 MiB/s")
    assert [one.found for one in checked(expected, [])] == ["none"]
    assert [one.expected for one in checked([], expected)] == ["none"]
