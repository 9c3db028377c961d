"""pebble: writes one small file."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from weir.records.model import Cell, Footprint, Parsed, Row, Target
from weir.tools.base import Parameter, RunPaths, Tool

_RESULT = re.compile(r"^pebble (\S+): (\d+) bytes in (\d+) us$", re.MULTILINE)
_STONE_BYTES = 1024


class Pebble(Tool):
    """Stones of one KiB, thrown by one rank."""

    name = "pebble"
    purpose = "bandwidth"
    parameters: Mapping[str, Parameter] = {"stones": Parameter("count", "Stones to throw.", 1, minimum=1)}
    programs = (("pebble",),)

    def label(self, params: Mapping[str, Any]) -> str:
        return f"{params['stones']} stones"

    def problems(self, cell: Cell, target: Target) -> Sequence[str]:
        return ["one rank throws"] if cell.ranks > 1 else []

    def command(self, cell: Cell, target: Target, program: Sequence[str], paths: RunPaths) -> list[str]:
        return [*program, str(cell.params["stones"]), paths.data]

    def footprint(self, cell: Cell) -> Footprint:
        size_bytes = _STONE_BYTES * int(cell.params["stones"])
        return Footprint(size_bytes, 0, size_bytes, 1, int(cell.params["stones"]))

    def parse(self, outputs: Mapping[str, Path]) -> Parsed:
        path = outputs.get("stdout")
        text = path.read_text(errors="replace") if path and path.is_file() else ""
        found = _RESULT.search(text)
        if not found:
            return Parsed((), {}, (), "", "", False)
        size_bytes, total_s = int(found[2]), int(found[3]) / 1e6
        row: Row = {
            "api": "POSIX",
            "access": "write",
            "iteration": 0,
            "xfer_bytes": _STONE_BYTES,
            "requested_bytes": size_bytes,
            "moved_bytes": size_bytes,
            "total_s": total_s,
            "bw_mib_s": size_bytes / 2**20 / total_s,
            "observed": {},
        }
        return Parsed((row,), {}, (), "pebble", found[1], True)


TOOL = Pebble()
