"""weir import --page: what logs can prove, without R, TeX and a compiler."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.unit.conftest import RunWeir
from weir import cli
from weir.base.units import three_digits

GOLDEN = Path(__file__).resolve().parents[2] / "golden"


def page_of(folder: Path) -> dict[str, Any]:
    text = (folder / "logs.html").read_text()
    found: dict[str, Any] = json.loads(text.split('id="facts">', 1)[1].split("</script>", 1)[0])
    return found


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


def test_each_log_has_what_it_shows_and_what_it_cannot(
    tmp_path: Path, no_programs: None, run_weir: RunWeir
) -> None:
    logs = [GOLDEN / "ior" / "written-2.10-iterations.txt", GOLDEN / "mdtest" / "mdtest-branching.txt"]
    failed = GOLDEN / "ior" / "fail-ior-timeout-killed.txt"
    out = tmp_path / "records.csv"
    assert f"page: {tmp_path / 'logs.html'}" in run_weir("import", *logs, failed, "--out", out, "--page").out
    facts = page_of(tmp_path)
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


def test_the_best_of_all_logs_is_that_of_a_log(tmp_path: Path) -> None:
    """Medians in both places: two iterations of 1,000 and 1,024 MiB/s are neither of them."""
    out = tmp_path / "records.csv"
    logs = ["written-2.10-iterations.txt", "ior-posix-shared.txt"]
    assert (
        cli.main(["import", *(str(GOLDEN / "ior" / log) for log in logs), "--out", str(out), "--page"]) == 0
    )
    facts = page_of(tmp_path)
    of_logs = [text for one in facts["logs"]["rows"] for text in one["best"].split("; ")]
    assert sorted(of_logs) == [
        "read 2,020 MiB/s (median of 2 results)",
        "write 1,010 MiB/s (median of 2 results), not synchronised, and so not compared with those that are",
        "write 735 MiB/s (median of 3 results)",
    ]
    for one in facts["answers"]:
        best = f"{one['access']} {three_digits(one['best']['value'])} MiB/s"
        assert any(text.startswith(best) for text in of_logs)


def test_every_record_is_on_the_page_with_its_log(tmp_path: Path) -> None:
    """Operations on files and what could not be read, too; and a file that is refused is named."""
    logs, out = tmp_path / "logs", tmp_path / "records.csv"
    logs.mkdir()
    for tool, name in (("ior", "ior-posix-shared.txt"), ("mdtest", "mdtest-branching.txt")):
        shutil.copy(GOLDEN / tool / name, logs)
    (logs / "bad.csv").write_text("api,access,bw_mib_s\nPOSIX,write,abc\n")
    assert cli.main(["import", str(logs), "--out", str(out), "--page"]) == 1  # bad.csv was refused
    facts = page_of(tmp_path)
    shown = {(one["log"], one["access"]) for one in facts["points"]}
    assert ("ior-posix-shared.txt", "write") in shown
    assert {("mdtest-branching.txt", "create file"), ("mdtest-branching.txt", "stat file")} <= shown
    of_files = next(one for one in facts["points"] if one["access"] == "create file")
    assert (of_files["median"], of_files["bandwidth"], of_files["verdict"]) == (None, False, "DEGRADED")
    assert of_files["iops"] > 0
    assert of_files["n"] > 0
    assert any("bad.csv:2" in text for text in facts["logs"]["unread"])
    assert {one["access"] for one in facts["answers"]} == {"write"}  # the read is DEGRADED


def test_a_best_that_is_not_that_of_all_logs_has_the_reason(tmp_path: Path) -> None:
    """Writes that nobody synchronised do not compete with those that somebody did."""
    logs, out = tmp_path / "logs", tmp_path / "records.csv"
    logs.mkdir()
    text = (GOLDEN / "ior" / "ior-posix-shared.txt").read_text()
    (logs / "synced.txt").write_text(text)
    (logs / "plain.txt").write_text(another_run(text, 0.5).replace(" -e ", " "))
    assert cli.main(["import", str(logs), "--out", str(out), "--page"]) == 0
    best = {one["log"]: one["best"] for one in page_of(tmp_path)["logs"]["rows"]}
    assert "not synchronised, and so not compared" in best["plain.txt"].partition("; read")[0]
    assert "not compared" not in best["synced.txt"]


def test_a_page_of_other_logs_does_not_stay(tmp_path: Path) -> None:
    log, out = str(GOLDEN / "ior" / "ior-posix-shared.txt"), tmp_path / "records.csv"
    assert cli.main(["import", log, "--out", str(out), "--page"]) == 0
    assert cli.main(["import", log, "--out", str(out)]) == 0
    assert not (tmp_path / "logs.html").exists()


def test_a_page_that_no_import_wrote_is_kept(tmp_path: Path, run_weir: RunWeir) -> None:
    (tmp_path / "logs.html").write_text("mine")
    command = ["import", str(GOLDEN / "ior" / "ior-posix-shared.txt"), "--out", str(tmp_path / "records.csv")]
    assert "exists, and no import wrote it" in run_weir(*command, "--page", code=2).err
    assert (tmp_path / "logs.html").read_text() == "mine"
