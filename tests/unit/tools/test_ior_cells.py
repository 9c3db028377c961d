"""Cells of the tool ior: command line, cost, label, and invalid combinations."""

import dataclasses
import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.checkout import ROOT
from tests.unit.tools.cells import DISK, PATHS, assert_problem, cell_of
from weir.plan.cost import stopped
from weir.records.model import Cell, Target
from weir.tools import tools
from weir.tools.base import RunPaths
from weir.tools.engine import shared_engine
from weir.tools.ior.arguments import parse_arguments

IOR = tools()["ior"]
IME = Target("buffer", "ime", "/data", prefix="ime://")
NO_OPTIONS_OF_IOR = ("hints", "stripe_count", "pool", "osts", "drop_caches", "read_again")
NOT_REPEATED = {"fill_memory": 0, "random_twice": False, "reorder_nodes": 1}
cell = partial(cell_of, IOR, iterations=3, nodes=2, ppn=4)


def command(one: Cell, program: tuple[str, ...] = ("weir-io", "ior")) -> list[str]:
    return IOR.command(one, DISK, program, PATHS)


def test_command_of_the_defaults() -> None:
    assert " ".join(command(cell())) == (
        "weir-io ior -a POSIX -i 3 -t 1048576 -b 16777216 -s 1 -w -r -e -g -l=random"
        " --json=/results/000/summary.json -o /data/run/data"
    )


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"api": "MPIIO", "collective": True, "layout": "file-per-process"},
        {"order": "random", "xfer_bytes": 16384, "segments": 7, "access": ["write"], "sync": False},
        {"reorder": "constant", "verify_write": True, "verify_read": True, "keep": True},
        {"reorder": "random", "barriers": False, "direct": True},
        {"stonewall": 30.0, "wear_out": True},
        {"api": "PNETCDF"},
        {"api": "URING", "iodepth": 8, "direct": True},
        {"fill_memory": 80},
        {"order": "random", "random_twice": True},
        {"reorder": "constant", "reorder_nodes": 3},
    ],
)
def test_command_says_what_the_cell_asks(params: dict[str, Any]) -> None:
    """Read back by the parser of command lines, the command is the cell again."""
    one = cell(**params)
    requested = parse_arguments(" ".join(command(one, ("ior",))))
    assert requested["iterations"] == one.iterations
    for name, value in one.params.items():
        if name not in NO_OPTIONS_OF_IOR:
            assert requested.get(name, NOT_REPEATED.get(name)) == value, name


@pytest.mark.parametrize(
    "params",
    [
        {"api": "URING", "iodepth": 8, "direct": True},
        {"api": "URING", "iodepth": 1, "rate": 500},
        {"payload": "controlled", "compress_percent": 30, "dedupe_percent": 10},
        {"payload": "timestamp"},
        {"rw_mix": 70, "zipf": 1.2},
        {"api": "MPIIO", "distribution": "nested", "file_view": True},
    ],
)
def test_command_of_weir_io_says_what_the_cell_asks(params: dict[str, Any]) -> None:
    one = cell(**params)
    requested = parse_arguments(" ".join(command(one)))
    patterns = ("rw_mix", "zipf", "distribution", "file_view")
    for name in ("api", "direct", "iodepth", "rate", "compress_percent", "dedupe_percent", *patterns):
        assert requested[name] == one.params[name], name
    assert requested.get("payload", "timestamp") == one.params["payload"]


def test_a_queue_is_aio_in_ior() -> None:
    one = cell(api="URING", iodepth=32)
    assert command(one)[3] == "URING"
    assert "--uring.depth=32" in command(one)
    assert command(one, ("ior",))[2] == "AIO"
    assert {"--aio.max-pending=32", "--aio.granularity=1"} <= set(command(one, ("ior",)))
    assert not any("aio" in word or "depth" in word for word in command(cell()))


@pytest.mark.parametrize(
    ("line", "depth"),
    [
        ("ior -a AIO", 128),
        ("weir-io ior -a URING", 32),
        ("ior --aio.max-pending=9 -a AIO", 9),
        ("ior -a POSIX", 1),
    ],
)
def test_depth_of_a_command_line(line: str, depth: int) -> None:
    assert parse_arguments(line)["iodepth"] == depth


def test_hints_reach_the_ranks_by_their_environment() -> None:
    one = cell(api="MPIIO", hints={"romio_cb_write": "enable", "cb_nodes": "2"})
    assert IOR.environment(one) == {"IOR_HINT__MPI__cb_nodes": "2", "IOR_HINT__MPI__romio_cb_write": "enable"}
    assert shared_engine(IOR, cell(api="MPIIO"), ("weir-io", "ior")) == ("weir-io",)
    assert shared_engine(IOR, one, ("weir-io", "ior")) == (), "a launch has one environment for all cells"


def test_the_back_end_that_stores_nothing_has_two_names() -> None:
    assert command(cell(api="NULL"))[3] == "NULL"
    assert command(cell(api="NULL"), ("/opt/ior/bin/ior",))[2] == "DUMMY"


def test_random_order_can_be_verified() -> None:
    assert "--random-offset-seed=1" in command(cell(order="random", verify_read=True))
    assert not any("seed" in word for word in command(cell(order="random")))


def test_footprint_counts_every_byte() -> None:
    data_bytes = 8 * 2 * 2**24
    cost = IOR.footprint(cell(segments=2, verify_write=True))
    assert cost.written_bytes == 3 * data_bytes
    assert cost.read_bytes == 2 * 3 * data_bytes
    assert cost.peak_bytes == data_bytes
    assert cost.operations == 9 * data_bytes // 2**20
    assert cost.inodes == 1


def test_a_read_that_begins_again_is_ended_by_its_stonewall() -> None:
    again = cell(stonewall=1.0, wear_out=True, drop_caches=True, read_again=True)
    once = cell(stonewall=1.0, wear_out=True, drop_caches=True)
    assert "--read-again" in command(again)
    assert "--read-again" not in command(again, ("/opt/ior/bin/ior",))
    assert "--read-again" not in command(once)
    fast = dataclasses.replace(DISK, read_mib_s=1e6)
    assert stopped(IOR.footprint(once), fast).read_bytes == IOR.footprint(once).read_bytes
    assert stopped(IOR.footprint(again), fast).read_bytes == 3 * 10**6 * 2**20
    assert stopped(IOR.footprint(again), fast).written_bytes == IOR.footprint(once).written_bytes


def test_footprint_of_a_file_per_process_without_reads() -> None:
    cost = IOR.footprint(cell(layout="file-per-process", access=["write"]))
    assert (cost.inodes, cost.read_bytes) == (8, 0)


@pytest.mark.parametrize(
    ("params", "argv"),
    [
        ({"xfer_bytes": 3 * 2**20}, "not a multiple of the transfer"),
        ({"xfer_bytes": 100, "block_bytes": 1000}, "multiple of 8 bytes"),
        ({"order": "random", "xfer_bytes": 2**24}, "holds one transfer"),
        ({"order": "random", "api": "HDF5"}, "random order is refused for HDF5"),
        ({"order": "random", "api": "NETCDF4"}, "random order is refused for NETCDF4"),
        ({"order": "random", "api": "MPIIO", "collective": True}, "collective MPI-IO"),
        ({"order": "random", "reorder": "constant"}, "reorder must be none"),
        ({"collective": True}, "POSIX has no collective calls"),
        ({"api": "PNETCDF", "layout": "file-per-process"}, "PnetCDF has no file per process"),
        ({"api": "MPIIO", "direct": True}, "O_DIRECT can be requested of POSIX and URING only"),
        ({"iodepth": 8}, "POSIX waits for each transfer, so iodepth is 1, not 8"),
        ({"api": "URING", "iodepth": 5000}, "at most 4096"),
        ({"api": "URING", "iodepth": 17}, "makes 16 transfers in all, so an iodepth of 17 is never reached"),
        ({"api": "URING", "collective": True}, "URING has no collective calls"),
        ({"api": "MPIIO", "collective": True, "rate": 10}, "rate cannot begin them"),
        ({"rw_mix": 100}, "rw_mix is at most 99, not 100"),
        ({"rw_mix": 50, "access": ["write"]}, "access must have both"),
        ({"rw_mix": 50, "api": "HDF5"}, "rw_mix needs one of POSIX, MPIIO"),
        ({"rw_mix": 50, "reorder": "constant"}, "rw_mix excludes"),
        ({"zipf": 1.2, "order": "random"}, "zipf draws the offsets itself"),
        ({"zipf": 1.2, "api": "PNETCDF"}, "offsets in order only"),
        ({"distribution": "nested", "layout": "file-per-process"}, "distribution is for shared files"),
        ({"distribution": "nested", "api": "HDF5"}, "which has blocks only"),
        ({"file_view": True}, "POSIX has no file views"),
        ({"file_view": True, "api": "MPIIO", "stonewall": 2.0}, "file_view excludes stonewall"),
        ({"compress_percent": 30}, "compress_percent needs payload: controlled, and the payload is random"),
        ({"payload": "controlled", "dedupe_percent": 101}, "dedupe_percent is at most 100, not 101"),
        ({"hints": {"cb_nodes": "1"}}, "hints do not reach POSIX"),
        ({"wear_out": True}, "wear_out needs a stonewall"),
        (
            {"read_again": True, "drop_caches": True},
            "a read from storage until its stonewall: it needs stonewall and wear_out: true too",
        ),
        ({"read_again": True, "wear_out": True, "stonewall": 1.0}, "it needs drop_caches: true too"),
        ({"read_again": True}, "it needs stonewall, wear_out: true and drop_caches: true too"),
        ({"read_again": True, "rate": 5}, "read_again excludes rate"),
        ({"read_again": True, "api": "MMAP"}, "MMAP keeps the pages of an open file"),
        ({"verify_write": True, "access": ["read"]}, "verify_write needs write"),
        ({"verify_read": True, "access": ["write"]}, "verify_read needs read"),
        ({"access": ["read"]}, "nothing to read"),
        ({"access": []}, "nothing is requested"),
        ({"api": "IME"}, "needs a target with the prefix ime://"),
    ],
)
def test_problems(params: dict[str, Any], argv: str) -> None:
    assert_problem(IOR, cell(**params), argv)


def test_prefix_and_interface_belong_together() -> None:
    assert IOR.problems(cell(api="IME"), IME) == []
    assert any("cannot open a path with the prefix" in one for one in IOR.problems(cell(), IME))
    assert any("URING cannot open" in one for one in IOR.problems(cell(api="URING"), IME))
    assert any("past MPI-IO" in one for one in IOR.problems(cell(api="PNETCDF"), IME))
    assert IOR.problems(cell(api="NETCDF4"), IME) == []


@pytest.mark.parametrize(
    ("api", "name"), [("MPIIO", "ime:///data/f"), ("HDF5", "ime:///data/f"), ("NETCDF4", "ime:/data/f")]
)
def test_netcdf_is_given_a_file_behind_ime_and_no_address(api: str, name: str) -> None:
    paths = RunPaths("ime:///data/f", Path("/results"))
    assert IOR.command(cell(api=api), IME, ["weir-io", "ior"], paths)[-2:] == ["-o", name]


def test_a_good_cell_has_no_problems() -> None:
    assert IOR.problems(cell(), DISK) == []
    assert IOR.problems(cell(api="URING", iodepth=16, direct=True, rate=100), DISK) == []
    assert IOR.problems(cell(payload="controlled", compress_percent=100), DISK) == []
    assert IOR.problems(cell(api="MPIIO", collective=True, stonewall=30.0, wear_out=True), DISK) == []


def test_label_names_what_is_not_the_default() -> None:
    assert IOR.label(cell().params) == "POSIX shared sequential 1MiB of 16MiB"
    params = cell(
        api="MPIIO", collective=True, segments=4, sync=False, stonewall=30.0, access=["write"]
    ).params
    assert IOR.label(params) == (
        "MPIIO shared sequential 1MiB of 16MiB x4 write no-sync stonewall-30s collective"
    )


def test_labels_differ_where_parameters_do() -> None:
    """A cell's label must tell it from its neighbours."""
    plain = cell()
    changes: dict[str, Any] = {
        "api": "MPIIO",
        "layout": "file-per-process",
        "order": "random",
        "xfer_bytes": 8,
        "block_bytes": 2**30,
        "segments": 2,
        "access": ["write"],
        "collective": True,
        "sync": False,
        "barriers": False,
        "stonewall": 1.0,
        "wear_out": True,
        "reorder": "random",
        "verify_write": True,
        "verify_read": True,
        "direct": True,
        "hints": {"cb_nodes": "1"},
        "fill_memory": 80,
        "random_twice": True,
        "reorder_nodes": 3,
        "pool": "flash",
        "osts": "0,2",
        "keep": True,
        "payload": "timestamp",
        "compress_percent": 30,
        "dedupe_percent": 10,
        "iodepth": 8,
        "rate": 100,
        "rw_mix": 70,
        "zipf": 1.2,
        "distribution": "nested",
        "file_view": True,
        "stripe_count": 4,
        "drop_caches": True,
        "read_again": True,
    }
    assert set(changes) == set(plain.params)
    labels = {
        IOR.label(dataclasses.replace(plain, params=plain.params | {key: value}).params)
        for key, value in changes.items()
    }
    assert len(labels | {IOR.label(plain.params)}) == len(changes) + 1


@pytest.mark.parametrize(
    ("params", "reason"),
    [
        ({"api": "NETCDF4"}, "IOR has no NetCDF-4 back end"),
        ({"api": "PNETCDF", "reorder": "constant"}, "reads what each rank wrote itself"),
        ({"rate": 5}, "on a schedule"),
        ({"order": "random", "random_twice": True}, "divides by zero"),
        ({"stonewall": 0.5}, "stonewalls of whole seconds, and this one has 0.5"),
        ({"payload": "controlled"}, "payload: controlled"),
        ({"api": "IME"}, "does not synchronise with IME"),
        ({"drop_caches": True}, "does not drop caches"),
        ({"api": "URING", "iodepth": 1}, "AIO refuses an iodepth below 8: 1"),
        ({"api": "URING", "iodepth": 8, "verify_read": True}, "compares data before its transfer has ended"),
    ],
)
def test_what_only_weir_io_does_is_refused_for_ior(params: dict[str, Any], reason: str) -> None:
    one = cell(**params)
    assert IOR.unsupported(one, ("weir-io", "ior")) is None
    assert re.search(reason, IOR.unsupported(one, ("ior",)) or "")


def test_all_that_ior_lacks_is_told_at_once() -> None:
    """A user of the tutorial with her own IOR removed one setting after the other."""
    one = cell(
        stonewall=0.5, wear_out=True, drop_caches=True, read_again=True, zipf=1.2, distribution="nested"
    )
    assert IOR.unsupported(one, ("ior",)) == (
        "IOR has no zipf, distribution; IOR has stonewalls of whole seconds, and this one has 0.5; "
        "IOR does not drop caches (drop_caches); IOR does not begin a read again (read_again)"
    )


def test_both_programs_hold_memory() -> None:
    one = cell(fill_memory=80)
    assert command(one)[command(one).index("-M") + 1] == "80%"
    assert IOR.unsupported(one, ("ior",)) is IOR.unsupported(one, ("weir-io", "ior")) is None
    assert not IOR.problems(one, DISK)
    assert "fill_memory is at most 95" in " ".join(IOR.problems(cell(fill_memory=96), DISK))


def test_a_document_gives_back_what_was_requested(tmp_path: Path) -> None:
    """The depth is the one that ran: a back end without a queue waits for each transfer."""
    document = json.loads((ROOT / "tests/golden/ior/weir-io-mpiio.json").read_text(encoding="utf-8"))
    first, second = document["results"][:2]
    document["requested"] |= {"rate": 100, "compress_percent": 30, "dedupe_percent": 10}
    first["observed"]["queue"] = {"interface": "libaio", "depth": 8, "registered_buffers": False}
    second["observed"].pop("queue", None)
    (tmp_path / "summary.json").write_text(json.dumps(document), encoding="utf-8")
    rows = IOR.parse({"summary": tmp_path / "summary.json"}).rows
    assert [row["iodepth"] for row in rows[:2]] == [8, 1]
    assert [rows[0][name] for name in ("rate", "compress_percent", "dedupe_percent")] == [100, 30, 10]
