"""elbencho on two virtual nodes, a service on each, by the script of its tool."""

import shutil
from pathlib import Path

import pytest

from tests.slurm.private_slurm import Cluster
from tests.unit.tools.cells import cell_of
from weir.records.model import Target
from weir.site.launchers import launcher
from weir.tools import tools
from weir.tools.base import RunPaths

pytestmark = pytest.mark.slow
MIB = 2**20


def test_the_services_of_two_nodes_measure_together(cluster: Cluster, tmp_path: Path) -> None:
    program = shutil.which("elbencho")
    if program is None:
        pytest.skip("elbencho is not installed")
    tool = tools()["elbencho"]
    cell = cell_of(tool, nodes=2, block_bytes=8 * MIB, jobs=2)
    target = Target(name="disk", kind="disk", path=str(tmp_path))
    paths = RunPaths(str(tmp_path / "data"), tmp_path / "outputs")
    paths.outputs.mkdir()
    command = tool.command(cell, target, [program], paths)
    cluster.out(*launcher("srun").command(2, 1, [], {}), *command)
    assert (tmp_path / "data").stat().st_size == 32 * MIB
    rows = tool.parse({"summary": paths.outputs / "summary.json"}).rows
    assert [(row["access"], row["nn"], row["moved_bytes"]) for row in rows] == [
        ("write", 2, 32 * MIB),
        ("read", 2, 32 * MIB),
    ]
    assert [file.name for file in paths.outputs.iterdir()] == ["summary.json"]
