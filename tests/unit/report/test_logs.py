"""weir import --page: what logs can prove, without R, TeX and a compiler."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.unit.conftest import RunWeir
from weir.base.units import three_digits

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
LOG = GOLDEN / "ior/ior-posix-shared.txt"


PageOf = Callable[..., dict[str, Any]]


@pytest.fixture
def page_of(tmp_path: Path, run_weir: RunWeir) -> PageOf:
    """The facts on the page of imported logs."""

    def page(*logs: Path, code: int = 0) -> dict[str, Any]:
        printed = run_weir("import", *logs, "--out", tmp_path / "records.csv", "--page", code=code).out
        assert f"page: {tmp_path / 'logs.html'}" in printed
        text = (tmp_path / "logs.html").read_text()
        found: dict[str, Any] = json.loads(text.split('id="facts">', 1)[1].split("</script>", 1)[0])
        return found

    return page


def another_run(text: str, times: float) -> str:
    """The table of IOR, of a run that took so many times as long."""

    def line(match: re.Match[str]) -> str:
        fields = match[0].split()
        if len(fields) != 11:  # of the summary
            return match[0]
        access, rate, iops, latency, block, xfer, *parts_s, iteration = fields
        rates = (f"{float(one) / times:.2f}" for one in (rate, iops))
        lasted = (f"{float(one) * times:.6f}" for one in parts_s)
        return "  ".join([access, *rates, f"{float(latency) * times:.6f}", block, xfer, *lasted, iteration])

    return re.sub(r"(?m)^(write|read) .*$", line, text)


@pytest.fixture
def no_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")


def test_each_log_has_what_it_shows_and_what_it_cannot(no_programs: None, page_of: PageOf) -> None:
    logs = [GOLDEN / "ior" / "written-2.10-iterations.txt", GOLDEN / "mdtest" / "mdtest-branching.txt"]
    failed = GOLDEN / "ior" / "fail-ior-timeout-killed.txt"
    facts = page_of(*logs, failed)
    by_name = {Path(one["log"]).name: one for one in facts["logs"]["rows"]}
    assert next(reversed(by_name)) == failed.name, "what is usable comes first"
    ior, mdtest = by_name["written-2.10-iterations.txt"], by_name["mdtest-branching.txt"]
    assert "fetched" in ior["missing"]
    assert ior["shown"]
    assert not set(ior["shown"]) & set(ior["missing"])
    assert "MiB/s" in ior["best"]
    assert "op/s" in mdtest["best"]
    assert by_name[failed.name]["INVALID"] > 0
    assert any(one["records"] for one in facts["logs"]["doubts"])
    fetched = next(one for one in facts["logs"]["lacking"] if one["evidence"] == "fetched")
    assert "weir-io" in fetched["log"]
    assert any("weir-io ior" in line or "srun" in line for line in facts["logs"]["commands"])
    best = {one["access"]: one["best"] for one in facts["answers"]}
    assert best["read"]["n"] == 1


def test_the_best_of_all_logs_is_that_of_a_log(page_of: PageOf) -> None:
    """Medians in both places: two iterations of 1,000 and 1,024 MiB/s are neither of them."""
    facts = page_of(GOLDEN / "ior/written-2.10-iterations.txt", LOG)
    of_logs = [text for one in facts["logs"]["rows"] for text in one["best"].split("; ")]
    assert sorted(of_logs) == [
        "read 2,020 MiB/s (median of 2 results)",
        "write 1,010 MiB/s (median of 2 results), not synchronised, and so not compared with those that are",
        "write 735 MiB/s (median of 3 results)",
    ]
    for one in facts["answers"]:
        best = f"{one['access']} {three_digits(one['best']['value'])} MiB/s"
        assert any(text.startswith(best) for text in of_logs)


def test_every_record_is_on_the_page_with_its_log(tmp_path: Path, page_of: PageOf) -> None:
    """Operations on files and what could not be read, too; and a file that is refused is named."""
    logs = tmp_path / "logs"
    logs.mkdir()
    for log in (LOG, GOLDEN / "mdtest/mdtest-branching.txt"):
        shutil.copy(log, logs)
    (logs / "bad.csv").write_text("api,access,bw_mib_s\nPOSIX,write,abc\n")
    facts = page_of(logs, code=1)  # bad.csv was refused
    shown = {(one["log"], one["access"]) for one in facts["points"]}
    assert ("ior-posix-shared.txt", "write") in shown
    assert {("mdtest-branching.txt", "create file"), ("mdtest-branching.txt", "stat file")} <= shown
    of_files = next(one for one in facts["points"] if one["access"] == "create file")
    assert (of_files["median"], of_files["bandwidth"], of_files["verdict"]) == (None, False, "DEGRADED")
    assert of_files["iops"] > 0
    assert of_files["n"] > 0
    assert any("bad.csv:2" in text for text in facts["logs"]["unread"])
    assert {one["access"] for one in facts["answers"]} == {"write"}  # the read is DEGRADED


def test_a_best_that_is_not_that_of_all_logs_has_the_reason(tmp_path: Path, page_of: PageOf) -> None:
    """Writes that nobody synchronised do not compete with those that somebody did."""
    logs = tmp_path / "logs"
    logs.mkdir()
    text = LOG.read_text()
    (logs / "synced.txt").write_text(text)
    (logs / "plain.txt").write_text(another_run(text, 0.5).replace(" -e ", " "))
    best = {one["log"]: one["best"] for one in page_of(logs)["logs"]["rows"]}
    assert "not synchronised, and so not compared" in best["plain.txt"].partition("; read")[0]
    assert "not compared" not in best["synced.txt"]


def test_a_page_of_other_logs_does_not_stay(tmp_path: Path, page_of: PageOf, run_weir: RunWeir) -> None:
    page_of(LOG)
    run_weir("import", LOG, "--out", tmp_path / "records.csv")
    assert not (tmp_path / "logs.html").exists()


def test_a_page_that_no_import_wrote_is_kept(tmp_path: Path, run_weir: RunWeir) -> None:
    (tmp_path / "logs.html").write_text("mine")
    error = run_weir("import", LOG, "--out", tmp_path / "records.csv", "--page", code=2).err
    assert "exists, and no import wrote it" in error
    assert (tmp_path / "logs.html").read_text() == "mine"
