"""The end of a workflow: at most three lines, the answer first, then the files that it wrote."""

import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.checkout import ROOT
from tests.programs import write_file
from tests.unit.conftest import RunWeir
from tests.unit.report.test_text import NO_RESULTS, answer, page, target
from weir.report.page import publication_lines
from weir.workflow.ending import earlier_ending, ending
from weir.workflow.study import output_times

MAP = """\
paper,whole,item,part,held
ime-paper,TRUE,Figure 1,figure scaling,TRUE
ime-paper,TRUE,Figure 2,figure density,TRUE
ime-paper,TRUE,Table 1,table best-mean,FALSE
ime-paper,TRUE,Table 2,,FALSE
nersc-ior,FALSE,Figure 5,figure scaling,TRUE
"""
PAGE = page([target("disk")], [answer("disk", "write", 1000)], real=NO_RESULTS | {"VALID": 6})
PAGE |= {"points": [], "study": PAGE["study"] | {"question": "How fast?"}}


def ended(folder: Path, before: dict[str, int] | None = None, cells: int = 0) -> list[str]:
    batch = SimpleNamespace(
        cells=[SimpleNamespace(cell=f"c{one}", rounds=1, point="") for one in range(cells)]
    )
    plan: Any = SimpleNamespace(cells=batch.cells, batches=[batch])
    return ending(plan, folder, before or {}, folder.parent)


def write(folder: Path, name: str, text: str, second: int) -> None:
    file = folder / name
    write_file(file, text)
    os.utime(file, (second, second))


def write_in_order(folder: Path, *names: str) -> None:
    """The files of a drawing; page.json has the page."""
    for second, name in enumerate(names, 5):
        write(folder, name, json.dumps(PAGE) if name == "page.json" else "", second)


def test_a_printed_study_ends_with_its_answer_and_both_files(tmp_path: Path) -> None:
    write_in_order(tmp_path, "records.csv", "page.json", "report.pdf")
    write(tmp_path, "tables/publication.csv", MAP, 6)
    write(tmp_path, "figures/scaling.csv", "", 6)
    assert ended(tmp_path) == [
        "6 of 6 results proven; disk at best: write 1,000 MiB/s [900–1,100]; "
        "1 of 4 figures and tables of ime-paper shown",
        f"HTML: {tmp_path}/report.html",
        f"PDF:  {tmp_path}/report.pdf",
    ]


def test_a_workflow_with_nothing_to_do_shows_the_ending_of_the_earlier_one(tmp_path: Path) -> None:
    """The second `snakemake` of a user ended with "Nothing to be done" and no answer."""
    assert earlier_ending(tmp_path) == []
    write(tmp_path, "records.csv", "", 5)
    assert earlier_ending(tmp_path) == []
    write(tmp_path, "page.json", json.dumps(PAGE), 6)
    write(tmp_path, "report.pdf", "", 7)
    heading, *lines = earlier_ending(tmp_path)
    assert heading == "drawn by an earlier workflow:"
    assert [line.strip() for line in lines] == ended(tmp_path)


def test_a_pdf_of_an_earlier_drawing_is_not_named(tmp_path: Path) -> None:
    write_in_order(tmp_path, "report.pdf", "records.csv", "page.json")
    assert ended(tmp_path)[1:] == [f"HTML: {tmp_path}/report.html"]


def test_collected_records_end_with_their_verdicts(tmp_path: Path) -> None:
    write_in_order(tmp_path, "page.json", "report.pdf", "records.csv")
    write(tmp_path, "facts.json", json.dumps({"records": 6, "verdicts": {"VALID": 4, "INVALID": 2}}), 8)
    assert ended(tmp_path) == [
        f"{tmp_path}/records.csv: 6 records: 4 VALID, 2 INVALID",
        f"why: weir audit {tmp_path}/records.csv",
    ]


def test_batches_alone_end_with_the_cells_that_they_measured(tmp_path: Path) -> None:
    """The records of an earlier workflow are not those that were measured."""
    study = tmp_path / "study"
    write_in_order(study, "records.csv", "page.json")
    write(tmp_path, "runs/c0/000/run.json", "{}\n", 9)
    assert ended(study, output_times(study), cells=2) == [f"1 of 2 cells measured: {tmp_path}/runs"]


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "{}", "null"),
        json.dumps({key: value for key, value in PAGE.items() if key != "targets"}),
        json.dumps(PAGE | {"answers": None}),
    ],
)
def test_a_damaged_page_does_not_hide_the_files(tmp_path: Path, text: str) -> None:
    write(tmp_path, "page.json", text, 5)
    first, html = ended(tmp_path)
    assert first.startswith(f"{tmp_path}/page.json")
    assert html == f"HTML: {tmp_path}/report.html"


def test_a_study_without_a_publication_has_no_line_of_it(tmp_path: Path) -> None:
    assert publication_lines(tmp_path) == []
    write(tmp_path, "tables/publication.csv", "paper,whole\n", 5)
    assert publication_lines(tmp_path) == []


def test_show_has_the_map_of_the_publication_below_the_answer(tmp_path: Path, run_weir: RunWeir) -> None:
    write(tmp_path, "page.json", json.dumps(PAGE), 5)
    write(tmp_path, "tables/publication.csv", MAP, 6)
    write(tmp_path, "figures/density.csv", "", 6)
    shown = run_weir("show", tmp_path).out.splitlines()
    assert shown[0].startswith("6 of 6 results proven")
    assert shown[1] == "  1 of 4 figures and tables of ime-paper shown"


def test_the_snakefile_prints_it_when_all_jobs_ended_well() -> None:
    text = (ROOT / "Snakefile").read_text()
    assert "    WORKFLOW.end()" in text.split("onsuccess:")[1].split("onerror:")[0]


def test_small_transfers_without_a_number_of_operations_are_shown(tmp_path: Path, run_weir: RunWeir) -> None:
    """The page of an archive was called damaged, by weir show and at the end of the workflow."""
    small = {"value": 100, "unit": "MiB/s", "n": 1, "lo": None, "hi": None, "iops": None, "values": [100]}
    found = [answer("disk", "write", 1000) | {"small": small}]
    write(tmp_path, "page.json", json.dumps(PAGE | {"answers": found}), 5)
    assert "small random 100 MiB/s (one run)" in run_weir("show", tmp_path).out


def test_a_study_that_was_collected_alone_says_how_it_is_drawn(tmp_path: Path, run_weir: RunWeir) -> None:
    for name in ("records.csv", "plan.json"):
        write(tmp_path, name, "", 5)
    hint = f"draw it: snakemake --cores all, or see its verdicts: weir audit {tmp_path}"
    assert hint in run_weir("show", tmp_path, code=2).err
