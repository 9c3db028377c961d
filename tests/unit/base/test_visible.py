"""weir/base/errors.py: what a terminal would obey is shown."""

import hashlib
import json
import os
import sys
from pathlib import Path

import pytest

from tests.unit.conftest import RunWeir
from weir.base.errors import VisibleStream, WeirError, unfiltered, visible, visible_output

ESCAPES = "\x1b]0;title\x07\x1b[31m\x9b2J\r\u202e\u2028\x7f\x00"


def test_what_a_terminal_obeys_is_shown_by_its_number() -> None:
    assert visible("a\tb\nc é × 目 \u200d") == "a\tb\nc é × 目 \u200d"
    assert visible("\x1b[31m\x9b\r\u202e") == "\\u001b[31m\\u009b\\u000d\\u202e"
    assert visible(ESCAPES).isprintable()


def test_json_means_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    with visible_output():
        print(json.dumps([ESCAPES], ensure_ascii=False))
    assert json.loads(capsys.readouterr().out) == [ESCAPES]


def test_the_streams_of_before_come_back_and_stay_reachable() -> None:
    before = sys.stdout
    with visible_output():
        assert isinstance(sys.stdout, VisibleStream)
        assert unfiltered(sys.stdout) is before
        assert sys.stdout.encoding == before.encoding
    assert sys.stdout is before
    assert unfiltered(before) is before


def test_messages_are_visible_wherever_they_are_printed() -> None:
    assert visible(str(WeirError(f"bad {ESCAPES}", file=ESCAPES, hint=ESCAPES))).count("\\u001b") == 6
    assert "\x1b" not in str(WeirError(f"bad {ESCAPES}", file=ESCAPES, hint=ESCAPES))


@pytest.mark.parametrize("name", [b"x\x1b[31m\x07y", b"x\xe9y", "x\u202ey".encode()])
def test_file_names_of_others_are_visible(tmp_path: Path, run_weir: RunWeir, name: bytes) -> None:
    """As `weir verify` prints them."""
    run = tmp_path / "runs/c/0"
    run.mkdir(parents=True)
    text = '{"sha256": {}}'
    (run / "run.json").write_text(text)
    (tmp_path / "SHA256SUMS").write_text(f"{hashlib.sha256(text.encode()).hexdigest()}  runs/c/0/run.json\n")
    with open(os.path.join(os.fsencode(run), name), "w"):
        printed = run_weir("verify", tmp_path, code=1).out
    assert "added: runs/c/0/" in printed
    assert visible(printed) == printed
