"""weir compare as a command: what it prints, draws and refuses."""

import json
import shlex
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
import zipfile
from math import isclose
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.checkout import ROOT, link_checkout
from tests.unit.conftest import RunWeir
from tests.unit.decide.compare.test_compare import cell, cells, degraded, noisy, write, write_both
from weir.base.errors import WeirError
from weir.cli import main
from weir.decide.compare.verdict import read_fail_on
from weir.runs.manifest import MANIFEST, TABLES, manifest_text, write_manifest


def test_the_command_fails_on_what_was_requested(tmp_path: Path, run_weir: RunWeir) -> None:
    first = write(tmp_path / "a" / "records.csv", cell(noisy(1, 8)))
    second = write(tmp_path / "b.csv", cell(noisy(2, 8, 800.0), start=100))
    printed = run_weir("compare", first.parent, second).out
    assert "1 pair: 1 slower, 0 faster, 0 undecided, 0 no difference within ±5%" in printed
    assert "measured one after the other" in printed
    junit = tmp_path / "out.xml"
    arguments = ["compare", first, second, "--junit", junit, "--csv", tmp_path / "out.csv"]
    run_weir(*arguments, "--fail-on", "slower:5%", code=1)
    assert len(ElementTree.parse(junit).findall("testcase/failure")) == 1
    assert "slower" in (tmp_path / "out.csv").read_text()
    run_weir(*arguments, "--fail-on", "slower:30%")


WITHOUT = "import sys; sys.modules |= {'numpy': None, 'scipy': None, 'scipy.special': None}; "
RUN = WITHOUT + "from weir.cli import main; sys.exit(main(sys.argv[1:]))"


def test_exit_1_is_a_slower_pair_and_never_a_missing_package(tmp_path: Path) -> None:
    """`pip install .` has no packages for statistics: a traceback ended with 1, which is "slower"."""
    both = write_both(tmp_path, cell(noisy(1, 8)), cell(noisy(2, 8, 800.0), start=100))
    command = [sys.executable, "-c", RUN, "compare", *both, "--fail-on", "slower"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 3, done.stderr
    assert "the Python package" in done.stderr
    assert "pip install" in done.stderr
    assert "Traceback" not in done.stderr


def test_what_would_decide_is_told_once_of_several_pairs(tmp_path: Path, run_weir: RunWeir) -> None:
    first, second = (
        cells(*(noisy(10 * side + number, 8, level) for number in range(4)), start=1440 * side)
        for side, level in enumerate((1000.0, 990.0))
    )
    printed = run_weir("compare", *write_both(tmp_path, first, second)).out
    assert " 4 undecided" in printed.splitlines()[0]
    assert printed.count("more rounds would not decide: measure in turns, or on more days") == 1


@pytest.mark.parametrize(
    ("column", "changes", "name"),
    [
        ("stack", {"stack": "mpich"}, "stack debian"),
        ("target", {"target": "memory"}, "target disk"),
        ("date", {}, "date 2026-11-01"),
    ],
)
def test_one_study_is_split_by_a_column(
    column: str, changes: dict[str, str], name: str, tmp_path: Path, run_weir: RunWeir
) -> None:
    rows = [*cell(noisy(1, 6)), *cell(noisy(2, 6, 2000.0), start=1440, **changes)]
    path = write(tmp_path / "records.csv", rows)
    facts = json.loads(run_weir("compare", path, "--by", column, "--json", "--day-to-day", "5").out)
    assert facts["a"] == name
    assert [one["verdict"] for one in facts["pairs"]] == ["faster"]
    assert isclose(facts["pairs"][0]["ratio"], 2.0, rel_tol=0.1)


def test_nothing_in_common_names_what_differs(tmp_path: Path, run_weir: RunWeir) -> None:
    both = write_both(tmp_path, cell(noisy(1, 4)), cell(noisy(2, 4), stack="mpich"))
    printed = run_weir("compare", *both, code=3).err
    assert "stack is debian here, mpich there" in printed
    assert "--across stack" in printed
    run_weir("compare", *both, "--across", "stack")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere", "nowhere"], "there is no such table of records"),
        (["nowhere"], "needs B, or --by"),
        (["A", "B", "--across", "stakc"], "not a column that pairs are made by"),
    ],
)
def test_wrong_use_is_explained(arguments: list[str], message: str, run_weir: RunWeir) -> None:
    assert message in run_weir("compare", *arguments, code=2).err


def test_fail_on_is_checked() -> None:
    assert read_fail_on(["slower:7.5%", "undecided,missing"]) == (True, 0.075, True, True, False)
    with pytest.raises(WeirError, match="is not something to fail on"):
        read_fail_on(["faster"])


def three_commands() -> list[str]:
    """The commands at the top of docs/how-to/compare.md."""
    block = (ROOT / "docs/how-to/compare.md").read_text().partition("```sh\n")[2].partition("```")[0]
    commands = [line.partition(" #")[0].strip() for line in block.splitlines()]
    assert len(commands) == 3
    return commands


@pytest.mark.parametrize("command", three_commands())
def test_the_commands_of_the_how_to_run(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_weir: RunWeir
) -> None:
    before, after = cell(noisy(1, 6)), cell(noisy(2, 6, 800.0), start=100)
    write(tmp_path / "results/local/quick/records.csv", before)
    write(tmp_path / "elsewhere/results/local/quick/records.csv", after)
    both = [{**row, "stack": "mpich"} for row in after]
    write(tmp_path / "results/stacks/stack-cost/records.csv", [*before, *both])
    write(tmp_path / "results/lab/ior-original/records.csv", [{**row, "program": "IOR"} for row in before])
    write(tmp_path / "results/lab/ior-weir/records.csv", after)
    monkeypatch.chdir(tmp_path)
    assert "1 pair: 1 slower" in run_weir(*shlex.split(command)[1:]).out


def test_the_figure_is_a_page_and_a_section_of_a_report(tmp_path: Path, run_weir: RunWeir) -> None:
    first, second = (
        cells(noisy(start + 1, 6, one), noisy(start + 2, 6, other), start=start, label="<1>")
        for start, one, other in ((0, 1000.0, 1000.0), (99, 500.0, 1010.0))
    )
    both = write_both(tmp_path, first, second)
    page, report = tmp_path / "page.html", tmp_path / "report.html"
    report.write_text("<html><main><p>old</p></main></html>")
    for _ in range(2):
        run_weir("compare", *both, "--html", page, "--into", report)
    text = page.read_text()
    table = ElementTree.fromstring(text[text.index("<table") : text.index("</table>") + 8])
    assert len(table.findall(".//{http://www.w3.org/2000/svg}circle")) == 2
    rows_shown = ["".join(row.itertext()) for row in table.iter("tr")]
    assert any("no difference" in one or "undecided" in one or "slower" in one for one in rows_shown)
    assert "&lt;1&gt;" in text
    assert "×0.5" in text
    assert report.read_text().count('<section id="comparison">') == 1
    assert report.read_text().startswith("<html><main><p>old</p><!-- comparison -->")
    run_weir("compare", *both, "--into", both[0], code=2)


def test_a_campaign_is_compared_with_the_first_measurement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_weir: RunWeir
) -> None:
    """`weir report --campaign 2026-12`: the workflow is replaced by its records."""
    first, again = (tmp_path / f"results/{site}/quick" for site in ("local", "local@2026-12"))

    # Rscript analysis/draw.R check, without a problem.
    checked = SimpleNamespace(returncode=0, communicate=lambda: ("", ""), wait=lambda: 0)

    class Measured:
        def __init__(self, plan: Any, folder: Path, chosen: dict[str, str], page_only: bool) -> None:
            assert (folder, chosen["campaign"]) == (again.relative_to(tmp_path), "2026-12")
            assert page_only

        def run(self) -> int:
            write(again / "records.csv", cell(noisy(2, 8, 800.0), start=100))
            (again / "report.html").write_text("<html><main><p>page</p></main></html>")
            return 0

    monkeypatch.setattr("weir.commands.report.BackgroundWorkflow", Measured)
    monkeypatch.setattr("weir.commands.report.preflight", lambda plan, folder, batches: None)
    monkeypatch.setattr("weir.commands.report.subprocess.Popen", lambda *_, **__: checked)
    monkeypatch.setattr("weir.commands.report.subprocess.call", lambda arguments: main(arguments[3:]))
    link_checkout(tmp_path)
    monkeypatch.chdir(tmp_path)
    arguments = ["report", "--suites", "quick", "--site", "local", "--campaign", "2026-12", "--page-only"]
    assert "no comparison: there is no results/local/quick/records.csv" in run_weir(*arguments).out
    write(first / "records.csv", cell(noisy(1, 8)))
    monkeypatch.delenv("WEIR_STARTER")  # of the command before, which has let go
    assert "1 pair: 1 slower" in run_weir(*arguments).out
    assert '<section id="comparison">' in (again / "report.html").read_text()


def test_bundles_are_compared(tmp_path: Path, run_weir: RunWeir) -> None:
    bundles = []
    for name, level, start in (("old", 1000.0, 0), ("new", 800.0, 100)):
        study = tmp_path / name / "results/lab/quick"
        write(study / "records.csv", cell(noisy(start, 6, level), start=start))
        for table in TABLES:
            (study / table).write_text("")
        digest = write_manifest(study, "records.csv")
        (study / "facts.json").write_text(json.dumps({"digest": digest}))
        files = [file for file in study.rglob("*") if file.is_file()]
        (tmp_path / name / MANIFEST).write_text(manifest_text(tmp_path / name, files))
        bundles.append(tmp_path / f"{name}.crate.zip")
        with zipfile.ZipFile(bundles[-1], "w") as archive:
            for file in [*files, tmp_path / name / MANIFEST]:
                archive.write(file, file.relative_to(tmp_path / name))
    out = run_weir("compare", *bundles).out
    assert f"A: {bundles[0]}" in out
    assert "1 slower" in out


@pytest.mark.parametrize(
    ("factor", "note"), [(1.048576, "MiB and MB"), (1 / 1.073742, "GiB and GB"), (1.12, "")]
)
def test_a_side_in_other_units_is_noted(factor: float, note: str, tmp_path: Path, run_weir: RunWeir) -> None:
    first, second = (
        cells(*(noisy(seed, 8, 1000 * scale, 0.001) for seed in range(4)), start=start)
        for scale, start in ((1.0, 0), (factor, 100))
    )
    printed = run_weir("compare", *write_both(tmp_path, first, second)).out
    assert (f"that of {note}: check the units" in printed) == bool(note)
    assert ("check the units" in printed) == bool(note)


@pytest.mark.parametrize("option", ["--margin", "--day-to-day"])
@pytest.mark.parametrize("value", ["-3", "nan", "100", "x"])
def test_percentages_are_checked(option: str, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["compare", "A", "B", f"{option}={value}"])
    assert caught.value.code == 2
    assert "is not a percentage" in capsys.readouterr().err


@pytest.mark.parametrize("given", ["0.5", "2.5", "5", "33"])
def test_percentages_are_told_as_they_were_given(tmp_path: Path, run_weir: RunWeir, given: str) -> None:
    both = write_both(tmp_path, cell(noisy(1, 8)), cell(noisy(2, 8), start=100))
    page = tmp_path / "page.html"
    options = ["--margin", given, "--day-to-day", given, "--html", page]
    printed = run_weir("compare", *both, *options).out
    assert f"no difference within ±{given}%\n" in printed
    assert f"one campaign a side: {given}% between campaigns, as given" in printed
    assert page.read_text().count(f"no difference within ±{given}%") == 2


def test_emulated_storage_is_told_as_that_in_every_form(tmp_path: Path, run_weir: RunWeir) -> None:
    """Also where one side alone was emulated, and of cells that have no pair."""
    only = cell(noisy(3, 8), cell="c2", ppn=4, emulated=True, label="disk POSIX alone")
    rows = [*cell(noisy(1, 8), emulated=False), *only]
    first, second = write_both(tmp_path, rows, cell(noisy(2, 8), start=100, emulated=True))
    page, table, junit = (tmp_path / name for name in ("page.html", "table.csv", "junit.xml"))
    printed = run_weir("compare", first, second, "--html", page, "--csv", table, "--junit", junit).out
    name = "disk POSIX shared 1MiB (E)"
    for text in (printed, page.read_text(), table.read_text(), junit.read_text()):
        assert name in text
    assert "disk POSIX alone (E): ppn is 4 here, 2 there" in printed
    (pair,) = json.loads(run_weir("compare", first, second, "--json").out)["pairs"]
    assert (pair["label"], pair["emulated"]) == (name, True)
    shown = run_weir("compare", first, first, "--json").out
    found = {one["label"]: one["emulated"] for one in json.loads(shown)["pairs"]}
    assert found == {"disk POSIX shared 1MiB": False, "disk POSIX alone (E)": True}


def test_a_pair_of_logs_has_both_medians_their_ratio_and_what_would_decide(
    tmp_path: Path, run_weir: RunWeir
) -> None:
    """Two logs that somebody has of an old and a new system are the first that is compared."""
    first = [*cell([1500.0], stack=None), *cell([3.5], stack=None, access="create", bw_mib_s=None, ops_s=3.5)]
    second = [
        *cell([975.0, 980.0, 970.0], start=9, stack=None),
        *cell([7.0], start=9, stack=None, access="create", bw_mib_s=None, ops_s=7.0),
    ]
    files = write_both(tmp_path, first, second)
    lines = [line.strip() for line in run_weir("compare", *files).out.splitlines() if "disk POSIX" in line]
    needed = "each log counts as one round:"
    assert [" ".join(line.split()) for line in lines] == [
        "undecided x2.000 create disk POSIX shared 1MiB (A 3.5 op/s, B 7 op/s; "
        f"{needed} at least 3 more of A and 3 more of B needed, 1 of each if measured in turns)",
        "undecided x0.650 write disk POSIX shared 1MiB (A 1,500 MiB/s, B 975 MiB/s; "
        f"{needed} at least 3 more of A and 1 more of B needed)",
    ]
    facts = json.loads(run_weir("compare", *files, "--json").out)["pairs"]
    assert [(one["unit"], one["more_rounds"]) for one in facts] == [("op/s", None), ("MiB/s", None)]
    assert all(isclose(*pair) for pair in zip(facts[1]["medians"], (1500.0, 975.0), strict=True))


def test_where_nothing_is_decided_no_text_is_repeated(tmp_path: Path, run_weir: RunWeir) -> None:
    """Lines of 200 characters had the same rounds that are needed, and two notes the same files."""
    first, second = (cells(*[[rate]] * 4, label="disk c", stack=None) for rate in (1500.0, 975.0))
    lines = run_weir("compare", *write_both(tmp_path, first, second)).out.splitlines()
    pairs = [line for line in lines if "disk c" in line]
    assert len(pairs) == 4
    assert all(line.endswith(" (A 1,500 MiB/s, B 975 MiB/s)") for line in pairs)
    (needed,) = [line for line in lines if "needed" in line]
    assert needed.startswith(
        "note: each log counts as one round: at least 3 more of A and 3 more of B needed"
    )
    assert needed.endswith(" (4 of 4 pairs)")
    (dropped,) = [line for line in lines if "dropped rounds" in line]
    assert dropped.startswith("note: dropped rounds of A and B are not known: plan.json is missing")


def test_an_undecided_pair_without_usable_records_of_a_side_tells_the_other_one(
    tmp_path: Path, run_weir: RunWeir
) -> None:
    both = write_both(tmp_path, cell([1500.0] * 8), degraded(cell(noisy(2, 8), start=100)))
    line = next(line for line in run_weir("compare", *both).out.splitlines() if "disk POSIX" in line)
    assert " ".join(line.split()) == (
        "undecided - write disk POSIX shared 1MiB "
        "(A 1,500 MiB/s, B no usable value; too few rounds: at least 4 more of B needed)"
    )
