"""The commands of docs/how-to/cluster.md and reframe.md, run with the sandbox as the cluster."""

import re
import shutil

import pytest

from tests.slurm.checkout import BIN, ROOT, Checkout

PAGES = ROOT / "docs" / "how-to"
pytestmark = pytest.mark.slow


def steps() -> list[str]:
    """The lines of the first block of commands."""
    block = re.search(r"```sh\n(.*?)```", (PAGES / "cluster.md").read_text(), re.DOTALL)
    assert block is not None
    return block[1].splitlines()


def reframe_commands() -> list[str]:
    return re.findall(r"^(\.venv/bin/reframe .*)$", (PAGES / "reframe.md").read_text(), re.MULTILINE)


@pytest.fixture
def lab(checkout: Checkout) -> Checkout:
    """A clone that is set up and built, as the first three lines leave it."""
    (checkout.folder / ".venv").symlink_to(BIN.parent)
    checkout.suite([1, 4], [1], name="nodes")
    return checkout


def edit_site(checkout: Checkout) -> None:
    """What the reader does in the editor: the sandbox's answers to the template's questions."""
    sites = checkout.folder / "config" / "sites"
    text = (sites / "sandbox" / "site.yaml").read_text()
    (sites / "lab" / "site.yaml").write_text(text.replace("site: sandbox", "site: lab"))
    target = (sites / "sandbox" / "targets" / "disk.yaml").read_text()
    (sites / "lab" / "targets" / "scratch.yaml").write_text(target.replace("target: disk", "target: scratch"))


def test_from_a_clone_to_the_first_report(lab: Checkout) -> None:
    assert len(steps()) <= 10
    for step in steps():
        if step.startswith(("git clone", "WEIR_APT=no", "make build")):
            continue  # tested by the tests of the set-up
        if step.startswith("$EDITOR"):
            edit_site(lab)
            continue
        arguments = step.replace(" --config ", " --slurm-init-seconds-before-status-checks 1 --config ")
        code, output = lab.ended("bash", "-c", arguments)
        # Virtual nodes share a machine's cores: which of them is slow at the moment is chance.
        assert code == 0 or (" nodes " in step and "times the median" in output), f"{step}\n{output}"
    study = lab.folder / "results" / "lab" / "nodes"
    assert (study / "report.pdf").read_bytes().startswith(b"%PDF")
    assert "<html" in (lab.folder / "nodes.html").read_text()[:2000].lower()
    lab.assert_clean()


def test_reframe_lists_checks_and_measures(lab: Checkout) -> None:
    shutil.copytree(
        lab.folder / "config" / "sites" / "lustre-template", lab.folder / "config" / "sites" / "lab"
    )
    edit_site(lab)
    commands = reframe_commands()
    assert len(commands) == 3
    for command in commands:
        output = lab.run("bash", "-c", command)
        assert "0 check(s)" not in output
        assert not re.search(r"Ran (?!2/2)", output), output  # one for each shape, of the tag alone
    runs = sorted(lab.folder.glob("results/lab/runs/*/*/run.json"))
    assert len(runs) == 2
    # As those who have weir from Spack do it: what was measured keeps its runs, the new ones are a campaign.
    (by_spack,) = re.findall(r"^(reframe .*)$", (PAGES / "spack.md").read_text(), re.MULTILINE)
    lab.run("bash", "-c", f"PATH={BIN}:$PATH; {by_spack}")
    assert sorted(lab.folder.glob("results/lab/runs/*/*/run.json")) == runs
    assert (lab.folder / "junit.xml").is_file()
    lab.assert_clean()
