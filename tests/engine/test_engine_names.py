"""A static function carries the name of its file, so that a profile or a backtrace shows where it is."""

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.engine.runs import ROOT

FUNCTION = re.compile(
    r"^static (?:inline )?(?:const )?(?:(?:struct|enum|unsigned) )?\w+ \**(?:const )?\**(\w+)\(", re.M
)
# Files of a personality share its prefix, and some files a shorter name.
PREFIXES = {
    "io_model": "iom",
    "madbench": "mad",
    "netcdf_bench": "ncb",
    "document_json": "document",
    "document_probe": "document",
    "ime_fuse": "fuse",
    "transfers_queued": "queued",
}


def prefixes(path: Path) -> set[str]:
    names = {path.stem, path.parent.name, *path.stem.split("_")}
    names |= {PREFIXES[name] for name in names if name in PREFIXES}
    return {name.rstrip("s") for name in names if len(name) > 2}


@pytest.mark.parametrize("part", ["engine", "ime"])
def test_static_functions_carry_the_name_of_their_file(part: str) -> None:
    found = {
        (path, name)
        for path in (ROOT / "src" / part).rglob("*.c")
        for name in FUNCTION.findall(path.read_text())
    }
    assert len(found) > 250
    bare = [f"{p.name}: {name}" for p, name in found if not any(word in name for word in prefixes(p))]
    assert bare == []
    assert [name for name, times in Counter(name for _, name in found).items() if times > 1] == []
