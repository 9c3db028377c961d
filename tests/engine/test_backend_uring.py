"""URING: the files of POSIX at every depth, by io_uring and by Linux AIO, with the same failures."""

from pathlib import Path

import pytest

from tests.engine.cells import Together
from tests.engine.runs import Engine, succeeded

INTERFACES = ["io_uring", "libaio"]
DEPTHS = [1, 7, 64]
BOTH = pytest.mark.parametrize("interface", INTERFACES)
SHAPE = ["-t", "4k", "-b", "64k", "-s", "3"]


ORDERS = ("-l random -z --random-offset-seed=5", "-l timestamp -F", "-l o --posix.odirect")


def write(back_end: str, order: str) -> str:
    return f"ior -a {back_end} -w -k -G 7 {' '.join(SHAPE)} {order} -o CELL/data"


def queue(interface: str, depth: int) -> str:
    return f"URING --uring.interface={interface} --uring.depth={depth}"


QUEUES = [queue(interface, depth) for interface in INTERFACES for depth in DEPTHS]
WRITES = tuple(write(back_end, order) for back_end in ["POSIX", *QUEUES] for order in ORDERS)


@BOTH
@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("order", ORDERS)
def test_the_bytes_are_those_of_posix(together: Together, interface: str, depth: int, order: str) -> None:
    runs = [together(WRITES)[write(back_end, order)] for back_end in ("POSIX", queue(interface, depth))]
    plain, queued = ([path.read_bytes() for path in sorted(run.folder.glob("data*"))] for run in runs)
    assert plain == queued != []
    written = succeeded(runs[1]).result("write")
    observed = written["observed"]["queue"]
    assert (observed["interface"], observed["depth"]) == (interface, depth)
    assert written["latency"]["count"] == 48


@BOTH
def test_what_is_read_is_compared(engine: Engine, tmp_path: Path, interface: str) -> None:
    arguments = ["-a", "URING", f"--uring.interface={interface}", *SHAPE, "-G", "7", "-l", "random", "-k"]
    data = tmp_path / "data"
    good = engine.good(*arguments, "-w", "-r", "-R", "-W", "-o", data, ranks=2)
    assert good.result("read")["verify"] == {"checked_bytes": 2 * 196608, "errors": 0, "first_error": None}
    with data.open("r+b") as file:
        file.seek(8192)
        file.write(b"wrong")
    done = engine.failed(*arguments, "-r", "-R", "-o", data, ranks=2)
    assert done.result("read")["verify"]["first_error"]["offset"] == 8192


@BOTH
def test_a_file_that_is_too_short_fails(engine: Engine, tmp_path: Path, interface: str) -> None:
    data = tmp_path / "data"
    data.write_bytes(bytes(10000))
    done = engine.failed("-a", "URING", f"--uring.interface={interface}", "-r", "-k", *SHAPE, "-o", data)
    assert "end of file" in done.complaints[0]


@BOTH
def test_a_full_file_system_fails(engine: Engine, small_space: Path, interface: str) -> None:
    arguments = ["-a", "URING", f"--uring.interface={interface}", "-w", "-t", "1m", "-b", "96m"]
    done = engine.failed(*arguments, "-o", small_space / "data")
    assert "No space left on device" in done.complaints[0]


@pytest.mark.parametrize("wear_out", [0, 1])
def test_a_stonewall_ends_it_and_the_read_stops_where_the_write_did(
    engine: Engine, tmp_path: Path, wear_out: int
) -> None:
    arguments = ["-a", "URING", "-w", "-r", "-R", "-G", "7", "-t", "4k", "-b", "1g", "-D", "0.1", "-F"]
    wall = ["-O", f"stoneWallingWearOut={wear_out}"] if wear_out else []
    done = engine.good(*arguments, *wall, "-o", tmp_path / "data", ranks=2)
    write, read = done.result("write"), done.result("read")
    assert write["stonewall"]["hit"] is True
    assert 0 < write["moved_bytes"] < 2 << 30
    assert read["verify"]["errors"] == 0
    if wear_out:
        assert write["moved_bytes"] == 2 * 4096 * write["stonewall"]["pairs_max"]


def test_the_names_of_iors_aio_are_taken(engine: Engine, tmp_path: Path) -> None:
    arguments = ["-a", "AIO", "--aio.max-pending=8", "--aio.granularity=4", "-w", *SHAPE]
    done = engine.good(*arguments, "-o", tmp_path / "data")
    assert done.document["requested"]["api"] == "URING"
    assert done.result("write")["observed"]["queue"]["depth"] == 8


def test_personalities_that_move_one_piece_at_a_time_use_it(engine: Engine) -> None:
    for arguments in (
        ["io-model", "-a", "URING", "-w", "-r", "--verify", "-n", "16", "-t", "4k", "-o", "f"],
        ["madbench", "-a", "URING", "-p", "32", "--verify", "-o", "m"],
    ):
        done = engine.call(arguments, ranks=2)
        assert done.code == 0, done.err
