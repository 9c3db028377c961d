"""Everything right of the records in the container that analyses, by the command that its page gives."""

from __future__ import annotations

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


@pytest.mark.slow
def test_figures_are_drawn_in_the_container(checkout: Checkout, documented: list[str]) -> None:
    if shutil.which("apptainer") is None:
        pytest.skip("no apptainer on the PATH (https://apptainer.org, 1.3 or newer)")
    if not IMAGE.exists():
        pytest.skip("build/containers/analyse.sif is not built: containers/build.sh analyse")
    # As on the page: a root that may not set limits, and a machine that keeps /dev/fuse closed.
    options = ["--apptainer-args=--no-privs"] if os.geteuid() == 0 else []
    if not options and not os.access("/dev/fuse", os.W_OK):
        options = ["--apptainer-args=--unsquash"]
    done = checkout.call("snakemake", *options, *documented)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Activating singularity image build/containers/analyse.sif" in done.stdout + done.stderr
    assert (checkout.root / FIGURES / "scaling.pdf").read_bytes().startswith(b"%PDF")
