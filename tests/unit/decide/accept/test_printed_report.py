"""The report of weir accept, which both parties sign: HTML, JSON, JUnit and PDF."""

import json
import shutil
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tests.unit.conftest import RunWeir
from tests.unit.decide.accept.compliant import CONTRACT, CONTRACTS, cells_of, contract_of, write_study
from tests.unit.decide.accept.conftest import Accept
from tests.unit.printed import need_latex, text_of
from weir.base.errors import WeirError
from weir.data import data_folder
from weir.decide.accept.judge import FAIL
from weir.decide.accept.report import print_pdf
from weir.report.text import latex_prose


@pytest.mark.slow
def test_the_report_holds_what_is_signed(tmp_path: Path, run_weir: RunWeir, unprinted: None) -> None:
    study = write_study(tmp_path, cells_of(contract_of(CONTRACT), {"hdf5-read": 1000.0}))
    junit, out = tmp_path / "accept.xml", tmp_path / "out"
    options = ("--json", "--junit", junit, "--report", out, "--unverified")
    facts = json.loads(run_weir("accept", CONTRACT, study, *options, code=1).out)
    assert [one["line"] for one in facts["lines"] if one["verdict"] == FAIL] == ["hdf5-read"]
    assert ElementTree.parse(junit).getroot().get("failures") == "1"
    page = (out / "acceptance.html").read_text()
    for part in ("ior -M", "IOR 3.3.0", "Parabench", "Vendor", "a processor", "VALID", "no checksums"):
        assert part in page
    assert r"\newcommand{\ContractLines}" in (out / "acceptance.tex").read_text()


def test_the_report_is_printed_by_the_files_that_a_wheel_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, accept: Accept
) -> None:
    printed_by = []
    monkeypatch.setattr(
        "weir.decide.accept.actions.print_pdf", lambda folder, reports: printed_by.append(reports)
    )
    study = write_study(tmp_path, cells_of(contract_of("jupiter-ior"), {}))
    monkeypatch.chdir(tmp_path)
    printed = accept(study, "--report", "out", "--unverified", contract=CONTRACTS / "jupiter-ior.yaml")
    assert printed_by == [data_folder("reports")]
    assert (data_folder("reports") / "acceptance/main.tex").is_file()
    assert "no PDF: latexmk is not installed" in printed


def test_a_log_of_latex_that_is_not_utf_8_is_an_error_with_its_last_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    (tmp_path / "print.sh").write_text(r"printf '\275\nline 7: undefined\n'; exit 1")
    with pytest.raises(WeirError, match="could not be printed") as caught:
        print_pdf(tmp_path, tmp_path)
    assert caught.value.problems[0].value == "line 7: undefined"


def test_a_digest_in_prose_may_be_split_at_the_end_of_a_line() -> None:
    """The head of the ledger ran out of the page that the parties sign."""
    digest = "0123456789abcdef" * 4
    parts = "0123456789abcdef\\allowbreak{}" * 3 + "0123456789abcdef"
    assert latex_prose(f"head {digest}, 100 %") == f"head {parts}, 100~\\%"


@pytest.mark.slow
def test_the_report_is_printed_as_pdf(tmp_path: Path, accept: Accept) -> None:
    need_latex()
    study = write_study(tmp_path, cells_of(contract_of("jupiter-ior"), {}))
    # The promises are open.
    printed = accept(study, "--report", tmp_path / "out", "--unverified", contract="jupiter-ior")
    assert "acceptance.pdf" in printed
    text = text_of(tmp_path / "out" / "acceptance.pdf")
    for part in ("easy-best-sum", "no value is promised yet", "ior -M 80%", "Signature", "SHA-256"):
        assert part in text
