"""What changes a cell's identity and what does not: measured results are found again by it."""

from pathlib import Path

import pytest

from tests.checkout import SITE, SUITE, TARGET, TOOLS, load, make_checkout
from weir.plan import make_plan
from weir.plan.config import load_config
from weir.plan.expand import cell_identity
from weir.tools.base import Parameter


def ids(folder: Path, suite: str = SUITE, site: str = SITE, target: str = TARGET) -> set[str]:
    return {
        cell.cell
        for cell in make_plan(load(make_checkout(folder, {"mine": suite}, site, {"disk": target}))).cells
    }


def changed(part: str, old: str, new: str) -> dict[str, str]:
    texts = {"suite": SUITE, "site": SITE, "target": TARGET}
    assert old in texts[part]
    return {**texts, part: texts[part].replace(old, new)}


def test_identities_are_for_ever(tmp_path: Path) -> None:
    """A change here orphans every measured result: it must be meant."""
    assert sorted(ids(tmp_path))[:2] == ["0e25d171849d", "16a098c98083"]


@pytest.mark.parametrize(
    ("part", "old", "new"),
    [
        ("suite", "How fast is it?", "How quick is it?"),
        ("suite", "  sizes:", "  other-name:"),
        ("suite", "rounds: 2", "rounds: 7"),
        ("suite", "    tool: fake", "    timeout: 5 min\n    tool: fake"),
        ("suite", '"= 4 * xfer"', '"= xfer * 4"'),
        ("suite", "    fixed:", "    fixed:\n      collective: false\n      sync: true"),
        ("site", "A site for tests", "Another text"),
        ("site", "nodes: 2,", "nodes: 20,"),
        ("site", "  node: {", "  renamed: {"),
        ("site", "launch: 1 s", "launch: 3 s"),
        ("target", "A directory", "Another text"),
        ("target", "kind: disk", "kind: memory"),
        ("target", "space: 1 GiB", "space: 2 GiB"),
        ("target", "100 MiB/s", "900 MiB/s"),
        ("target", "apis: [POSIX, MPIIO]\n", ""),
    ],
)
def test_words_limits_and_costs_change_nothing(tmp_path: Path, part: str, old: str, new: str) -> None:
    assert ids(tmp_path / "a") == ids(tmp_path / "b", **changed(part, old, new))


@pytest.mark.parametrize(
    ("part", "old", "new"),
    [
        ("suite", "iterations: 3", "iterations: 4"),
        ("suite", "ppn: [1, 2]", "ppn: [3, 4]"),
        ("suite", "nodes: [1]", "nodes: [2]"),
        ("suite", "4 * xfer", "5 * xfer"),
        ("suite", "    fixed:", "    fixed:\n      sync: false"),
        ("suite", "    fixed:", "    fixed:\n      collective: true"),
        ("site", "mpirun", "srun"),
        ("site", "bin/fake", "bin/other"),
        ("site", "    programs:", "    environment: {A: '1'}\n    programs:"),
        ("site", "    programs:", "    launcher_options: [--bind-to, none]\n    programs:"),
        ("target", "/scratch/", "/project/"),
        ("target", "kind:", "prefix: 'ime://'\nkind:"),
        ("target", "kind:", "environment: {A: '1'}\nkind:"),
        ("target", "kind:", "prepare: [[lfs, setstripe]]\nkind:"),
    ],
)
def test_what_reaches_the_measurement_changes_every_cell(
    tmp_path: Path, part: str, old: str, new: str
) -> None:
    assert not ids(tmp_path / "a") & ids(tmp_path / "b", **changed(part, old, new))


def test_growing_a_space_keeps_the_old_cells(tmp_path: Path) -> None:
    before = ids(tmp_path / "a")
    after = ids(tmp_path / "b", SUITE.replace("[16 KiB, 1 MiB]", "[16 KiB, 1 MiB, 4 MiB]"))
    assert before < after
    assert len(after - before) == 4


def test_the_place_of_the_checkout_changes_nothing(tmp_path: Path) -> None:
    assert ids(tmp_path / "here") == ids(tmp_path / "over" / "there")


def test_a_parameter_that_a_tool_gets_later_changes_nothing_while_it_is_off(tmp_path: Path) -> None:
    class Later(type(TOOLS["fake"])):  # type: ignore[misc]
        parameters = {  # noqa: RUF012, the class attribute is the hook
            **TOOLS["fake"].parameters,
            "direct": Parameter("flag", "O_DIRECT.", False),
            "readers": Parameter("count", "Readers.", 0),
            "pattern": Parameter("text", "Pattern.", None),
        }

    root = make_checkout(tmp_path)
    later = make_plan(load_config(root=root, environment={}, tools={"fake": Later()}))
    assert {cell.cell for cell in later.cells} == ids(tmp_path)


def test_a_value_that_is_off_but_not_by_default_counts() -> None:
    tool = TOOLS["fake"]
    off = cell_identity(tool, {"sync": False}, {"sync": True}, {})
    assert off != cell_identity(tool, {}, {}, {})
    assert cell_identity(tool, {"collective": False}, {"collective": False}, {}) == cell_identity(
        tool, {}, {}, {}
    )
    assert len(off) == 12
