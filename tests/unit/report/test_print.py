"""reports/print.sh: what it does about a last page of few lines, with latexmk emulated."""

import os
import re
import shutil
from pathlib import Path

from tests.checkout import ROOT
from tests.programs import ran, write_program

# Each call of latexmk leaves a log of the next line, the filled shares of its pages in per cent, and
# remembers the margin that it was given.
LATEXMK = r"""#!/bin/sh
[ "${openin_any:-}${BSTINPUTS+set}" = a ] || exit 12
calls=$(cat calls 2>/dev/null || echo 0)
calls=$((calls + 1))
echo $calls >calls
cat spread.tex >>margins 2>/dev/null
page=0
for share in $(sed -n "${calls}p" ../pages); do
  page=$((page + 1))
  echo "weir: page $page filled $((7 * share)).0pt of 700.0pt"
done >report.log
echo pdf >report.pdf
"""
# A user may have them for documents of his own; the latexmk below ends with an error where they are set.
SETTINGS = {"openin_any": "p", "BSTINPUTS": "/home/me/bst"}


def print_report(script: Path, text: Path, study: Path, **environment: str) -> None:
    """print.sh with the latexmk of the directory beside the study's."""
    path = f"{study.parent / 'programs'}:{os.environ['PATH']}"
    command = [script, text, study, study / "report.pdf"]
    ran(command, env={**os.environ, **environment, "PATH": path}, code=0)


def margins_of(folder: Path, pages: list[str]) -> list[float]:
    """The lower margins in mm with which a report was set again."""
    study = folder / "study"
    study.mkdir()
    write_program(folder / "programs/latexmk", LATEXMK)
    (study / "pages").write_text("\n".join(pages))
    print_report(ROOT / "reports/print.sh", ROOT / "reports/measurement/main.tex", study, **SETTINGS)
    assert int((study / "latex/calls").read_text()) == len(pages)
    told = study / "latex/margins"
    return [
        float(one) for one in re.findall(r"bottom=([0-9.]+)mm", told.read_text() if told.exists() else "")
    ]


def test_a_last_page_that_is_full_enough_is_left_alone(tmp_path: Path) -> None:
    assert margins_of(tmp_path, ["95 60 98 35"]) == []


def test_a_single_page_is_left_alone(tmp_path: Path) -> None:
    assert margins_of(tmp_path, ["20"]) == []


def test_pages_give_the_last_one_more_until_it_is_a_third_full(tmp_path: Path) -> None:
    first, second = margins_of(tmp_path, ["95 95 95 20", "95 95 95 30", "95 95 95 40"])
    assert 20 < first < second <= 45


def test_a_margin_that_tears_gaps_is_not_taken(tmp_path: Path) -> None:
    """The PDF has the margin with the fewest gaps, and the first of equals."""
    tears = "95 60 60 80 10"
    margins = margins_of(tmp_path, ["95 95 20", tears, "95 60 40", tears, tears, tears, "95 95 20"])
    assert len(margins) == 6
    assert margins[-1] == 20.0, "no margin is better than the first, which has one page of few lines"


def test_the_best_margin_is_set_again_where_it_was_not_the_last(tmp_path: Path) -> None:
    tears = "95 60 60 80 10"
    margins = margins_of(tmp_path, ["60 60 20", tears, "95 60 40", tears, tears, tears, "95 60 40"])
    assert margins[-1] == margins[1]


# Writes down the folders that TeX searches, and its text.
SEARCHED = r"""#!/bin/sh
for text in "$@"; do :; done
{ echo "$TEXINPUTS$BIBINPUTS" | tr ':' '\n'; echo "$text"; } >searched
echo pdf >report.pdf
touch report.log
"""


def test_tex_is_given_no_name_of_the_folder_of_the_checkout(tmp_path: Path) -> None:
    """It expands braces in its paths, and latexmk drops quotes."""
    checkout = tmp_path / '{x} "y" ü'
    study = checkout / "results/here/mine"
    for folder in (study, checkout / "reports/measurement"):
        folder.mkdir(parents=True)
    shutil.copy(ROOT / "reports/print.sh", checkout / "reports")
    text = checkout / "reports/measurement/main.tex"
    text.touch()
    write_program(study.parent / "programs/latexmk", SEARCHED)
    print_report(checkout / "reports/print.sh", text, study)
    searched = [line for line in (study / "latex/searched").read_text().splitlines() if line]
    assert [path for path in searched if "{" in path] == []
    places = {(study / "latex" / path).resolve() for path in searched}
    assert places >= {text, text.parent, checkout / "reports", study, study / "figures", study / "tables"}
