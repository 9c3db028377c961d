"""Tables of measurements in the pages are those of bench/results."""

from bench.promises import promises, rows_of
from bench.tables import ROOT, pages, written


def test_pages_show_the_results_that_are_kept() -> None:
    found = pages()
    assert found
    for page in found:
        assert page.read_text() == written(page.read_text()), f"{page}: write it by python -m bench.tables"


def test_every_result_is_shown_or_named() -> None:
    shown = "\n".join(page.read_text() for page in (ROOT / "docs").rglob("*.md"))
    unused = [file.name for file in (ROOT / "bench/results").glob("*.csv") if file.name not in shown]
    assert unused == []


def test_what_is_promised_is_what_was_measured() -> None:
    assert [list(row) for row in promises()[1:]] == rows_of("promises"), "write it by bench/promises.py"
