"""Archived records drawn and printed by the workflow without measuring, as PDF and as a page in a browser."""

import csv
import re
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pytest

from tests.workflow.browser import open_page
from tests.workflow.conftest import ROOT, Checkout
from tests.workflow.printed_publications import (
    ARCHIVE,
    STUDY,
    TERMINAL,
    printed_archive,
    printed_by_the_workflow,
)
from tests.workflow.report_study import Printed

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def paper(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return printed_by_the_workflow(tmp_path_factory)


@pytest.fixture(scope="module")
def printed(paper: Checkout) -> Printed:
    return printed_archive(paper)


def test_the_terminal_ends_with_the_answer_and_the_files(paper: Checkout) -> None:
    answer, *files = (paper.root / TERMINAL).read_text().splitlines()
    assert answer.startswith("0 of 1,614 results proven; lustre at best: write 7,600 MiB/s (one run), read ")
    assert " figures and tables of ime-paper shown" in answer
    assert files == [f"HTML: {STUDY}/report.html", f"PDF:  {STUDY}/report.pdf"]


def archived_rows() -> list[dict[str, str]]:
    with (ROOT / ARCHIVE).open(newline="") as file:
        return list(csv.DictReader(file))


def test_the_scaling_of_2018_is_drawn_from_the_archive(printed: Printed) -> None:
    assert printed.warnings == []
    assert "??" not in printed.arguments
    assert "1,614" in printed.pages[0]
    assert "against the number of nodes" in printed.arguments
    assert (printed.folder / "figures/scaling.svg").stat().st_size > 10_000


def test_its_numbers_are_those_of_the_archive(printed: Printed) -> None:
    points = defaultdict(list)
    for row in archived_rows():
        columns = ("campaign", "api", "access", "nn", "ppn", "xfer_bytes", "layout")
        points[tuple(row[column] for column in columns)].append(float(row["bw_mib_s"]))
    best = {
        access: max(median(values) for key, values in points.items() if key[1:3] == ("POSIX", access))
        for access in ("write", "read")
    }
    assert f"{round(best['write'], -1):,.0f} MiB/s for writes" in printed.arguments
    assert f"{round(best['read'], -1):,.0f} MiB/s for reads" in printed.arguments
    unsynchronised = sum(row["api"] == "MPIIO" and row["access"] == "write" for row in archived_rows())
    assert f"{unsynchronised} writes by MPI-IO were requested to synchronise and did not" in printed.arguments


def test_it_says_what_the_data_cannot_show(printed: Printed) -> None:
    table = (printed.folder / "tables/reasons.csv").read_text()
    for rule in ("sync-not-applied", "random-draw-overlaps"):
        assert f"\n{rule}," in table
    assert "the processes did not agree on who takes which block" in printed.arguments
    assert "interface and layout cannot be told apart" in printed.arguments


def test_a_broken_record_stops_the_paper_and_is_named(paper: Checkout) -> None:
    lines = (ROOT / ARCHIVE).read_text().splitlines()[:6]
    fields = lines[3].split(",")
    fields[lines[0].split(",").index("bw_mib_s")] = "fast"
    paper.write("mine.csv", "\n".join([*lines[:3], ",".join(fields), *lines[4:], ""]))
    done = paper.snakemake("paper", "--config", "records=mine.csv", code=1)
    assert "mine.csv:4: bw_mib_s: is 'fast', not of type number" in done.stderr
    assert "write a number, or nothing where it is not known" in done.stderr
    assert not (paper.root / "results/archive/mine/records.csv").exists()


def test_an_edit_of_a_text_prints_again_and_draws_nothing(paper: Checkout) -> None:
    main = paper.root / "reports/ddn-lustre-2018/main.tex"
    main.write_text(main.read_text() + "% edited\n")
    done = paper.snakemake("paper", "--dry-run", "--config", f"records={ARCHIVE}")
    assert set(re.findall(r"^(?:local)?rule (\w+):", done.stdout, re.MULTILINE)) <= {"print", "paper"}


@pytest.fixture(scope="module")
def page(paper: Checkout) -> Path:
    """The HTML report of the archive."""
    target = f"{STUDY}/workflow.html"
    paper.snakemake("--report", target, "paper", "--config", f"records={ARCHIVE}", code=0)
    return paper.root / target


@pytest.fixture
def browse(page: Path, tmp_path: Path) -> Callable[[str], str]:
    """What React built of the page after a reader's steps in JavaScript, without the scripts that do it."""

    def opened(steps: str) -> str:
        done = open_page(page, tmp_path, "--virtual-time-budget=8000", "--dump-dom", steps=steps)
        return re.sub(r"<script.*?</script>", "", done.stdout.split('id="app"', 1)[1], flags=re.DOTALL)

    return opened


def test_the_html_report_lists_figures_tables_and_the_report(browse: Callable[[str], str]) -> None:
    shown = browse("")
    for category in ("Figures", "Tables", "Report"):
        assert f">{category}<" in shown
    assert "Each number has a verdict" in shown


def test_a_figure_of_the_html_report_has_its_caption(browse: Callable[[str], str]) -> None:
    shown = browse(
        f"const path = '{STUDY}/figures/scaling.svg';"
        "app.setView({content: 'img', contentPath: results[path].data_uri, resultPath: path,"
        " navbarMode: 'resultinfo'})"
    )
    assert "against the number of nodes" in shown
    assert 'src="data:image/svg' in shown


def test_a_table_of_the_html_report_is_a_page(browse: Callable[[str], str], paper: Checkout) -> None:
    shown = browse(
        f"const path = '{STUDY}/tables/reasons.html';"
        "app.setView({content: 'html', contentPath: results[path].data_uri, resultPath: path,"
        " navbarMode: 'resultinfo'})"
    )
    assert "Why records are degraded or invalid" in shown
    assert "data:text/html" in shown
    table = (paper.root / STUDY / "tables/reasons.html").read_text()
    assert "<td>sync-not-applied<" in table
    assert "<td>330<" in table


def test_the_html_report_fetches_nothing(page: Path) -> None:
    text = page.read_text()
    assert re.findall(r"<(?:script|link|img)[^>]*(?:src|href)=[\"']https?:", text) == []
