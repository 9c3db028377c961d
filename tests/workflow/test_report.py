"""The report of any records: it prints, contains the numbers of the records, and looks whole."""

import re
import shutil
from pathlib import Path
from statistics import median

import pytest

from tests.programs import ran, replace_in
from tests.workflow.pdf_boxes import pages_of
from tests.workflow.report_study import (
    ROOT,
    Printed,
    facts_of,
    invalid,
    print_study,
    printed,
    record,
    repeated,
    run,
)

ODD = 't_1 50% & #2 ~x^y {z} \\n $5 "q" <a|b> é 目'
LONG = "averyveryverylongname" * 5

pytestmark = pytest.mark.slow


def looks_whole(report: Printed) -> None:
    """Nothing in the margin, no reference into the void, no page without text."""
    assert report.warnings == []
    assert "??" not in report.arguments
    for number, page in enumerate(report.pages, 1):
        assert len(page.split()) > 12, f"page {number} is empty: {page!r}"


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Printed:
    """Two interfaces, two sizes, a degraded cell, an invalid run, an exclusion."""
    rows = [
        row
        for api in ("POSIX", "MPIIO")
        for size in (16384, 1048576)
        for row in repeated(4, api=api, xfer_bytes=size, cell=f"{api}-{size}")
    ]
    degraded = {"verdict": "DEGRADED", "reasons": "sync-not-applied", "evidence": "no fsync"}
    rows = [row | (degraded if row["api"] == "MPIIO" and row["access"] == "write" else {}) for row in rows]
    rows.append(invalid(record(ppn=2, cell="broken")))
    excluded = [
        {"suite": "synthetic", "experiment": "one", "reason": "random order needs blocks", "cells": 8}
    ]
    return printed(
        tmp_path_factory.mktemp("plain"),
        rows,
        facts_of(rows, excluded_points=8, failed_executions=1),
        excluded,
    )


def test_the_numbers_of_the_text_are_those_of_the_records(plain: Printed) -> None:
    looks_whole(plain)
    best = median(700.0 + number for number in range(4))
    # Three digits of 701.5, as R rounds and prints them.
    first = plain.pages[0]
    assert re.search(rf"read +{best:.0f} +(POSIX|MPI-IO)", first)
    assert "24 of 33 results proven; 8 degraded and 1 invalid" in re.sub(r"\s+", " ", first)
    assert "8 of 33 records are degraded" in plain.arguments


def test_what_was_left_out_is_told_with_the_reason(plain: Printed) -> None:
    assert "random order needs blocks" in plain.arguments
    assert "sync-not-applied" in plain.arguments
    assert "exit-code" in plain.arguments
    assert "exit code 1" in plain.arguments
    assert "Scaling with nodes:" in plain.arguments, "a figure that does not apply is named"


def test_tables_and_figures_come_in_order(plain: Printed) -> None:
    for word in ("Table", "Figure"):
        captions = [int(number) for number in re.findall(rf"(?m)^ *{word} (\d+)\. ", "\n".join(plain.pages))]
        assert captions == list(range(1, len(captions) + 1)), word
        assert len(captions) > 1


def test_the_first_page_has_the_answer_and_a_chart_on_a4(plain: Printed) -> None:
    first = plain.pages[0]
    for heading in ("What mattered in this campaign", "Doubts", "Advice", "Figure 1."):
        assert heading in first
    assert "A4" in run("pdfinfo", plain.pdf).stdout
    assert len(plain.pages) <= 5


def test_no_page_has_a_white_band_between_its_lines(plain: Printed) -> None:
    assert [(page.number, page.widest_band) for page in pages_of(plain.pdf) if page.widest_band > 20] == []


def test_claims_are_printed_where_the_suite_asks_for_them(plain: Printed) -> None:
    assert "Claims of publications" not in plain.arguments


def test_every_float_is_mentioned_in_the_text(plain: Printed) -> None:
    source = (plain.folder / "latex/contents.tex").read_text() + (
        ROOT / "reports/measurement/main.tex"
    ).read_text()
    floats = [*plain.folder.glob("figures/*.tex"), *plain.folder.glob("tables/*.tex")]
    labels = {label for file in floats for label in re.findall(r"\\label\{([^}]*)\}", file.read_text())}
    first_pages = {label for label in labels if not re.search(r"-\d+$", label)}
    assert len(first_pages) >= 8
    assert {label for label in first_pages if f"\\ref{{{label}}}" not in source} == set()


def test_the_same_records_give_the_same_pdf(plain: Printed) -> None:
    before = plain.pdf.read_bytes()
    print_study(plain.folder, code=0)
    assert plain.pdf.read_bytes() == before


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", [ODD, LONG], ids=["signs of LaTeX", "long"])
def test_any_name_can_be_printed(tmp_path: Path, name: str) -> None:
    rows = [
        row
        for target in (name, f"{name} 2")
        for row in repeated(target=target, site=name, stack=name, suite=name, experiment=name, program=name)
    ]
    rows.append(invalid(record(target=name)) | {"evidence": f"{name}: /a/b/{name}"})
    facts = facts_of(
        rows,
        site={"site": name, "description": name},
        suites=[{"suite": name, "question": name, "description": name}],
        stacks=[{"stack": name, "description": name, "programs": [name]}],
        machines=[{"node": name, "kernel": name, "system": name, "processor": name}],
        slow_nodes=[{"node": name, "finding": name}],
        excluded_points=1,
    )
    report = printed(tmp_path, rows, facts, [{"suite": name, "experiment": name, "reason": name, "cells": 1}])
    looks_whole(report)
    if name == ODD:
        assert "t_1 50% & #2 ~x^y {z} \\n $5" in report.arguments
        assert "[U+76EE]" in report.arguments
        assert "Slow nodes" in report.arguments
    else:
        assert name in re.sub(r"\s", "", report.arguments)


def test_emulated_storage_says_so_on_every_page_and_in_every_table_of_numbers(tmp_path: Path) -> None:
    rows = repeated() + repeated(target="buffer", emulated=True, api="IME")
    report = printed(tmp_path, rows)
    looks_whole(report)
    proof = report.pages[0].split("What mattered in this campaign", 1)[0]
    assert "Emulated storage is marked (E): buffer" in " ".join(proof.split("proven", 1)[1].split())
    assert "EMULATED STORAGE" not in report.arguments, "real storage leads"
    assert all("(E): emulated storage" in page for page in report.pages)
    best, below = (tmp_path / "tables/best.tex").read_text().split("\\textbf{EMULATED} storage")
    assert "buffer" in below
    assert "buffer" not in best
    assert "buffer \\textbf{(EMULATED)}" in (tmp_path / "tables/summary.tex").read_text()
    for table in ("best", "summary"):
        assert "EMULATED STORAGE" in (tmp_path / f"tables/{table}.html").read_text()


def test_without_a_usable_record_the_report_says_so(tmp_path: Path) -> None:
    rows = [invalid(row) for row in repeated()]
    report = printed(tmp_path, rows, facts_of(rows, failed_executions=2))
    looks_whole(report)
    assert "No record can be used" in report.arguments
    assert "8 of 8 records are invalid" in report.arguments
    assert re.search(r"Bandwidth against transfer size;.*?: no valid record", report.arguments)


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (
            [row for row in repeated() if row["access"] == "read"],
            r"of single runs(?s:.)*plain +read +702 +POSIX",
        ),
        ([record()], r"of single runs(?s:.)*plain +write +100 +POSIX"),
        ([], "No record can be used"),
        (
            [
                row
                for target in ("one", "two", "three", "four")
                for ppn in (1, 2, 4)
                for power in range(12, 21)
                for row in repeated(2, target=target, ppn=ppn, xfer_bytes=2**power)
            ],
            r"four +read +70\d",
        ),
    ],
    ids=["reads only", "a single record", "none at all", "216 points"],
)
def test_few_and_many(tmp_path: Path, rows: list[dict[str, object]], says: str) -> None:
    report = printed(tmp_path, rows)
    looks_whole(report)
    assert re.search(says, report.arguments)
    assert "The plan excludes no cell" in report.arguments


def test_an_archive_without_facts_prints(tmp_path: Path) -> None:
    rows = repeated()
    report = printed(tmp_path, rows, {"about": {"title": "Old logs", "site": "There & then"}, "reasons": []})
    looks_whole(report)
    assert "Old logs" in report.pages[0]
    assert "There & then" in report.pages[0]


def print_changed(folder: Path, plain: Printed, *changes: tuple[str, str], code: int) -> str:
    """What is printed for a study by a copy of the reports with another text."""
    for part in ("reports", "analysis"):
        shutil.copytree(ROOT / part, folder / part)
    shutil.copytree(plain.folder, folder / "study", ignore=shutil.ignore_patterns("latex", "report.pdf"))
    main = folder / "reports/measurement/main.tex"
    for old, new in changes:
        replace_in(main, old, new)
    return print_study(folder / "study", root=folder, code=code).stdout


def test_an_error_of_latex_is_the_last_line(plain: Printed, tmp_path: Path) -> None:
    wrong = ("\\reportopening", "\\reportopening\n\\thereisnosuchcommand")
    *_, command, error = print_changed(tmp_path, plain, wrong, code=1).splitlines()
    assert re.search(r"main\.tex:\d+: Undefined control sequence", error)
    assert "\\thereisnosuchcommand" in command
    assert not (tmp_path / "study/report.pdf").exists()


@pytest.fixture(scope="module")
def ill_written(plain: Printed, tmp_path_factory: pytest.TempPathFactory) -> Printed:
    """A report that starts a program and has too wide a line."""
    folder = tmp_path_factory.mktemp("ill-written")
    program = ("\\reportopening", f"\\reportopening\n\\immediate\\write18{{touch {folder}/started}}")
    wide = ("\\section{Results}", "\\noindent\\rule{18cm}{1pt} \\recordsof{no-such-rule}\n")
    return Printed(folder / "study", print_changed(folder, plain, program, wide, code=0))


def test_a_report_can_start_no_program(ill_written: Printed) -> None:
    assert not (ill_written.folder.parent / "started").exists()


def test_what_stands_in_the_margin_is_told(ill_written: Printed) -> None:
    told = "\n".join(ill_written.warnings)
    assert "Overfull \\hbox" in told
    assert "numbers.tex has no recordsof-no-such-rule" in told


def test_wrong_use_of_print_sh_is_told() -> None:
    done = run("reports/print.sh", "reports/nothing/main.tex", "results", "out.pdf", code=2)
    assert "takes reports/<report>/main.tex" in done.stderr


def test_latex_packages_come_with_the_packages_of_the_role_report() -> None:
    if shutil.which("dpkg") is None:
        pytest.skip("no dpkg here to ask which package brings a file")
    named = (ROOT / "envs/apt/report.txt").read_text().splitlines()
    brought = {line.split()[0] for line in named if line and not line.startswith("#")} | {
        "texlive-latex-base",
        "texlive-base",  # needed by it; has the fonts of the AMS
    }
    texts = [*ROOT.glob("reports/*.sty"), *ROOT.glob("reports/*/*.tex")]
    used = {
        name
        for file in texts
        for names in re.findall(r"\\(?:usepackage|RequirePackage)(?:\[[^]]*\])?\{([^}]*)\}", file.read_text())
        for name in names.split(",")
    } - {file.stem for file in ROOT.glob("reports/*.sty")}
    assert "booktabs" in used
    for name in sorted(used):
        found = run("kpsewhich", f"{name}.sty").stdout.strip()
        owner = ran(["dpkg", "-S", found]).stdout.split(":")[0]
        assert owner in brought, f"{name}.sty comes with {owner}, not in {brought}"
