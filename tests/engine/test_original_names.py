"""A link to weir-io with the name of an original takes its command line alone and ends with its exit codes.

The codes are those of IOR and mdtest 4.1dev for the same arguments. Where theirs is that of success although
something failed, it is not taken.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.engine.runs import Engine

GONE = "/nonexistent/folder/file"


@pytest.fixture
def ior(engine: Engine) -> Engine:
    return linked(engine, "ior")


@pytest.fixture
def mdtest(engine: Engine) -> Engine:
    return linked(engine, "mdtest")


def linked(engine: Engine, name: str) -> Engine:
    link = engine.folder / "bin" / name
    link.parent.mkdir()
    link.symlink_to(engine.program)
    return replace(engine, program=link)


IOR = {
    "-a NULL -w -r": 0,
    "-a NULL -w --dryRun": 0,
    "--help": 1,
    "--bogus": 1,
    "stray": 1,
    "-b": 1,
    "-t 3m -b 4m": 255,
    "-C -Z": 255,
    "-a NOPE": 255,
    "-O nosuch=1": 255,
    "-O nonsense": 255,
    f"-f {GONE}": 255,
    f"-O summaryFile={GONE}": 1,
    f"-w -o {GONE}": 255,
    "-a NULL -w --null.fail=close": 255,
}
MDTEST = {
    "-a NULL -n 3": 0,
    "--help": 1,
    "--bogus": 1,
    "stray": 1,
    "-n": 1,
    "-n 3 -I 2": 1,
    "-n 1 -l 9": 1,
    "-a NOPE": 255,
    f"-n 3 -d {GONE}": 255,
}


@pytest.mark.parametrize("arguments", IOR)
def test_codes_of_ior(ior: Engine, arguments: str) -> None:
    done = ior.call(arguments.split())
    assert done.code == IOR[arguments], done.err


@pytest.mark.parametrize("arguments", MDTEST)
def test_codes_of_mdtest(mdtest: Engine, arguments: str) -> None:
    done = mdtest.call(arguments.split())
    assert done.code == MDTEST[arguments], done.err


def test_several_ranks_end_with_the_same_codes(ior: Engine) -> None:
    assert [ior.call(line.split(), 2).code for line in ("-a NULL", "--bogus", f"-w -o {GONE}")] == [0, 1, 255]


def test_wrong_data_is_two_for_ior_and_never_success(ior: Engine, tmp_path: Path) -> None:
    """IOR counts each wrong transfer twice; 128 of them make its code 0, which no script can see."""
    data = tmp_path / "data"
    shape = ["-t", "64k", "-b", "64k", "-G", 7, "-k", "-o", data]
    assert ior.call(["-w", *shape]).code == 0
    held = bytearray(data.read_bytes())
    held[1000] ^= 1
    data.write_bytes(held)
    assert ior.call(["-r", "-R", *shape]).code == 2


def test_what_failed_is_no_success_for_mdtest_either(mdtest: Engine) -> None:
    """mdtest warns and ends with 0 where a file is missing."""
    assert mdtest.call(["-T", "-n", 2, "-F", "-d", "absent"]).code == 255


def test_the_name_is_that_of_the_program(ior: Engine) -> None:
    """Its help is the personality's; other names are weir-io itself, which has its own codes."""
    assert ior.call(["--help"]).out.startswith("weir-io ior: ")
    other = ior.program.parent / "measure"
    other.symlink_to(ior.program.resolve())
    assert replace(ior, program=other).call(["ior", "--bogus"]).code == 2
