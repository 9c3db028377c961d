"""Each row of "how to add something" in CONTRIBUTING.md: drop the one file in a copy, and see it appear."""

from __future__ import annotations

import csv
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.workflow.conftest import ROOT, Checkout

TOOL = '''
"""A tool that weir does not know yet."""

from __future__ import annotations

from weir.model import Footprint, Parsed
from weir.tools.base import Parameter, Tool


class Pebble(Tool):
    name = "pebble"
    role = "bandwidth"
    parameters = {"stones": Parameter("count", "Stones to throw.", 1, minimum=1)}

    def label(self, params):
        return f"{params['stones']} stones"

    def problems(self, cell, target):
        return []

    def command(self, cell, target, program, paths):
        return [*program, str(cell.params["stones"]), paths.data]

    def footprint(self, cell):
        return Footprint(cell.params["stones"], 0, cell.params["stones"], 1, 1)

    def parse(self, outputs):
        return Parsed((), {}, (), "pebble", "1", True)


TOOL = Pebble()
'''


def plan(checkout: Checkout, *words: str) -> dict[str, Any]:
    done = checkout.weir("plan", "--json", *words)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def cells(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [cell for batch in plan["batches"] for cell in batch["cells"]]


def renamed(checkout: Checkout, source: str, copy: str, *changes: tuple[str, str]) -> Path:
    """A new file made from one of the tree, each change in it once at least."""
    text = (checkout.root / source).read_text()
    for old, new in changes:
        assert old in text, f"{source} has no {old!r}"
        text = text.replace(old, new)
    return checkout.write(copy, text)


def dry_run(checkout: Checkout, *words: str) -> str:
    done = checkout.snakemake("--dry-run", *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_target(checkout: Checkout) -> None:
    targets = "config/sites/local/targets"
    renamed(checkout, f"{targets}/disk.yaml", f"{targets}/second.yaml", ("target: disk", "target: second"))
    assert {cell["target"] for cell in cells(plan(checkout))} >= {"disk", "second"}


@pytest.mark.slow
def test_a_site(checkout: Checkout) -> None:
    shutil.copytree(checkout.root / "config/sites/local", checkout.root / "config/sites/lab")
    file = "config/sites/lab/site.yaml"
    renamed(checkout, file, file, ("site: local", "site: lab"))
    assert {cell["site"] for cell in cells(plan(checkout, "--site", "lab"))} == {"lab"}
    systems = checkout.call(
        "reframe", "-C", "reframe_checks/settings.py", "--system=lab", "--show-config=systems"
    )
    assert '"name": "lab"' in systems.stdout, systems.stderr


@pytest.mark.slow
def test_a_suite(checkout: Checkout) -> None:
    renamed(checkout, "config/suites/quick.yaml", "config/suites/mine.yaml", ("suite: quick", "suite: mine"))
    assert {cell["suite"] for cell in cells(plan(checkout, "--suite", "mine"))} == {"mine"}
    assert "measure" in dry_run(checkout, "--config", "suites=mine")


def test_a_tool(checkout: Checkout) -> None:
    checkout.write("weir/tools/pebble/__init__.py", TOOL)
    # A site says which program is the tool, and a suite asks for it: the two files of the one who measures.
    site = checkout.root / "config/sites/local/site.yaml"
    site.write_text(site.read_text().replace("    programs:\n", "    programs:\n      pebble: [pebble]\n", 1))
    checkout.write(
        "config/suites/pebbles.yaml",
        {
            "suite": "pebbles",
            "question": "How far do they go?",
            "experiments": {
                "throw": {"tool": "pebble", "nodes": [1], "ppn": [1], "space": {"stones": [1, 2, 3]}}
            },
        },
    )
    planned = cells(plan(checkout, "--suite", "pebbles", "--target", "disk"))
    assert sorted(cell["params"]["stones"] for cell in planned) == [1, 2, 3]


@pytest.mark.slow
def test_an_engine_back_end(checkout: Checkout, tmp_path: Path) -> None:
    for program in ("cmake", "ninja", "mpicc.openmpi"):
        if not shutil.which(program):
            pytest.skip(f"{program} is missing: cannot compile the engine")
    shutil.copy(ROOT / "CMakeLists.txt", checkout.root)
    null = checkout.root / "src/engine/backends/null.c"
    text = null.read_text().replace('.name = "NULL"', '.name = "PEBBLE"').replace('"DUMMY"', "NULL")
    text = text.replace('"null.', '"pebble.').replace("WEIR_BACKEND(null)", "WEIR_BACKEND(pebble)")
    checkout.write(
        "src/engine/backends/pebble.c", text.replace("weir_backend null =", "weir_backend pebble =")
    )
    build = tmp_path / "build"
    for words in (
        ["cmake", "-S", ".", "-B", str(build), "-G", "Ninja", "-DWEIR_TESTS=OFF"],
        ["cmake", "--build", str(build)],
    ):
        done = checkout.call(*words)
        assert done.returncode == 0, done.stdout + done.stderr
    shown = checkout.call(str(build / "weir-io"), "--help")
    assert re.search(r"^ +PEBBLE ", shown.stdout, re.MULTILINE), shown.stdout
    done = checkout.call(
        str(build / "weir-io"),
        "ior",
        "-a",
        "PEBBLE",
        "-t",
        "4k",
        "-b",
        "64k",
        "-o",
        str(tmp_path / "data"),
        environment={"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"},
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["figure", "table"])
def test_a_figure_or_a_table(checkout: Checkout, kind: str) -> None:
    folder = checkout.root / "analysis" / f"{kind}s"
    shutil.copy(sorted(folder.glob("*.R"))[0], folder / "a-new-one.R")
    assert f"analysis/{kind}s/a-new-one.R" in dry_run(checkout)


@pytest.mark.slow
def test_claims_of_a_paper(checkout: Checkout, tmp_path: Path) -> None:
    """A paper of one wrong claim: it is decided, by records of 2018, and found wrong."""
    for source in (checkout.root / "analysis/claims").glob("*.R"):
        source.unlink()
    checkout.write(
        "analysis/claims/mine.R",
        'title <- "Mine"\ncites <- "me"\n'
        'claims <- list(claim("small-is-fast", "Small transfers are fastest.", "p. 1", "two sizes",'
        " function(points) largest_over_smallest(points), below(1), 0.1))\n",
    )
    records, claims = tmp_path / "records.csv", tmp_path / "claims.csv"
    done = checkout.weir(
        "import",
        "reference/ddn-lustre-2018.csv",
        "--facts",
        "reference/ddn-lustre-2018.yaml",
        "--out",
        str(records),
    )
    assert done.returncode == 0, done.stderr
    done = checkout.call("Rscript", "analysis/draw.R", "claims", "all", str(records), str(claims))
    assert done.returncode == 0, done.stderr
    with claims.open(newline="") as file:
        verdicts = {row["evidence"]: row["verdict"] for row in csv.DictReader(file)}
    assert verdicts == {"these records": "not reproduced", "published values": "out of scope here"}


@pytest.mark.slow
def test_a_report(checkout: Checkout) -> None:
    renamed(checkout, "config/suites/quick.yaml", "config/suites/mine.yaml", ("suite: quick", "suite: mine"))
    shutil.copytree(checkout.root / "reports/measurement", checkout.root / "reports/mine")
    assert "reports/mine/main.tex" in dry_run(checkout, "--config", "suites=mine")


def test_the_table_of_contributing_is_what_is_tested_here() -> None:
    rows = re.findall(
        r"^\| (an? [a-z ]+?|claims of a paper) \| `", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE
    )
    figures = re.findall(
        r"^\| (a figure or a table) \|", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE
    )
    tests = {
        name.removeprefix("test_").replace("_", " ")
        for name in globals()
        if name.startswith(("test_a", "test_claims"))
    }
    assert {*rows, *figures} == tests
