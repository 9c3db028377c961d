"""weir/report/text.py: any text is printed as it is, by every report that weir writes itself."""

import re
import string
from pathlib import Path

import pytest

from tests.checkout import ROOT
from tests.programs import ran
from tests.unit.printed import need_latex, text_of
from weir.report.bundle import appendix
from weir.report.text import NUMBER_AND_UNIT, latex, latex_path

LETTERS = "".join(map(chr, range(0xA1, 0x100)))
EVERYTHING = f"[{string.printable}] {LETTERS} ≥ ≤ – — ‘’‚“” • … → 日本 \x00"
FRAME = r"""\documentclass{article}
\usepackage{weir}
\usepackage{textcomp}
\begin{document}
\begin{tabular}{p{0.5\textwidth}p{0.3\textwidth}}
TEXT & TEXT \\
TEXT & \texttt{PATH} \\
\end{tabular}
\end{document}
"""


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        (r"a_b{c}\~--x", r"a\_b\{c\}\textbackslash{}\textasciitilde{}{-}{-}x"),
        ("50 % & $1 #2", r"50~\% \& \$1 \#2"),
        ("<a|b>^`", r"\textless{}a\textbar{}b\textgreater{}\textasciicircum{}\textasciigrave{}"),
        ("\"c\"'d'", r"\textquotedbl{}c\textquotedbl{}\textquotesingle{}d\textquotesingle{}"),
        ("1–2 × 3 ≥ 4 µs", r"1--2 $\times$ 3 $\geq$ 4~$\mu$s"),
        ("[1, 2] MiB/s in 300 s or 4 sizes", r"{[}1, 2{]}~MiB/s in 300~s or 4 sizes"),
        ("[*", "{[}{*}"),
        ("a\n\tb é → \u00ad", "a b é {[}U+2192{]} {[}U+00AD{]}"),
        (7, "7"),
    ],
)
def test_every_character_is_printed_as_it_is(text: object, printed: str) -> None:
    assert latex(text) == printed


def test_paths_may_break_after_slashes_and_equals_signs() -> None:
    assert latex_path("/a_b=c") == r"/\allowbreak{}a\_b=\allowbreak{}c"


def test_both_reports_escape_alike() -> None:
    assert appendix.latex is latex
    assert "def tex" not in (ROOT / "weir/report/bundle/appendix.py").read_text()
    assert "maketrans" not in (ROOT / "weir/decide/accept/report.py").read_text()
    for report in ("acceptance", "appendix"):
        assert r"\usepackage{textcomp}" in (ROOT / "reports" / report / "main.tex").read_text()


def test_no_line_of_a_report_begins_with_the_unit_of_its_number() -> None:
    files = [*(ROOT / "reports").rglob("*.tex"), *(ROOT / "reports").glob("*.sty")]
    assert len(files) > 8
    breaking = [
        f"{file.relative_to(ROOT)}: {line}"
        for file in files
        for line in re.sub(r"(?m)(?<!\\\\)%.*$", "", file.read_text()).replace("\n", " ").split("  ")
        if NUMBER_AND_UNIT.search(line)
    ]
    assert breaking == []


@pytest.mark.slow
def test_latex_prints_it(tmp_path: Path) -> None:
    need_latex()
    apart = " ".join(EVERYTHING)
    text = FRAME.replace("TEXT", latex(apart)).replace("PATH", latex_path(apart))
    (tmp_path / "main.tex").write_text(text)
    arguments = [ROOT / "reports/print.sh", tmp_path / "main.tex", tmp_path, tmp_path / "out.pdf"]
    ran(arguments, errors="replace", code=0)
    printed = text_of(tmp_path / "out.pdf")
    for part in ("[U+2192]", "\\", "~", "^", "|", "<", ">", '"', "'", "`", "≥", "×", "é"):
        assert part in printed
