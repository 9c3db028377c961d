"""Cells of the tool find: command line, cost, label, and invalid combinations."""

from functools import partial

from tests.unit.tools.cells import DISK, PATHS, cell_of
from tests.unit.tools.test_mdtest_cells import BUFFER
from weir.tools.find import TOOL

cell = partial(cell_of, TOOL, ppn=4)


def test_the_command_makes_the_tree_that_it_walks() -> None:
    line = "/data/run/data -C -name *01* -size 3901c --make-files=50 --make-directories=5 --make-bytes=3901"
    arguments = TOOL.command(
        cell(files_per_rank=50, directories_per_rank=5), DISK, ["weir-io", "find"], PATHS
    )
    assert arguments == ["weir-io", "find", *line.split(), "--json=/results/000/summary.json"]
    assert TOOL.unsupported(cell(), ["/opt/weir-io", "find"]) is None
    assert "use [weir-io, find]" in str(TOOL.unsupported(cell(), ["pfind"]))


def test_cost_and_label() -> None:
    one = cell(files_per_rank=50, directories_per_rank=5, by_size=False)
    cost = TOOL.footprint(one)
    assert (cost.inodes, cost.written_bytes, cost.read_bytes) == (4 * 55 + 1, 200 * 3901, 0)
    assert TOOL.label(one.params) == "50 files 3901B in 5 directories *01* names-only"


def test_what_cannot_mean_anything_is_said() -> None:
    assert len(TOOL.problems(cell(iterations=2, files_per_rank=5, directories_per_rank=6), BUFFER)) == 3
    assert not TOOL.problems(cell(), DISK)
