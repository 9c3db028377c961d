"""The state of a scan: kept whole while it is resumed, and told from other files."""

import json
from pathlib import Path
from typing import Any

import pytest

import weir.survey.tally
from tests.unit.survey.trees import opened
from weir.base.errors import WeirError
from weir.survey.tally import FormatTally, State

ABOUT = {"tree": "/work", "sample": 1.0, "seed": 0}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The state after 40 directories, and a truncated line of the next."""
    with opened(tmp_path / "state", ABOUT) as state:
        for number in range(40):
            state.finish(f"d{number}", FormatTally(directories=1), [])
    with state.file.open("a") as out:
        out.write('{"directory": "d40", "inn')
    return state.file


def test_a_kill_while_a_scan_is_resumed_loses_no_directory(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, written = json.dumps, [0]

    def killed(entry: Any) -> str:
        written[0] += 1
        if written[0] == 5:
            raise KeyboardInterrupt
        return plain(entry)

    monkeypatch.setattr(weir.survey.tally.json, "dumps", killed)
    with pytest.raises(KeyboardInterrupt):
        State(file, ABOUT).open()
    monkeypatch.undo()
    with opened(file, ABOUT) as state:
        pass
    assert len(state.finished) == 40
    assert [path.name for path in file.parent.iterdir()] == ["state"]


def test_a_resumed_scan_appends_behind_the_last_whole_line(file: Path) -> None:
    with opened(file, ABOUT) as state:
        state.finish("d40", FormatTally(directories=1), ["d40/e"])
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert lines[0] == ABOUT
    assert [line["directory"] for line in lines[1:]] == [f"d{number}" for number in range(41)]


@pytest.mark.parametrize(
    "content",
    [b'{"event": "start"}\n{"event": "end"}\n', b"[1]\n7\n", b"notes of mine\n", b"\x89HDF\r\n\x1a\n"],
)
def test_another_file_is_refused_and_kept(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "other"
    file.write_bytes(content)
    with pytest.raises(WeirError, match="is not the state of a scan") as caught:
        State(file, ABOUT).open()
    problem = caught.value.problems[0]
    assert problem.file == str(file)
    assert "--state" in str(problem.hint)
    assert file.read_bytes() == content
