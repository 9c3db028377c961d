"""Everything right of the records in the container that analyses, by the command that its page gives."""

import os
import re
import shlex
import shutil

import pytest
from snakemake.cli import get_argument_parser

from tests.workflow.conftest import ROOT, Checkout

PAGE = ROOT / "docs" / "how-to" / "containers.md"
IMAGE = ROOT / "build" / "containers" / "analyse.sif"
FIGURES = "results/archive/ddn-lustre-2018/figures"
IN_THE_IMAGE = "Activating singularity image build/containers/analyse.sif"


@pytest.fixture
def documented() -> list[str]:
    """The command of the page, for the figures instead of the whole paper."""
    lines = re.findall(r"^\.venv/bin/snakemake .*--sdm apptainer.*$", PAGE.read_text(), re.MULTILINE)
    line = next(iter(lines))
    arguments = shlex.split(line)
    assert arguments[-1] == "paper"
    return [*arguments[1:-1], FIGURES]


def test_the_command_of_the_page_is_one_that_snakemake_understands(documented: list[str]) -> None:
    # An option of several values, as --sdm is, would take the target for one.
    parsed = get_argument_parser().parse_args(documented)
    assert list(parsed.targets) == [FIGURES]
    assert parsed.config == ["records=reference/ddn-lustre-2018.csv"]


def test_a_measurement_stays_outside() -> None:
    # shell() within `run:` goes into the workflow's container too, unless the rule refuses it.
    rules = re.split(r"^rule ", (ROOT / "Snakefile").read_text(), flags=re.MULTILINE)
    started = [rule for rule in rules if "reframe_checks/" in rule]
    assert started
    assert all(re.search(r"^    container:\s+None$", rule, re.MULTILINE) for rule in started)


@pytest.fixture
def options() -> list[str]:
    """As on the page: of a root that may not set limits, and of a machine that keeps /dev/fuse closed."""
    if shutil.which("apptainer") is None:
        pytest.skip("no apptainer on the PATH (https://apptainer.org, 1.3 or newer)")
    if not IMAGE.exists():
        pytest.skip("build/containers/analyse.sif is not built: containers/build.sh analyse")
    if os.geteuid() == 0:
        return ["--apptainer-args=--no-privs"]
    return [] if os.access("/dev/fuse", os.W_OK) else ["--apptainer-args=--unsquash"]


@pytest.mark.slow
def test_figures_are_drawn_in_the_container(
    checkout: Checkout, documented: list[str], options: list[str]
) -> None:
    done = checkout.call("snakemake", *options, *documented, code=0)
    assert IN_THE_IMAGE in done.stdout + done.stderr
    assert (checkout.root / FIGURES / "scaling.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.slow
@pytest.mark.weekly
def test_the_whole_of_quick_is_collected_drawn_and_printed_in_the_container(
    checkout: Checkout, options: list[str]
) -> None:
    """It is measured outside, by weir-io of the machine."""
    arguments = ["--cores", "all", "--sdm", "apptainer", *options, "--config", "suites=quick", "--", "report"]
    done = checkout.call("snakemake", *arguments, environment={"LOGNAME": f"sdm-{os.getpid()}"}, code=0)
    assert IN_THE_IMAGE in done.stdout + done.stderr
    assert " results proven" in done.stdout
    assert (checkout.root / "results/local/quick/report.pdf").read_bytes().startswith(b"%PDF")
