"""The commands of IOR's own tests, by their arguments, leave what IOR and mdtest leave.

Compared are exit status, names, sizes and bytes.

What the originals leave was captured from IOR 4.1dev. md-workbench is another program, which weir-io does not
stand for.
"""

import json
import shutil
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.engine.runs import Engine
from tests.engine.test_engine_bytes import packet

SIGNATURE = 42  # of packet()
XFER = 102400
Owners = dict[str, tuple[int | None, ...]]


@dataclass(frozen=True)
class Command:
    """One command, and the files that it and the commands before it leave in their folder.

    `owners` has for each file the ranks of its transfers, in order; None is any rank. A folder's value is ().
    """

    program: str
    ranks: int
    arguments: str
    owners: Owners = field(default_factory=dict)
    xfer: int = XFER


SHARED: Owners = {"ior.0": (0, 0, 1, 1)}
OWN: Owners = {"ior.00000000.0": (0, 0), "ior.00000000.1": (0, 0)}
PAIR: Owners = {"ior.00000000.0": (0, 0), "ior.00000001.0": (1, 1)}
ANYONE: Owners = {"ior.0": (None,) * 4}
TREE = "mdest/test-dir.0-0/mdtest_tree.0.0"
LEFT_TREE: Owners = {
    "mdest": (),
    "mdest/test-dir.0-0": (),
    TREE: (),
    f"{TREE}/dir.mdtest.0.0": (),
    f"{TREE}/file.mdtest.0.0": (),
    f"{TREE}/mdtest_tree.0.1": (),
    f"{TREE}/mdtest_tree.0.1/dir.mdtest.0.1": (),
    f"{TREE}/mdtest_tree.0.1/file.mdtest.0.1": (),
}
END = "-i1 -m -t 100k -b 200k"

BASIC = [
    Command("mdtest", 1, "-a POSIX"),
    Command("mdtest", 2, "-a POSIX -W 2"),
    Command("mdtest", 1, "-C -T -r -F -I 1 -z 1 -b 1 -L -u"),
    Command("mdtest", 1, "-C -T -I 1 -z 1 -b 1 -u", LEFT_TREE),
    Command("mdtest", 2, "-n 1 -f 1 -l 2"),
    Command("ior", 1, "-a POSIX -w -z -F -Y -e -i1 -m -t 100k -b 2000k"),
    Command("ior", 1, "-a POSIX -w -z -F -k -e -i2 -m -t 100k -b 200k", OWN),
    Command("ior", 1, f"-a MMAP -r -z -F -k -e {END}", OWN),
    Command("ior", 2, f"-a POSIX -w -C -k -e {END}", SHARED | OWN),
    Command("ior", 2, f"-a POSIX -r -k -e {END} -s 10 -z -z", SHARED | OWN),
    Command("ior", 2, f"-a POSIX -w -z -C -F -k -e {END}", SHARED | OWN | PAIR),
    Command("ior", 2, f"-a POSIX -w -z -C -Q 1 -F -k -e {END}", SHARED | OWN | PAIR),
    Command("ior", 2, f"-a POSIX -r -z -Z -Q 2 -F -k -e {END}", SHARED | OWN | PAIR),
    Command("ior", 2, f"-a POSIX -r -z -Z -Q 3 -X 13 -F -k -e {END}", SHARED | OWN | PAIR),
    Command("ior", 3, f"-a POSIX -w -z -Z -Q 1 -X -13 -F -e {END}", SHARED | {"ior.00000000.1": (0, 0)}),
]
JSON = Command("ior", 2, "-a DUMMY -e -F -t 1m -b 1m -A 328883 -O summaryFormat=JSON -O summaryFile=OUT.json")
SCRIPT = Command("ior", 2, "-f script", PAIR, xfer=10240)
STONEWALL = "-O stoneWallingStatusFile=stonewall.log"
STONEWALLS = [
    Command("ior", 2, f"-a DUMMY -w {STONEWALL} -O stoneWallingWearOut=1 -D 1 -t 1000 -b 1000 -s 15 -k"),
    Command("ior", 2, f"-a DUMMY -r {STONEWALL} -D 1 -t 1000 -b 1000 -s 30 -k"),
    Command("ior", 2, f"-a DUMMY -r {STONEWALL} -t 1000 -b 1000 -s 30 -k"),
    Command("mdtest", 2, "-I 20 -a DUMMY -W 1 -x stonewall-md.log -C"),
    Command("mdtest", 2, "-I 20 -a DUMMY -x stonewall-md.log -T -v"),
    Command("mdtest", 2, "-I 20 -a DUMMY -x stonewall-md.log -D -v"),
]
COMPLEX = [
    Command("ior", 2, f"-a POSIX -w -z -Y -e {END}"),
    Command("ior", 2, f"-a POSIX -w -k -e {END}", SHARED),
    Command("ior", 2, f"-a POSIX -r -z-k -e {END}", SHARED),
    Command("ior", 2, f"-a POSIX -w -z -k -e {END}", ANYONE),
    Command("ior", 2, f"-a POSIX -w -z -k -e {END}", ANYONE),
    Command("ior", 2, "-a POSIX -w -Z -i1 -m -t 100k -b 100k -d 0.1"),
]


def run(engine: Engine, command: Command, *more: str) -> str:
    """As IOR's tests start it, with a signature, so that the bytes are known; its output."""
    place = engine.folder / "work"
    place.mkdir(exist_ok=True)
    arguments: list[object] = [*command.arguments.split()]
    arguments += (
        ["-o", place / "ior", "-G", SIGNATURE] if command.program == "ior" else ["-d", place / "mdest"]
    )
    arguments += ["-V=4"] if command.program == "mdtest" else []
    done = engine.call([command.program, *arguments, *more], command.ranks)
    assert done.code == 0, f"{command.arguments}: {done.err}"
    return done.out


def found(place: Path) -> Iterator[tuple[str, Path]]:
    for path in place.rglob("*"):
        yield str(path.relative_to(place)), path


def check(engine: Engine, command: Command) -> None:
    files = dict(found(engine.folder / "work"))
    assert set(files) == set(command.owners), command.arguments
    for name, owners in command.owners.items():
        if files[name].is_dir():
            continue
        held = files[name].read_bytes()
        pieces = [held[at : at + command.xfer] for at in range(0, len(held), command.xfer)]
        assert len(pieces) == len(owners), f"{command.arguments}: {name}"
        for piece, owner in zip(pieces, owners, strict=True):
            wrote = struct.unpack_from("<II", piece)[1] if owner is None else owner
            assert wrote < command.ranks
            assert piece == packet(wrote, command.xfer), f"{command.arguments}: {name}"


@pytest.mark.parametrize("commands", [BASIC, COMPLEX], ids=["basic", "complex"])
def test_each_command_leaves_what_the_original_leaves(engine: Engine, commands: list[Command]) -> None:
    for command in commands:
        run(engine, command)
        check(engine, command)
        if command.program == "mdtest":
            shutil.rmtree(engine.folder / "work")


def test_json_of_the_back_end_that_stores_nothing(engine: Engine) -> None:
    run(engine, JSON)
    document = json.loads((engine.folder / "OUT.json").read_text())
    assert [result["access"] for result in document["tests"][0]["Results"]] == ["write", "read"]
    assert {line["ReferenceNumber"] for line in document["summary"]} == {328883}


def test_a_script_with_comments_and_two_tests(engine: Engine) -> None:
    """Blanks and comments before and behind directives; the second test has the first one's and two more."""
    (engine.folder / "script").write_text(
        "# a comment\nIOR START\napi=posix\nwriteFile =1\n   randomOffset=1\nreorderTasks=1\n"
        "   filePerProc=1\n\t\tkeepFile=1\nfsync=1\n\trepetitions=1\nmultiFile=1\n\t\t# a comment\n"
        "transferSize=10k\nblockSize=20k\n    # a comment\nrun\n--dummy.delay-create=1000\nuseo_direct=0\n"
        "#--posix.odirect=0\napi=dummy\n    ior stop\n"
    )
    out = run(engine, SCRIPT)
    check(engine, SCRIPT)
    lines = [line.split() for line in out.splitlines() if line.startswith("write ") and line.endswith(" 0")]
    assert [(line[12], line[-2]) for line in lines if len(line) > 20] == [("0", "POSIX"), ("1", "NULL")]
    assert out.count("\nTestID ") == 2
    assert out.count("\nBegan ") == out.count("\nFinished ") == 1


def test_a_script_of_a_small_shared_file_that_the_next_rank_reads(engine: Engine) -> None:
    (engine.folder / "script").write_text(
        "IOR START\nreorderTasksConstant=1\nrepetitions=1\nsegmentCount=1\nverbose=0\nfsync=0\ncheckWrite=1\n"
        "blockSize=16\nsetTimeStampSignature=1511817315\ncheckRead=0\nreadFile=1\nfilePerProc=0\nwriteFile=1\n"
        "transferSize=16\nintraTestBarriers=0\n\nRUN\nIOR STOP\n"
    )
    command = Command("ior", 2, "-a POSIX -f script")
    assert "\nread  " in run(engine, command)
    check(engine, command)


def test_what_a_stonewall_allowed_is_known_to_the_next_run(engine: Engine) -> None:
    moved = []
    for command in STONEWALLS:
        run(engine, command, "--json=own.json")
        moved += [
            result["moved_bytes"]
            for result in json.loads((engine.folder / "own.json").read_text())["results"]
        ]
    assert (engine.folder / "stonewall.log").read_text().split() == ["15"]
    assert (engine.folder / "stonewall-md.log").read_text().split() == ["20"]
    assert moved[:3] == [30000, 30000, 30000]
    assert not list((engine.folder / "work").iterdir())
