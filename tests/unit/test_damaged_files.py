"""Commands that read a study meet its files damaged: they work or name the fault, without a traceback."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fuzz_files import STUDY, failure_of, write_files

DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "half": lambda text: text[: len(text) // 2],
    "zeros": lambda text: text[:50] + bytes(20) + text[50:],
    "list": lambda _: b"[]",
    "number": lambda _: b"7",
    "empty": lambda _: b"{}",
    "nulls": lambda text: re.sub(rb": [-0-9.]+", b": null", text),
    "nested": lambda _: b"[" * 100_000,
    "arguments": lambda text: text.replace(b"1", b'"x"'),
    "nothing": lambda text: text.replace(b": {", b": [{"),
}
# What reads the file; `run` is the folder of one run, `launch` that of the launch that a killed weir left.
READERS = {
    f"{STUDY}/plan.json": ("collect", "show", "watch", "plan"),
    f"{STUDY}/records.csv": ("audit", "import", "compare", "show", "site", "history"),
    f"{STUDY}/facts.json": ("show", "site", "compare", "history"),
    f"{STUDY}/SHA256SUMS": ("verify", "compare"),
    "run/rows.json": ("collect", "import runs", "verify", "watch"),
    "run/run.json": ("collect", "import runs", "verify", "watch"),
    "run/summary.json": ("collect", "import runs"),
    "launch/launch.json": ("watch", "settle"),
    "launch/status": ("watch", "settle"),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study that is collected, and of which no report was drawn yet."""
    folder = write_files(tmp_path_factory.mktemp("study") / "files")
    (folder / STUDY / "page.json").unlink()
    return folder


PAIRS = [(name, damage) for name in READERS for damage in DAMAGES]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "damage"), PAIRS)
def test_a_damaged_file_is_a_message_or_no_matter(files: Path, name: str, damage: str) -> None:
    text = DAMAGES[damage]((files / name).read_bytes())
    for command in READERS[name]:
        assert failure_of(name, command, text, files) is None
