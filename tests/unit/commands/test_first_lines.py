"""The answer of a command is its first line, and what follows has an end."""

import json
from collections.abc import Sequence

import pytest

from weir.cli import main
from weir.commands import nodes, reproduce
from weir.measure.nodes import NodeTimes
from weir.report.bundle.reproduce import CheckedLine, Reproduced


def nodes_of(
    times_s: Sequence[float], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *more: str
) -> tuple[int, list[str]]:
    probes = [NodeTimes(f"n{number:03d}", {"processor": time_s}) for number, time_s in enumerate(times_s)]
    monkeypatch.setattr(nodes, "probe_nodes", lambda *_: probes)
    code = main(["nodes", "--site", "local", *more])
    return code, capsys.readouterr().out.splitlines()


def test_nodes_tells_how_many_stand_out_and_lists_those_first(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, lines = nodes_of([1.0] * 300, monkeypatch, capsys)
    assert (code, lines[0]) == (0, "no node stands out of 300")
    assert lines[2:] == [f"n{number:03d}{1000.0:14.1f}" for number in range(20)] + [
        "and 280 more nodes: --json has all"
    ]
    code, lines = nodes_of([*[1.0] * 299, 2.0], monkeypatch, capsys)
    assert (code, lines[0]) == (1, "1 of 300 nodes are slow: n299")
    assert lines[4] == f"n299{2000.0:14.1f}"
    assert lines[-1] == "and 279 more nodes: --json has all"
    assert len(lines) == 4 + 1 + 20 + 1
    _, lines = nodes_of([1.0] * 4, monkeypatch, capsys)
    assert len(lines) == 2 + 4
    _, lines = nodes_of([1.0] * 300, monkeypatch, capsys, "--json")
    assert len(json.loads("\n".join(lines))["nodes"]) == 300


@pytest.mark.parametrize(
    ("found", "different", "first"),
    [
        ("0.94", (), "2 files identical, 0 different; 1 of 1 line of the appendix reproduced"),
        ("0.71", ("facts.json",), "2 files identical, 1 different; 0 of 1 line of the appendix reproduced"),
        ("", ("facts.json",), "2 files identical, 1 different"),
    ],
)
def test_reproduce_tells_what_is_identical_first(found: str, different: tuple[str, ...], first: str) -> None:
    lines = (CheckedLine("Writes scale", "claims.html", "0.94", found),) if found else ()
    text = reproduce._text(Reproduced("d1", ("records.csv", "plan.json"), different, "", lines)).splitlines()
    assert text[0] == first
    assert text[-1] == "digest d1"
    assert sum(" identical, " in line for line in text) == 1
    assert [line for line in text if line.startswith("different: ")] == [
        f"different: {one}" for one in different
    ]
