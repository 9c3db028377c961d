"""Cells of the tool netcdf-bench: command line, cost, label, and invalid combinations."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.unit.tools.cells import DISK, assert_problem, cell_of, command_of
from weir.records.model import Cell, Target
from weir.tools.base import RunPaths
from weir.tools.netcdf_bench import TOOL
from weir.tools.netcdf_bench.geometry import GeometryError, parse_geometry

cell = partial(cell_of, TOOL, nodes=2, ppn=4)
command = partial(command_of, TOOL)


def test_command_of_the_defaults() -> None:
    """100:16:64:4 is of each rank: the variable has x times the nodes and y times the ppn."""
    assert command(cell(iterations=3), "build/weir-io", "netcdf-bench") == (
        "build/weir-io netcdf-bench -n=2 -p=4 -d=100:32:256:4 -b=1:16:64:4 -t=ind -w -r"
        " --format=netcdf4 --type=int --iterations=3 --values=position --sync"
        " --json=/results/000/summary.json -f=/data/run/data"
    )


def test_command_of_benchtool_has_its_own_options_only() -> None:
    one = cell(sync=False, collective=True, chunking="auto", deflate_level=4, fill=True, verify=True)
    assert command(one, "benchtool") == (
        "benchtool -n=2 -p=4 -d=100:32:256:4 -b=1:16:64:4 -c=auto -t=coll -w -r -F --verify -z=4"
        " -f=/data/run/data"
    )


@pytest.mark.parametrize(
    ("params", "options"),
    [
        ({"layout": "file-per-process"}, ["-t=file-per-process"]),
        ({"collective": True, "unlimited": True}, ["-t=coll", "-u"]),
        ({"geometry": "20:100:200:10", "geometry_of": "all"}, ["-d=20:100:200:10", "-b=1:50:50:10"]),
        ({"block": "10:8:64:4"}, ["-b=10:8:64:4"]),
        ({"chunking": "1:8:8:4"}, ["-c=1:8:8:4"]),
        ({"api": "PNETCDF", "type": "short"}, ["--format=cdf5", "--type=short"]),
        ({"stonewall": 2.5, "wear_out": True}, ["--stonewall=2.5", "--wear-out"]),
        ({"hints": {"b": "2", "a": "1"}}, ["--hint=a=1", "--hint=b=2"]),
        ({"drop_caches": True, "collective": True, "deflate_level": 1, "shuffle": True}, ["--drop-caches"]),
    ],
)
def test_command_says_what_the_cell_asks(params: dict[str, Any], options: list[str]) -> None:
    one = cell(**params)
    assert not TOOL.problems(one, DISK)
    assert set(options) <= set(command(one, "weir-io", "netcdf-bench").split())


def lacks(one: Cell) -> str:
    return str(TOOL.unsupported(one, ["/opt/benchtool"]))


@pytest.mark.parametrize(
    "params", [{"sync": True}, {"sync": False, "type": "double"}, {"sync": False, "hints": {"cb_nodes": "1"}}]
)
def test_benchtool_is_not_given_what_it_does_not_know(params: dict[str, Any]) -> None:
    """It never ends when it meets an unknown option on several ranks."""
    lacking = sorted(set(params) - {"sync"} or params)[0]
    assert lacking in lacks(cell(**params))
    assert "several iterations" in lacks(cell(iterations=2, sync=False))
    assert "a block of 64 bytes" in lacks(cell(sync=False, block="1:2:2:4"))
    assert TOOL.unsupported(cell(sync=False), ["/opt/benchtool"]) is None
    assert TOOL.unsupported(cell(**params), ["weir-io", "netcdf-bench"]) is None


@pytest.mark.parametrize(
    ("params", "printed"),
    [
        ({"geometry": "100:16:64"}, "is not t:x:y:z"),
        ({"geometry": "100:0:64:4"}, "is not t:x:y:z"),
        ({"geometry": "100:17:64:4", "geometry_of": "all"}, "cannot be shared out"),
        ({"block": "1:10:64:4"}, "x is 16 there, no multiple of 10"),
        ({"block": "3:16:64:4"}, "t is 100 there, no multiple of 3"),
        ({"chunking": "1:64:1:1"}, "larger than the variable"),
        ({"chunking": "3:1:1:1"}, "no multiple of the chunk's 3"),
        ({"unlimited": True}, "unlimited needs collective"),
        ({"unlimited": True, "layout": "file-per-process"}, "unlimited needs collective"),
        ({"deflate_level": 4}, "deflate_level needs collective"),
        ({"deflate_level": 10, "collective": True}, "0 to 9"),
        ({"shuffle": True}, "shuffle needs"),
        ({"collective": True, "layout": "file-per-process"}, "nobody to be collective with"),
        ({"api": "PNETCDF", "chunking": "auto"}, "no chunks"),
        ({"api": "PNETCDF", "collective": True, "deflate_level": 1}, "no compression"),
        ({"api": "PNETCDF", "fill": True, "unlimited": True}, "not both"),
        ({"wear_out": True}, "needs a stonewall"),
        ({"access": ["read"]}, "access needs write"),
        ({"access": []}, "access is empty"),
    ],
)
def test_what_cannot_mean_anything(params: dict[str, Any], printed: str) -> None:
    assert_problem(TOOL, cell(**params), printed)


def test_a_prefix_is_out_of_reach() -> None:
    web = Target("web", "disk", "/data", prefix="s3://")
    assert "cannot open a path with the prefix s3://" in TOOL.problems(cell(), web)[0]


def test_behind_ime_netcdf_opens_a_file_and_no_address() -> None:
    buffer = Target("buffer", "burst-buffer", "/data", prefix="ime://")
    assert TOOL.problems(cell(), buffer) == []
    (printed,) = TOOL.problems(cell(api="PNETCDF"), buffer)
    assert "past MPI-IO" in printed
    paths = RunPaths("ime:///data/run/data", Path("/results"))
    arguments = TOOL.command(cell(), buffer, ["weir-io", "netcdf-bench"], paths)
    assert arguments[-1] == "-f=ime:/data/run/data"


def test_footprint() -> None:
    data_bytes = 100 * 32 * 256 * 4 * 8
    cost = TOOL.footprint(cell(iterations=3, type="double", block="1:8:64:4"))
    assert (cost.written_bytes, cost.read_bytes) == (3 * data_bytes, 3 * data_bytes)
    assert (cost.peak_bytes, cost.inodes) == (data_bytes, 1)
    assert cost.operations == 8 * 200 * 6
    assert TOOL.footprint(cell(layout="file-per-process")).inodes == 8
    write_only = cell(access=["write"], verify=True)
    assert TOOL.footprint(write_only).read_bytes == TOOL.footprint(write_only).written_bytes


def test_label_leaves_defaults_out() -> None:
    assert TOOL.label(cell().params) == "NETCDF4 shared independent 100:16:64:4"
    params = cell(collective=True, chunking="auto", deflate_level=4, sync=False, access=["write"]).params
    arguments = "NETCDF4 shared collective 100:16:64:4 chunks-auto deflate-4 write no-sync"
    assert TOOL.label(params) == arguments


def test_geometry_is_four_numbers() -> None:
    assert parse_geometry("geometry", "100:16:64:2560") == (100, 16, 64, 2560)
    with pytest.raises(GeometryError, match="four positive numbers"):
        parse_geometry("geometry", "1:2:3:x")
