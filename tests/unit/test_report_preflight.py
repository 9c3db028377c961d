"""The message of `make report` when the preflight of its targets ends without an answer."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from weir.commands import report
from weir.commands.report import preflight
from weir.errors import WeirError

DOCUMENT = json.dumps({"errors": [{"message": "/dev/shm has only 64 MiB free"}]}, indent=2)


@pytest.mark.parametrize(
    ("printed", "message"),
    [
        (DOCUMENT, "/dev/shm has only 64 MiB free"),
        (f"weir: target ime: clean-up: no store here\n{DOCUMENT}\n", "/dev/shm has only 64 MiB free"),
        ("Traceback\nMemoryError: \n", "MemoryError:"),
        ("", "no message"),
    ],
)
def test_the_reason_is_that_of_the_check(monkeypatch: pytest.MonkeyPatch, printed: str, message: str) -> None:
    local = SimpleNamespace(partitions={"node": SimpleNamespace(scheduler="local")})
    plan: Any = SimpleNamespace(site=local, batch=lambda _: SimpleNamespace(partition="node"))
    monkeypatch.setattr(report, "_printed", lambda _: ("", printed))
    with pytest.raises(WeirError) as caught:
        preflight(plan, Path("results/local/quick"), ["one"])
    assert f"the preflight failed: {message}" in str(caught.value)


def test_an_optional_target_that_cannot_be_prepared_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    problem = "target ime: `up` ended with exit code 1: failed to open /dev/fuse\nno mount"
    rows = [
        {"batch": "disk-1x2", "check": "mount", "found": "/", "problem": None},
        {"batch": "ime-1x2", "check": "prepare", "found": "failed", "problem": problem},
    ]
    site = SimpleNamespace(
        partitions={"node": SimpleNamespace(scheduler="local")},
        targets={"disk": SimpleNamespace(optional=False), "ime": SimpleNamespace(optional=True)},
    )
    batches = {f"{name}-1x2": SimpleNamespace(partition="node", target=name) for name in site.targets}
    plan: Any = SimpleNamespace(site=site, batch=batches.__getitem__)
    monkeypatch.setattr(report, "_printed", lambda _: (json.dumps(rows), ""))
    preflight(plan, Path("results/local/quick"), list(batches))
    skipped, counted = capsys.readouterr().out.splitlines()
    assert skipped == "  ime is skipped: " + problem.replace("\n", " ")
    assert counted.startswith("preflight: 1 of 2 batches can start")
