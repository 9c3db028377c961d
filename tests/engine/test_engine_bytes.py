"""The bytes on disk are those that were requested, at the offsets that were requested."""

import os
import shutil
import struct
from collections.abc import Callable
from hashlib import sha256
from itertools import product
from pathlib import Path

import pytest

from tests.engine.cells import Together
from tests.engine.runs import Done, Engine, argv
from tests.programs import ran

pytestmark = pytest.mark.quick

SIGNATURE = 42
RANKS = 2
GEOMETRIES = [("64k", "16k"), ("47008", "47008"), ("24", "8")]


def bytes_of(size: str) -> int:
    return int(size[:-1]) * 1024 if size.endswith("k") else int(size)


def packet(rank: int, xfer: int) -> bytes:
    """What one transfer of a rank holds: the rank, and a number that runs on from the signature."""
    return b"".join(struct.pack("<II", SIGNATURE + i, rank) for i in range(xfer // 8))


def sequential_file(block: int, xfer: int, segments: int, owners: list[int]) -> bytes:
    blocks = [packet(owner, xfer) * (block // xfer) for owner in owners]
    return b"".join(blocks) * segments


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name.startswith("data")}


MATRIX = {
    f"-a {api} -s {segments} -b {block} -t {xfer} {layout} {order}".strip(): (segments, block, xfer)
    for api, layout, segments, (block, xfer), order in product(
        ["POSIX", "MMAP", "MPIIO", "URING"],
        ["", "-F"],
        [1, 2, 3],
        GEOMETRIES,
        ["", "-z --random-offset-seed=3"],
    )
    if not (order and block == xfer)
}
# Files that IOR 4.1 left for the same options on two ranks; the random ones by the GNU C library's numbers.
LEFT_BY_IOR = {
    "-b 64k -t 16k -s 2": "d96281b29fef9cdfe891",
    "-b 47008 -t 47008 -s 3": "9a3a394a4750367a5949",
    "-b 64k -t 16k -s 2 -F": "6be6afd68c16bb408baf",
    "-b 64k -t 16k -l offset -s 3": "c3b8f51a7c304a48b44f",
    "-b 64k -t 16k -l random": "5a73ac52ee199a079ffd",
    "-b 64k -t 16k -l incompressible -F": "a8b0f30ac513ec1df7cc",
    "-b 64k -t 8k -s 2 -z --random-offset-seed=7": "e8665b4785da875fed12",
    "-b 64k -t 8k -s 2 -z --random-offset-seed=7 -F -l offset": "d3b6e32fb07cbad60c1e",
    "-a MPIIO -c -b 24 -t 8 -s 3 -l offset": "242f0a03240d381fb849",
}
KEPT = f"-w -k -G {SIGNATURE} -o"


@pytest.fixture
def written(together: Together) -> Callable[[str], Done]:
    """The run of one line of both tables."""
    lines = {line: f"ior {line} {KEPT} CELL/data" for line in [*MATRIX, *LEFT_BY_IOR]}
    runs = together(tuple(lines.values()), RANKS)
    return lambda line: runs[lines[line]]


@pytest.mark.parametrize("line", MATRIX)
def test_files_hold_what_was_requested_for(written: Callable[[str], Done], line: str) -> None:
    done = written(line)
    assert done.code == 0, done.err
    segments, block_bytes, xfer_bytes = MATRIX[line][0], *map(bytes_of, MATRIX[line][1:])
    result = done.result("write")
    assert result["moved_bytes"] == result["file_bytes"] == RANKS * segments * block_bytes
    found = files(done.folder)
    if "-F" in line:
        # Whatever the order, every transfer of a rank is the same.
        assert found == {
            f"data.{rank:08}": sequential_file(block_bytes, xfer_bytes, segments, [rank])
            for rank in range(RANKS)
        }
    elif "-z" not in line:
        assert found == {"data": sequential_file(block_bytes, xfer_bytes, segments, list(range(RANKS)))}
    else:
        assert_dealt(found["data"], xfer_bytes, RANKS * segments * block_bytes)


def assert_dealt(content: bytes, xfer: int, size: int) -> None:
    """In a shared file in random order each transfer belongs to some rank, whole."""
    packets = [packet(rank, xfer) for rank in range(RANKS)]
    assert len(content) == size
    owners = {packets.index(content[at : at + xfer]) for at in range(0, size, xfer)}
    assert owners <= set(range(RANKS))


@pytest.mark.slow
def test_offset_data_says_where_it_lies(engine: Engine) -> None:
    """With -l offset the head of every 4 KiB of a transfer holds the transfer's offset, times its number."""
    engine.good(
        "-w", "-k", "-l", "offset", "-b", "64k", "-t", "16k", "-s", 2, "-z", "-o", "data", ranks=RANKS
    )
    content = (engine.folder / "data").read_bytes()
    assert len(content) == RANKS * 2 * 65536
    for at in range(0, len(content), 4096):
        value, rank = struct.unpack_from("<II", content, at)
        offset, number = at // 16384 * 16384, at % 16384 // 4096 + 1
        assert value == offset * number
        assert rank < RANKS


@pytest.mark.slow
@pytest.mark.parametrize("line", sorted(LEFT_BY_IOR))
def test_files_are_those_of_ior(written: Callable[[str], Done], line: str) -> None:
    assert digest(files(written(line).folder)) == LEFT_BY_IOR[line]


def real_ior() -> str | None:
    """IOR=/path/to/ior, or ior on the PATH, where it is IOR."""
    program = shutil.which(os.environ.get("IOR", "ior"))
    if program is None:
        return None
    done = ran([program, "-h"])
    return program if "--hdf5." in done.stdout + done.stderr or "Module POSIX" in done.stdout else None


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments", [*sorted(LEFT_BY_IOR), "-a MMAP -b 64k -t 16k -s 2", "-a NCMPI -b 64k -t 16k"]
)
def test_files_are_those_of_the_ior_at_hand(engine: Engine, arguments: str) -> None:
    program = real_ior()
    if program is None:
        pytest.skip("no IOR: neither IOR=/path/to/ior nor ior on the PATH")
    requested = argv(f"{arguments} {KEPT} data")
    engine.good(*requested, ranks=RANKS)
    ours = files(engine.folder)
    for name in ours:
        (engine.folder / name).unlink()
    done = Engine(Path(program), engine.folder).call(requested, RANKS)
    if "option is not compiled" in done.out or "Unrecognized" in done.out + done.err:
        pytest.skip(f"{program} has not what '{arguments}' needs")
    assert done.code == 0, done.out + done.err
    assert files(engine.folder) == ours


def digest(found: dict[str, bytes]) -> str:
    whole = sha256()
    for name in sorted(found):
        whole.update(name.encode() + found[name])
    return whole.hexdigest()[:20]


@pytest.mark.slow
def test_an_existing_file_is_replaced_or_written_into(engine: Engine) -> None:
    data = engine.folder / "data"
    data.write_bytes(b"x" * 100_000)
    engine.good("-w", "-k", "-E", "-i", 2, "-b", "64k", "-t", "16k", "-G", SIGNATURE, "-o", "data")
    assert data.read_bytes() == sequential_file(65536, 16384, 1, [0]) + b"x" * (100_000 - 65536)
    engine.good("-w", "-k", "-b", "64k", "-t", "16k", "-G", SIGNATURE, "-o", "data")
    assert data.read_bytes() == sequential_file(65536, 16384, 1, [0])


@pytest.mark.slow
def test_files_made_are_removed_unless_kept(engine: Engine) -> None:
    arguments = ["-w", "-r", "-F", "-u", "-i", 2, "-b", "16k", "-t", "8k", "-o", "there/data"]
    (engine.folder / "there").mkdir()
    engine.good(*arguments, ranks=RANKS)
    assert list((engine.folder / "there").iterdir()) == []
    engine.good(*arguments, "-k", ranks=RANKS)
    kept = sorted(path.relative_to(engine.folder).as_posix() for path in engine.folder.glob("there/*/*"))
    assert kept == ["there/0/data.00000000", "there/1/data.00000001"]


@pytest.mark.slow
def test_a_file_that_was_only_read_stays(engine: Engine) -> None:
    engine.good("-w", "-k", "-b", "16k", "-t", "8k", "-o", "data")
    engine.good("-r", "-i", 2, "-b", "16k", "-t", "8k", "-o", "data")
    assert (engine.folder / "data").stat().st_size == 16384


@pytest.mark.slow
def test_only_the_first_ranks_take_part(engine: Engine) -> None:
    done = engine.good("-w", "-k", "-F", "-N", 2, "-b", "16k", "-t", "8k", "-o", "data", ranks=3)
    assert done.document["job"]["tasks"] == 2
    assert sorted(files(engine.folder)) == ["data.00000000", "data.00000001"]
