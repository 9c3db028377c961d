"""client-counters.csv: the counters of a Lustre client in the documents of weir-io."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from weir.collect.table import counter_lines
from weir.records.model import Cell
from weir.tools import tools

CELL = cast("Cell", SimpleNamespace(cell="c0ffee", iterations=2))
CLIENT = {"mount": "files-ffff8810", "counters": {"read_bytes": {"samples": 12, "sum": 12582912}}}


def lines_of(folder: Path, results: list[dict[str, Any]]) -> str:
    summary = folder / "summary.json"
    summary.write_text(json.dumps({"program": "weir-io", "status": "done", "results": results}))
    return counter_lines(CELL, 3, tools()["ior"].parse({"summary": summary}))


def test_calls_and_bytes_of_the_client_are_kept_by_access(tmp_path: Path) -> None:
    observed = {"lustre": CLIENT, "device_read_bytes": 4096, "device_written_bytes": None}
    results = [
        {"access": "read", "iteration": 1, "observed": observed},
        {"access": "write", "iteration": 0, "observed": {"lustre": None}},
    ]
    assert lines_of(tmp_path, results) == (
        "c0ffee,3,read,7,read_bytes,12,12582912\nc0ffee,3,read,7,osc_read_bytes,,4096\n"
    )


@pytest.mark.parametrize("client", [None, {"mount": "x"}, {"mount": "x", "counters": 3}])
def test_without_counters_of_a_client_there_are_none(tmp_path: Path, client: object) -> None:
    observed = {"lustre": client, "device_read_bytes": 4096}
    assert lines_of(tmp_path, [{"access": "read", "iteration": 0, "observed": observed}]) == ""
