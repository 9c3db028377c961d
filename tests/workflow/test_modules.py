"""The workflow in another directory, and as a module of another workflow: by a path, a prefix, from git."""

import csv
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.workflow.conftest import ROOT, Checkout
from tests.workflow.test_what_is_measured_again import jobs

pytestmark = pytest.mark.slow

ARCHIVE = "reference/ddn-lustre-2018.csv"
# What snakedeploy 0.17 writes to workflow/Snakefile for a repository of a forge; a local one stands for it.
DEPLOYED = """\
from snakemake.utils import min_version


min_version("6.10.0")


configfile: "config/config.yaml"


# declare weir as a module
module weir:
    snakefile:
        {snakefile}
    config:
        config


# use all rules from weir
use rule * from weir
"""


@pytest.fixture
def elsewhere(tmp_path: Path, tiny: Checkout) -> Checkout:
    """The directory of another workflow; weir is imported from the checkout with the tiny suite."""
    return beside(tmp_path, tiny)


def beside(folder: Path, weir: Checkout) -> Checkout:
    other = folder / "elsewhere"
    other.mkdir()
    return Checkout(other, imported=weir.root)


def committed(checkout: Checkout) -> str:
    """The Snakefile in a git repository, as a module names it."""
    git = ("git", "-c", "user.name=t", "-c", "user.email=t@localhost", "-C", str(checkout.root))
    for arguments in (
        ["init", "-q"],
        ["add", "--", "Snakefile", "workflow", "envs"],
        ["commit", "-qm", "one"],
    ):
        subprocess.run([*git, *arguments], check=True)
    subprocess.run([*git, "tag", "v1"], check=True)
    return f'gitfile("{checkout.root}", path="workflow/Snakefile", tag="v1")'


def test_it_runs_in_another_directory_by_its_default_configuration(
    elsewhere: Checkout, tiny: Checkout
) -> None:
    done = elsewhere.snakemake("-s", str(tiny.root / "Snakefile"), "--dry-run", code=0)
    assert jobs(done.stdout)["measure"] == 1
    assert "4 cells planned" in done.stderr


def test_it_measures_in_the_directory_that_the_command_names(elsewhere: Checkout, tiny: Checkout) -> None:
    """The folder of the code may be read-only, and shared by many."""
    before = {file.name for file in tiny.root.iterdir()}
    records = "results/local/tiny/records.csv"
    tiny.snakemake("-s", str(tiny.root / "Snakefile"), "-d", str(elsewhere.root), records, code=0)
    with (elsewhere.root / records).open() as stream:
        assert len([*csv.DictReader(stream)]) == 16
    assert {file.name for file in tiny.root.iterdir()} == before


def test_a_configuration_of_that_directory_takes_precedence(elsewhere: Checkout, tiny: Checkout) -> None:
    suite = (tiny.root / "config/suites/tiny.yaml").read_text().replace("suite: tiny", "suite: mine")
    elsewhere.write("config/suites/mine.yaml", re.sub(r"\n *- 64 KiB", "", suite))
    elsewhere.write("config/config.yaml", {"suites": ["mine"]})
    done = elsewhere.snakemake("-s", str(tiny.root / "Snakefile"), "--dry-run", code=0)
    assert "2 cells planned" in done.stderr


def test_archived_records_are_printed_in_another_directory(elsewhere: Checkout, tiny: Checkout) -> None:
    done = elsewhere.snakemake(
        "-s", str(tiny.root / "Snakefile"), "--dry-run", "paper", "--config", f"records={ARCHIVE}", code=0
    )
    assert jobs(done.stdout) == {"adopt": 1, "draw": 1, "paper": 1, "print": 1}


def other_workflow(snakefile: str) -> str:
    """The ten lines of config/README.md, for this Snakefile and the tiny suite."""
    (text,) = re.findall(r"^```python\n(.*?)^```", (ROOT / "config/README.md").read_text(), re.M | re.S)
    assert len([line for line in text.splitlines() if line]) <= 10
    named = re.sub(r"snakefile: .*", lambda _: f"snakefile: {snakefile}", text)
    return str(named).replace("local/quick", "local/tiny")


def uses_its_records(elsewhere: Checkout, snakefile: str, environment: Mapping[str, str]) -> None:
    """A rule of another workflow plans, measures and reads, and the next time nothing is left to do."""
    elsewhere.write("Snakefile", other_workflow(snakefile))

    def snakemake(*arguments: str) -> tuple[dict[str, int], str]:
        chosen = ("--config", "weir={site: local, suites: [tiny]}")
        command = ("snakemake", "--cores", "2", *arguments, *chosen)
        done = elsewhere.call(*command, environment=environment, code=0)
        return jobs(done.stdout), done.stderr

    planned, _ = snakemake("--dry-run", "best")
    assert planned == {"best": 1, "weir_collect": 1, "weir_measure": 1}
    assert not (elsewhere.root / "storage").exists()
    snakemake("best")
    with (elsewhere.root / "storage/results/local/tiny/records.csv").open() as stream:
        rows = [*csv.DictReader(stream)]
    assert len(rows) == 16
    assert {row["target"] for row in rows} == {"ram"}
    assert (elsewhere.root / "best.csv").read_text().count("\n") > 1
    planned, printed = snakemake("--dry-run", "best")
    assert planned == {}
    assert "4 measured, 0 to measure" in printed


@pytest.mark.parametrize("kind", ["path", "git"])
def test_another_workflow_uses_its_records(elsewhere: Checkout, tiny: Checkout, kind: str) -> None:
    uses_its_records(elsewhere, committed(tiny) if kind == "git" else f'"{tiny.root}/Snakefile"', {})


@pytest.mark.parametrize("kind", ["path", "git"])
def test_a_module_measures_and_prints_by_default(elsewhere: Checkout, tiny: Checkout, kind: str) -> None:
    """Without a prefix and by the names that weir gives its rules."""
    snakefile = committed(tiny) if kind == "git" else f'"{tiny.root}/workflow/Snakefile"'
    elsewhere.write("workflow/Snakefile", DEPLOYED.format(snakefile=snakefile))
    elsewhere.write("config/config.yaml", {"suites": ["tiny"]})
    done = elsewhere.snakemake("--dry-run", code=0)
    assert jobs(done.stdout) == {"collect": 1, "draw": 1, "everything": 1, "measure": 1, "print": 1}


def test_what_snakedeploy_writes_draws_archived_records(elsewhere: Checkout, tiny: Checkout) -> None:
    """It copies config/ and profiles/; the Snakefile alone comes from the repository."""
    elsewhere.write("workflow/Snakefile", DEPLOYED.format(snakefile=committed(tiny)))
    for part in ("config", "profiles"):
        shutil.copytree(tiny.root / part, elsewhere.root / part)
    lines = (ROOT / ARCHIVE).read_text().splitlines(keepends=True)
    elsewhere.write("few.csv", "".join(lines[:41]))
    elsewhere.snakemake("results/archive/few/claims.csv", "--config", "records=few.csv", code=0)
    assert (elsewhere.root / "results/archive/few/report.html").is_file()


# The same with a prefix and a forge's name of the repository, as `snakedeploy deploy-workflow` writes them.
OF_A_FORGE = """\
configfile: "config/config.yaml"


module weir:
    snakefile:
        github("example/weir", path="workflow/Snakefile", tag="v1")
    config:
        config
    prefix:
        "storage"


use rule * from weir as weir_*


rule all:
    input:
        "storage/results/local/tiny/records.csv",
    default_target: True
"""


def test_a_module_of_a_forge_is_planned_below_its_prefix(
    elsewhere: Checkout, tiny: Checkout, tmp_path: Path
) -> None:
    """Snakemake clones the repository that github(...) names; git finds it here in place of the forge."""
    committed(tiny)
    settings = tmp_path / "gitconfig"
    settings.write_text(
        f'[url "file://{tiny.root}"]\n\tinsteadOf = https://github.com/example/weir\n'
        "[safe]\n\tdirectory = *\n"
    )
    elsewhere.write("workflow/Snakefile", OF_A_FORGE)
    elsewhere.write("config/config.yaml", {"site": "local", "suites": ["tiny"]})
    environment = {"GIT_CONFIG_GLOBAL": str(settings), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = elsewhere.call("snakemake", "--cores", "2", "--dry-run", environment=environment, code=0)
    assert jobs(done.stdout) == {"all": 1, "weir_collect": 1, "weir_measure": 1}
    assert "4 cells planned" in done.stderr
