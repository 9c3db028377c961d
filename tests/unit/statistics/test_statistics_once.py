"""Each statistic exists once, but for those that decision 24 lists as in both languages."""

import csv
import re
from collections.abc import Iterator
from pathlib import Path

from tests.conftest import ROOT
from weir.statistics import inference, median

DECISION = ROOT / "docs/decisions/0024-one-interval-of-a-median.md"
STATISTICS = ROOT / "analysis/R/statistics.R"
# What computes a probability, or what a probability is computed from.
R_PRIMITIVES = re.compile(
    r"\b(?:[pq](?:t|norm|binom|f|chisq|signrank|wilcox|tukey)|integrate|uniroot|optimi[sz]e|optim|chol|eigen"
    r"|t\.test|wilcox\.test|acf|ar|arima|loess|boot)\("
)
# Tests of trends and rhythms, and the model of a search: R has neither.
PYTHON_ALONE = {"weir/decide/history/band.py", "weir/decide/tune/search.py"}
R_FUNCTION = re.compile(r"^([\w.]+) <- function\(.*?(?=^[\w.]+ <- |\Z)", re.MULTILINE | re.DOTALL)


def twice() -> list[tuple[list[str], list[str], int]]:
    """Of each row of the decision: names in R, in weir, lines in R."""
    rows = re.findall(r"^\| (`[^|]*) \| (`[^|]*) \| (\d+) \|$", DECISION.read_text(), re.MULTILINE)
    return [(re.findall(r"`(\w+)`", left), re.findall(r"`(\w+)`", right), int(n)) for left, right, n in rows]


def functions_of(file: Path) -> dict[str, str]:
    """Without comments."""
    code = re.sub(r"^\s*#.*\n", "", file.read_text(), flags=re.MULTILINE)
    return {found[1]: found[0].strip() for found in R_FUNCTION.finditer(code)}


def python_files() -> Iterator[str]:
    for file in (ROOT / "weir").rglob("*.py"):
        if "data" not in file.relative_to(ROOT / "weir").parts[:1]:
            yield file.relative_to(ROOT).as_posix()


def test_what_is_twice_is_what_the_decision_lists_with_its_lines() -> None:
    in_r, in_python = functions_of(STATISTICS), {**vars(median), **vars(inference)}
    assert twice()
    for names, others, lines in twice():
        assert sum(in_r[name].count("\n") + 1 for name in names) == lines, names
        assert all(callable(in_python[name]) for name in others)
    listed = {name for names, _, _ in twice() for name in names}
    same_names = {name for name in in_r if name.strip("_") in {part.strip("_") for part in in_python}}
    assert same_names <= listed | {"t_quantile"}  # of stats, and of scipy


def test_probabilities_are_computed_in_one_file_of_each_language() -> None:
    files = [file for file in (ROOT / "analysis").rglob("*.R") if "tests" not in file.parts]
    assert len(files) > 80
    found = {file for file in files if R_PRIMITIVES.search("\n".join(functions_of(file).values()))}
    assert found == {STATISTICS}
    using = {name for name, code in functions_of(STATISTICS).items() if R_PRIMITIVES.search(code)}
    listed = {name for names, _, _ in twice() for name in names}
    assert using - listed == {"t_quantile", "chance_of_mean"}  # Student's t itself
    imports = {
        name for name in python_files() if re.search(r"\b(?:from|import) scipy", (ROOT / name).read_text())
    }
    assert imports == {"weir/statistics/inference.py"} | PYTHON_ALONE


def test_what_both_assume_is_the_same() -> None:
    code = STATISTICS.read_text()
    numbers = dict(re.findall(r"^(\w+) <- ([\d.]+)L?$", code, re.MULTILINE))
    assert float(numbers["interval_level"]) == median.LEVEL
    assert float(numbers["assumed_autocorrelation"]) == median.ASSUMED
    assert float(numbers["serial_errors"]) == inference.SERIAL_ERRORS
    assert f"uniroot(missing, c(0, {inference.MOST_CORRELATION}))" in code


def test_the_level_that_reports_print_is_the_measured_one() -> None:
    """Of the fewest runs whose interval is promised at 95 %, on the days of a year in their order."""
    with (ROOT / "bench/results/statistics.csv").open(newline="") as file:
        rows = [
            row
            for row in csv.DictReader(file)
            if row["what"] == "interval of a median holds it" and row["series"] == "year, in order of time"
        ]
    fewest = min((row for row in rows if row["promised"] == "95.0 %"), key=lambda row: int(row["n"]))
    assert f'attained_words <- "{fewest["measured"]}"' in STATISTICS.read_text()
