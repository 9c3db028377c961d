"""Each row of "how to add something" in CONTRIBUTING.md: the files of additions/ in a copy of the tree.

The copy is made once. What was added is planned, measured, collected, judged, drawn and printed, and linters
and quick tests pass: no other file has to mention it.
"""

import csv
import json
import re
import shutil
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.programs import replace_in
from tests.workflow.conftest import ROOT, SITE, Checkout

ADDITIONS = Path(__file__).parent / "additions"
# The caches of the linters are: what they know of unchanged files.
NOT_COPIED = (
    *(".git", ".venv", ".pytest_cache", ".hypothesis", ".snakemake", ".spack-env"),
    *("__pycache__", "build", "results", "output", "stage", "perflogs", "weir_storage.egg-info"),
)
STONES = {16: 16 * 1024, 64: 64 * 1024, 1024: 1024 * 1024}
AXIS = (
    'stones: {type: [integer, "null"], minimum: 1, maximum: 1024, x-role: parameter, x-parameter: stones,'
    ' x-cell: true, description: "Stones that were thrown."}'
)


OTHER_API = """\
suite: other-api
question: How fast is the interface that was added?
experiments:
  write:
    tool: ior
    nodes: [1]
    ppn: [1]
    fixed: {api: PEBBLE, layout: shared, access: [write], xfer: 64 KiB, block: 4 MiB, sync: true}
    repetitions: {rounds: 2}
"""


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """The whole tree, with the additions put in and the pages made from the code written again."""
    root = tmp_path_factory.mktemp("extended") / "checkout"
    shutil.copytree(ROOT, root, symlinks=True, ignore=shutil.ignore_patterns(*NOT_COPIED))
    (root / ".venv").symlink_to(ROOT / ".venv")
    (root / "build").mkdir()
    for name in ("weir-io", "libweir-pool.so", "ime"):
        if (ROOT / "build" / name).exists():
            (root / "build" / name).symlink_to(ROOT / "build" / name)
    if (ROOT / "build/lintr").is_dir():  # what the linter of R knows of unchanged files
        shutil.copytree(ROOT / "build/lintr", root / "build/lintr")
    shutil.copytree(ROOT / "bench/results", root / "bench/results", dirs_exist_ok=True)
    shutil.copytree(ADDITIONS, root, dirs_exist_ok=True)
    with (root / "config/schemas/record.schema.yaml").open("a") as schema:
        schema.write(f"  {AXIS}\n")
    checkout = Checkout(root)
    good(checkout, "python", "-m", "weir.plan.config.reference")
    (root / "docs/audit.md").write_text(good(checkout, "python", "-m", "weir", "audit", "--rules"))
    return checkout


@pytest.fixture(scope="module")
def study(extended: Checkout) -> Iterator[Path]:
    """The suite pebbles, measured at the site lab by the tool that was added."""
    for program in ("mpirun", "Rscript"):
        if not shutil.which(program):
            pytest.skip(f"{program} is missing")
    extended.measure("results/lab/pebbles", "--site", "lab", "--suite", "pebbles")
    folder = extended.root / "results/lab/pebbles"
    yield folder
    planned = json.loads((folder / "plan.json").read_text())
    shutil.rmtree(planned["site"]["targets"]["shore"]["path"], ignore_errors=True)


WEIR = ("python", "-m", "weir")


def good(checkout: Checkout, *arguments: str, environment: dict[str, str] | None = None) -> str:
    return checkout.call(*arguments, environment=environment, code=0).stdout


def plan(checkout: Checkout, *arguments: str) -> dict[str, Any]:
    return dict(json.loads(good(checkout, *WEIR, "plan", "--json", *arguments)))


def cells(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [cell for batch in plan["batches"] for cell in batch["cells"]]


def test_a_target(extended: Checkout) -> None:
    planned = plan(extended, "--site", "local", "--suite", "quick", "--target", "second")
    assert {cell["target"] for cell in cells(planned)} == {"second"}


@pytest.mark.slow
def test_a_site(extended: Checkout) -> None:
    arguments = ("reframe", "-C", "reframe_checks/settings.py", "--system=lab", "--show-config=systems")
    assert '"name": "lab"' in good(extended, *arguments)


@pytest.fixture(scope="module")
def dry_run(extended: Checkout) -> str:
    chosen = ("--config", "site=lab", "suites=pebbles")
    return good(extended, "snakemake", "--cores", "1", "--dry-run", *chosen)


@pytest.mark.slow
def test_a_suite(dry_run: str) -> None:
    assert "rule measure:" in dry_run
    assert "results/lab/pebbles/batches/shore-plain-1x1.json" in dry_run


@pytest.mark.slow
def test_a_tool(study: Path) -> None:
    """It is planned, it runs, and what it prints becomes records."""
    rows = drawn(study / "records.csv")
    assert len(rows) == 2 * len(STONES)
    assert {int(row["moved_bytes"]) for row in rows} == set(STONES.values())
    assert all(float(row["bw_mib_s"]) > 0 and row["tool_version"] == "1.0" for row in rows)


THEIRS = "elbencho"
OTHER_TOOL = """\
suite: other-tool
question: Is a third-party tool its directory alone?
experiments:
  write:
    tool: elbencho
    nodes: [1]
    ppn: [1]
    fixed: {block: 4 MiB, jobs: 2, access: [write]}
"""


@pytest.mark.slow
def test_a_tool_of_others_is_its_directory(extended: Checkout, tmp_path: Path) -> None:
    """Taken away nothing names elbencho or lacks it; put back, suites plan it and its logs are read."""
    folder, log = extended.root / "weir/tools" / THEIRS, f"tests/golden/{THEIRS}/shared.json"
    suite = extended.root / "config/suites/other-tool.yaml"
    site = extended.root / "config/sites/lab/site.yaml"
    before = site.read_text()
    # elbencho takes what is below /dev, as the memory of the site, for a device.
    disk = extended.root / "config/sites/lab/targets/second.yaml"
    shutil.copy(extended.root / "config/sites/local/targets/second.yaml", disk)
    named = extended.call(
        "git", "grep", "--no-index", "-lwi", THEIRS, "--", "weir", "config", "analysis", "src", "Snakefile"
    )
    assert {Path(name).parts[:3] for name in named.stdout.split()} == {("weir", "tools", THEIRS)}
    arguments = ("--site", "lab", "--suite", "other-tool", "--target", "second")
    shutil.move(folder, tmp_path / "away")
    try:
        suite.write_text(OTHER_TOOL)
        assert extended.call(*WEIR, "import", log, "--out", str(tmp_path / "absent.csv")).returncode == 2
        assert THEIRS in extended.call(*WEIR, "plan", *arguments).stderr
    finally:
        shutil.move(tmp_path / "away", folder)
    try:
        site.write_text(before.replace("programs:", f"programs:\n      {THEIRS}: [{THEIRS}]"))
        assert [cell["tool"] for cell in cells(plan(extended, *arguments))] == [THEIRS]
        out = str(tmp_path / "records.csv")
        good(extended, *WEIR, "import", log, "--out", out)
        assert {row["tool"] for row in drawn(Path(out))} == {THEIRS}
    finally:
        site.write_text(before)
        suite.unlink()
        disk.unlink()


@pytest.fixture(scope="module")
def captured(extended: Checkout, study: Path) -> str:
    """A run with a finding of the rule that was added, kept beside the other captures."""
    plan_file, results = extended.root / "results/one/plan.json", extended.root / "results/one"
    good(extended, *WEIR, "plan", "--site", "lab", "--suite", "one-pebble", "--out", str(plan_file))
    good(extended, *WEIR, "run", "--plan", str(plan_file), "--results", str(results))
    keep = ("python", "-m", "tests.golden.audit.capture", "keep", "few-bytes", str(results))
    return good(extended, *keep, f"{extended.root}=/opt/weir")


@pytest.mark.slow
def test_an_audit_rule(study: Path, captured: str) -> None:
    assert "note few-bytes" in captured
    for row in drawn(study / "records.csv"):
        is_small = int(row["moved_bytes"]) == STONES[16]
        assert ("few-bytes" in row["notes"]) is is_small
        assert ("few-bytes" in row["checked"].split(";")) is not is_small


@pytest.mark.slow
def test_a_scheduler(extended: Checkout, study: Path) -> None:
    """The site names it, plan accepts it, and what was measured above went through it."""
    site = json.loads((study / "plan.json").read_text())["site"]
    assert site["partitions"]["node"]["scheduler"] == "queue"
    code = "from weir.site.schedulers import surrounding; print(surrounding({'QUEUE_JOB': '7'}).name)"
    assert good(extended, "python", "-c", code) == "queue\n"


@pytest.fixture(scope="module")
def engine(extended: Checkout, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """weir-io with one back end more: POSIX under another name."""
    for program in ("cmake", "ninja", "mpicc.openmpi"):
        if not shutil.which(program):
            pytest.skip(f"{program} is missing: cannot compile the engine")
    posix = (extended.root / "src/engine/backends/posix.c").read_text()
    text = posix.replace('.name = "POSIX"', '.name = "PEBBLE"').replace("(posix)", "(pebble)")
    text = text.replace('"posix.', '"pebble.').replace("weir_backend posix =", "weir_backend pebble =")
    (extended.root / "src/engine/backends/pebble.c").write_text(text)
    build = tmp_path_factory.mktemp("engine")
    without = [f"-DWEIR_{name}=OFF" for name in ("TESTS", "EMULATOR", "HDF5", "NETCDF4", "PNETCDF")]
    options = ("-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_FLAGS_DEBUG=-O0", *without)
    good(extended, "cmake", "-S", ".", "-B", str(build), *options)
    good(extended, "cmake", "--build", str(build), "--target", "weir-io")
    return build / "weir-io"


@pytest.mark.slow
def test_an_engine_back_end(extended: Checkout, engine: Path) -> None:
    """A suite names it, its files have their evidence, and the page answers with it."""
    (extended.root / "config/suites/other-api.yaml").write_text(OTHER_API)
    folder = extended.root / "results/other/other-api"
    replace_in(extended.root / SITE, "{root}/build/weir-io", str(engine))
    rows = extended.measure("results/other/other-api", "--suite", "other-api", "--target", "second")
    assert {row["api"] for row in rows} == {"PEBBLE"}
    for row in rows:  # other writers on the disk may degrade a record
        assert row["verdict"] != "INVALID"
        assert {"bytes-moved", "file-size", "sync-not-applied"} <= set(row["checked"].split(";"))
    inputs = f"read_records('{folder}/records.csv'), list(facts = '{folder}/facts.json')"
    code = f"source('analysis/load.R'); load_analysis('analysis'); write_page('{folder}', {inputs})"
    good(extended, "Rscript", "-e", code)
    page = json.loads((folder / "page.json").read_text())
    usable = any(row["verdict"] == "VALID" for row in rows)
    assert "PEBBLE" in (page["answers"][0]["best"]["setting"] if usable else json.dumps(page))


# The figure and the table that were added, two that take the added metric and axis, and the page.
DRAW = """
source("analysis/load.R"); load_analysis("analysis"); study <- commandArgs(TRUE)
records <- read_records(file.path(study, "records.csv"))
inputs <- list(facts = file.path(study, "facts.json"), metric = "throw-time")
write_figures(chosen_parts("figure", "stones,ranking"), records, inputs, file.path(study, "figures"))
write_tables(chosen_parts("table", "stones,effects"), records, inputs, file.path(study, "tables"))
invisible(write_page(study, records, inputs))
"""


@pytest.fixture(scope="module")
def parts(extended: Checkout, study: Path) -> Path:
    good(extended, "Rscript", "-e", DRAW, str(study))
    return study


@pytest.mark.slow
def test_the_page_shows_what_was_added(parts: Path) -> None:
    """The tool and its program, on the target of the site, and settings that are told apart by the axis."""
    page = json.loads((parts / "page.json").read_text())
    assert {point["target"] for point in page["points"]} == {"shore"}
    assert {point["setting"] for point in page["points"]} == {
        f"POSIX, 1 KiB, stones {stones}" for stones in STONES
    }
    assert [row["value"].rpartition("; ")[2] for row in page["machine"] if row["name"] == "plain"] == [
        "ran pebble 1.0"
    ]
    assert [question["question"] for question in page["questions"]] == ["How fast are small files written?"]


def drawn(file: Path) -> list[dict[str, str]]:
    with file.open(newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["figure", "table"])
def test_a_figure_or_a_table(parts: Path, kind: str) -> None:
    rows = drawn(parts / f"{kind}s/stones.csv")
    assert [int(row["moved_bytes"]) for row in rows] == sorted(STONES.values())
    assert (parts / f"{kind}s/stones.tex").is_file()


@pytest.mark.slow
def test_a_metric(study: Path, parts: Path) -> None:
    """The ranking takes it: the shortest median time, not the longest."""
    (best,) = drawn(parts / "figures/ranking.csv")
    times_s = defaultdict(list)
    for row in drawn(study / "records.csv"):
        times_s[row["cell"]].append(float(row["total_s"]))
    assert (best["metric"], best["unit"]) == ("throw-time", "s")
    assert float(best["median"]) == pytest.approx(min(statistics.median(each) for each in times_s.values()))


@pytest.mark.slow
def test_an_axis(study: Path, parts: Path) -> None:
    """Its column is filled from the suite, tells cells apart, and its effect is in the table."""
    assert {int(row["stones"]) for row in drawn(study / "records.csv")} == set(STONES)
    (effect,) = drawn(parts / "tables/effects.csv")
    assert (effect["dimension"], effect["from"], effect["to"]) == ("stones", "16", "1024")
    assert (effect["setting"], effect["instead_of"]) == ("stones 1024", "stones 16")


@pytest.mark.slow
def test_claims_of_a_paper(extended: Checkout, tmp_path: Path) -> None:
    """One claim: it holds in its world, not in the contrary one, and records of 2018 do not decide it."""
    in_worlds = (
        'setwd("analysis/tests/testthat"); source("helper-load.R");'
        'found <- outcomes_in_worlds("pebbles"); cat(found$holds, found$contrary)'
    )
    assert good(extended, "Rscript", "-e", in_worlds) == "reproduced contradicted"
    records, claims = tmp_path / "records.csv", tmp_path / "claims.csv"
    reference = "reference/ddn-lustre-2018"
    good(extended, *WEIR, "import", f"{reference}.csv", "--facts", f"{reference}.yaml", "--out", str(records))
    good(extended, "Rscript", "analysis/draw.R", "claims", "pebbles", str(records), str(claims))
    with claims.open(newline="") as file:
        verdicts = {row["evidence"]: row["verdict"] for row in csv.DictReader(file)}
    assert verdicts["these records"] == "undecided"


@pytest.mark.slow
def test_a_report(dry_run: str) -> None:
    assert "reports/pebbles/main.tex" in dry_run


@pytest.mark.weekly
def test_linters_and_quick_tests_pass_with_everything_added(extended: Checkout, captured: str) -> None:
    """As `make check` runs them: the linters, and what walks over the files and names that are there."""
    good(extended, sys.executable, "-m", "weir.plan.config.reference")
    good(extended, "make", "--jobs=2", "--keep-going", "lint")
    walking = [
        f"tests/unit/{name}" for name in ("audit", "collect", "docs", "plan", "records", "report", "tools")
    ]
    houses = [f"tests/unit/{name}.py" for name in ("base/test_extras", "test_layers")]
    arguments = ("-q", "-p", "no:cacheprovider", "-m", "not slow", *walking, *houses, "tests/golden")
    good(extended, sys.executable, "-m", "pytest", *arguments)


def test_the_table_of_contributing_is_what_is_tested_here() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text()
    rows = set(re.findall(r"^\| ([a-z][a-z ]+?) \| (?:`|one (?:file|function))", page, re.MULTILINE))
    others = {
        "the_table_of_contributing_is_what_is_tested_here",
        "linters_and_quick_tests_pass_with_everything_added",
        "a_tool_of_others_is_its_directory",
        "the_page_shows_what_was_added",
    }
    tests = {name.removeprefix("test_") for name in globals() if name.startswith("test_")} - others
    assert rows == {name.replace("_", " ") for name in tests}
