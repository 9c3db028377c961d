"""Findings of published IOR 3.0.1 logs against a second reading of the same logs, which knows no rule."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import beside
from weir.collect.imported_files import Facts
from weir.collect.importing import import_files

_ROW = re.compile(r"(write|read)\s+([\d.]+)\s+\S+\s+\S+\s+[\d.]+\s+([\d.]+)\s+[\d.]+\s+[\d.]+\s+\d+\s*$")
_RULES = ("sync-not-applied", "random-draw-overlaps")


def deserved(text: str) -> Iterator[tuple[str, float, frozenset[str]]]:
    """Access, rate and findings of each line of results, from the lines before it."""
    for run in text.split("IOR-3.0.1: MPI")[1:]:
        head, _, body = run.partition("access    bw(MiB/s)")
        dropped = "fsync() only available in POSIX" in head
        is_random = "single-shared-file" in head and "random offsets" in head
        wall_s = float(re.findall(r"stonewalling = (\d+)", head)[0])
        expected = moved = 0
        for line in body.partition("\nMax ")[0].splitlines():
            if "Expected aggregate file size" in line:
                expected = int(line.split()[-1].rstrip("."))
            if "Using actual aggregate bytes moved" in line:
                moved = int(line.split()[-1].rstrip("."))
            if not (found := _ROW.match(line)):
                continue
            access, rate, io_s = found[1], float(found[2]), float(found[3])
            is_cut = moved < expected and io_s >= 0.99 * wall_s
            names = {_RULES[0]} if dropped and access == "write" else set()
            names |= {_RULES[1]} if is_random and moved != expected and not is_cut else set()
            yield access, rate, frozenset(names)
            expected = moved = 0


@pytest.mark.slow
def test_every_finding_of_720_records_is_deserved() -> None:
    """215 findings: 180 writes whose synchronisation was dropped, 35 draws that differ between ranks."""
    found = count = 0
    for file in sorted(beside("reference/ior-3.0.1").glob("*.txt")):
        rows = import_files([Path(file)], Facts()).rows
        read = [
            (row["access"], row["bw_mib_s"], frozenset(filter(None, row["reasons"].split(";"))))
            for row in rows
        ]
        assert read == list(deserved(file.read_text())), file.name
        found += sum(len(names) for *_, names in read)
        count += len(read)
    assert (count, found) == (720, 215)
