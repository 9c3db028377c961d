"""client-counters.csv: the counters of a Lustre client in the documents of weir-io."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from weir.model import Cell
from weir.records.client_counters import counter_lines
from weir.records.collect import Run

CELL = cast("Cell", SimpleNamespace(cell="c0ffee", iterations=2))
CLIENT = {"mount": "files-ffff8810", "counters": {"read_bytes": {"samples": 12, "sum": 12582912}}}


def lines_of(folder: Path, text: str) -> str:
    (folder / "summary.json").write_text(text)
    facts: dict[str, Any] = {"run": 3, "outputs": {"summary": "summary.json"}}
    return counter_lines(CELL, Run(folder, facts))


def test_calls_and_bytes_of_the_client_are_kept_by_access(tmp_path: Path) -> None:
    observed = {"lustre": CLIENT, "device_read_bytes": 4096, "device_written_bytes": None}
    results = [
        {"access": "read", "iteration": 1, "observed": observed},
        {"access": "write", "iteration": 0, "observed": {"lustre": None}},
    ]
    assert lines_of(tmp_path, json.dumps({"results": results})) == (
        "c0ffee,3,read,7,read_bytes,12,12582912\nc0ffee,3,read,7,osc_read_bytes,,4096\n"
    )


def test_without_a_client_or_a_whole_document_there_are_none(tmp_path: Path) -> None:
    assert (
        lines_of(tmp_path, json.dumps({"results": [{"access": "read", "observed": {"lustre": None}}]})) == ""
    )
    assert lines_of(tmp_path, '{"results": [{"observed": {"lustre": {"mount": "x"') == ""
    assert counter_lines(CELL, Run(tmp_path, {"run": 0, "outputs": {}})) == ""
