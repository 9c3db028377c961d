"""The commands of the documentation run, and print what the page shows."""

import os
import re
from pathlib import Path

import pytest

from tests.checkout import ROOT
from tests.programs import ran
from tests.unit.docs.pages import FENCE, Block, blocks, pages, programs, shows, steps
from weir.cli import build_parser, commands

BLOCKS = [block for page in pages() for block in blocks(page)]
# A page without output may show a command that another one shows with it.
SHOWN = {command for block in BLOCKS if block.language == "console" for command, _ in steps(block)}
RUN = [block for block in BLOCKS if block.marker == "run" and block.text.strip() not in SHOWN]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A directory that looks like the checkout, so that what a command writes is thrown away."""
    for part in ROOT.iterdir():
        if part.name not in ("build", "results", ".git", ".snakemake"):
            (tmp_path / part.name).symlink_to(part)
    (tmp_path / "build").mkdir()
    if (ROOT / "build" / "weir-io").is_file():
        (tmp_path / "build" / "weir-io").symlink_to(ROOT / "build" / "weir-io")
    return tmp_path


def test_every_block_of_commands_is_run_or_gives_the_reason() -> None:
    assert RUN
    assert [block.name for block in BLOCKS if not block.marker] == []
    assert [block.name for block in BLOCKS if block.marker != "run" and len(block.reason) < 10] == []


def test_the_gallery_has_each_verb() -> None:
    run, _, table = (ROOT / "docs/gallery.md").read_text().partition("Verbs that need")
    shown = {*re.findall(r"weir (\w+)", run)}
    for verbs in re.findall(r"^\| ([\w, ]+) \|", table, re.MULTILINE):
        shown |= {*re.findall(r"\w+", verbs)}
    assert commands().keys() <= shown


def test_no_command_hides_behind_another_language() -> None:
    """Blocks of sh and console are checked; the others hold no commands."""
    languages = {fence[1] for page in pages() for fence in FENCE.finditer(page.read_text())}
    assert languages <= {"sh", "console", "c", "yaml", "python", "r"}


def test_no_command_hides_in_an_indented_block() -> None:
    """Which has no marker. The how-to pages have no such block at all."""
    programs_of_ours = (
        r"make|snakemake|weir|imectl|Rscript|cmake|ctest|pytest|spack|apptainer|git|pip|mpi(?:run|exec)|srun"
    )
    command = re.compile(
        rf"^    (?:{programs_of_ours}|export|ldd|printf|\.venv/\S+|build/\S+) .*$", re.MULTILINE
    )
    found = []
    for page in pages():
        text = FENCE.sub("", page.read_text())
        inside = re.compile(r"\n\n {4}\S.*") if page.parent.name == "how-to" else command
        found += [f"{page.relative_to(ROOT)}: {line.strip()}" for line in inside.findall(text)]
    assert found == []


def test_a_test_that_a_reason_names_exists() -> None:
    named = {
        (block.name, path)
        for block in BLOCKS
        for path in re.findall(r"\b(?:tests|docs)/[\w/.-]*\w", block.reason)
    }
    assert named
    assert {(name, path) for name, path in named if not (ROOT / path).exists()} == set()


@pytest.mark.slow
def test_a_command_that_is_not_run_is_at_least_one_that_exists() -> None:
    """weir accepts its arguments, make has its target, the script is in the checkout."""
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    checked = set()
    for block in (block for block in BLOCKS if block.marker.startswith("not run")):
        for program, arguments in programs(block):
            if program in ("weir", ".venv/bin/weir"):
                build_parser().parse_args(arguments)  # ends the test where it refuses
            elif program == "make":
                assert {word for word in arguments if "=" not in word} <= targets, block.name
            elif "/" in program and not program.startswith(("/", "$", ".venv/", "spack/")):
                assert os.access(ROOT / program, os.X_OK), f"{block.name}: {program}"
            else:
                continue
            checked.add(Path(program).name)
    assert {"weir", "make", "print.sh", "build.sh"} <= checked


@pytest.mark.slow
@pytest.mark.parametrize("block", RUN, ids=[block.name for block in RUN])
def test_the_commands_run_and_print_what_the_page_shows(block: Block, checkout: Path) -> None:
    if "build/weir-io" in block.text and not (checkout / "build" / "weir-io").exists():
        pytest.skip("build/weir-io is not built: make build")
    environment = {key: value for key, value in os.environ.items() if not key.startswith("WEIR_")}
    # More ranks than processors: for Open MPI 4 and 5.
    environment |= {"COLUMNS": "100", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    environment |= {"PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe"}
    environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    for command, shown in steps(block):
        done = ran(["bash", "-euc", command], cwd=checkout, env=environment, timeout=120)
        assert done.returncode == 0, f"{block.name}: {command}\n{done.stdout}{done.stderr}"
        assert shows(done.stdout, shown), f"{block.name}: {command}\n{done.stdout}"
