"""The scan of a tree: formats by content, nothing written, rate kept, no link followed, resumable."""

import json
import os
import re
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import ItemsView, Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.unit.conftest import RunWeir
from tests.unit.survey.trees import KINDS, Tree, inventory, make_tree, opened
from weir.base.errors import WeirError
from weir.base.units import about_size
from weir.survey.directory import Pace, Selection, is_offline
from weir.survey.output import Extension, chart, extensions, formats, lines, share_of_files, share_of_volume
from weir.survey.tally import FormatTally, State, Sums, extension_of, format_of
from weir.survey.walk import scan_tree

EVERYTHING = Selection(1.0, 0)
FAST = 1e9


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    return make_tree(tmp_path_factory.mktemp("scan") / "tree", 2000)


def scanned(tree: Path, selection: Selection = EVERYTHING, state: State | None = None) -> FormatTally:
    return scan_tree(tree, selection, Pace(FAST), 4, state)


@pytest.mark.parametrize(("extension", "content", "name"), KINDS)
def test_each_format_is_recognised_by_its_content(extension: str, content: bytes, name: str) -> None:
    assert format_of(content) == name


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b'{"a": 1}', "JSON"),
        (b'\xef\xbb\xbf\n  {\n  "a": [1, 2]', "JSON"),
        (b'[{"a": 1}, {"b": 2}]', "JSON"),
        (b"[1.5, -2e3, 7]", "JSON"),
        (b"[]", "JSON"),
        (b"[client]\nport = 1\n", "text"),
        (b"[12] started\n", "text"),
        (b"{ cd /tmp; }\n", "text"),
    ],
)
def test_json_is_not_called_text(content: bytes, name: str) -> None:
    assert format_of(content) == name


def test_the_table_of_a_known_tree_is_exact_and_nothing_changes(
    tree: Tree, tmp_path: Path, run_weir: RunWeir
) -> None:
    before = inventory(tree.folder)
    csv, svg = tmp_path / "formats.csv", tmp_path / "formats.svg"
    options = ["--rate", FAST, "--csv", csv, "--chart", svg, "--json"]
    result = json.loads(run_weir("scan", tree.folder, *options).out)
    assert inventory(tree.folder) == before
    assert result["files"] == 2000
    assert {one["format"]: one["sampled_files"] for one in result["formats"]} == tree.formats
    assert {one["format"]: one["sampled_bytes"] for one in result["formats"]} == tree.volume
    first = result["formats"][0]["share_of_files"]
    assert first["low"] == first["value"] == first["high"]
    named = {one["name"]: (one["matching"], one["sampled"]) for one in result["extensions"]}
    assert named["nc"] == (400, 500)  # one in five is gzip
    assert named["grb"] == (200, 300)
    assert len(csv.read_text().splitlines()) == 1 + len(tree.formats)
    bars = ElementTree.parse(svg).getroot().findall("{http://www.w3.org/2000/svg}rect")
    assert len(bars) == 1 + 2 * len(tree.formats)


def test_a_sample_has_intervals_that_hold_the_known_shares(tree: Tree) -> None:
    held = 0
    for seed in range(8):
        found = formats(scanned(tree.folder, Selection(0.2, seed)))
        assert 300 < sum(one.files for one in found) < 500
        volume = sum(tree.volume.values())
        for one in found:
            held += one.of_files.low <= tree.formats[one.name] / 2000 <= one.of_files.high
            held += one.of_volume.low <= tree.volume[one.name] / volume <= one.of_volume.high
    total = 2 * 8 * len(tree.formats)
    assert held / total > 0.92


def test_shares_without_doubt_and_with_nothing_known() -> None:
    assert share_of_files(3, 4, 1.0).low == 0.75
    assert share_of_files(0, 0, 0.5).high == 1.0
    assert share_of_files(0, 100, 0.1).high > 0.01
    assert share_of_volume(Sums(1, 10, 100), Sums(1, 10, 100), 0.1).low == 0.0
    whole = Sums(20, 200, 2000)  # a sample of one format alone does not exclude others: it was 100 % to 100 %
    assert share_of_volume(whole, whole, 0.1) == share_of_files(20, 20, 0.1)
    few_large = Sums(20, 200, 20000)
    assert share_of_volume(few_large, few_large, 0.1).low < share_of_volume(whole, whole, 0.1).low < 0.9


def test_no_share_reads_as_nothing_or_as_all_where_it_is_neither() -> None:
    """A file of 30,000 was 0.00% of the files and 0% of the volume; 3 in 1,000 were 0% chosen."""
    content = {("nc", "HDF5"): Sums(30_000, 30_000, 1), ("txt", "text"): Sums(1, 1, 1)}
    tally = FormatTally({"nc": Sums(30_000, 30_000), "txt": Sums(1, 1)}, content)
    text = "\n".join(lines(tally, 1.0, 1.0, 1))
    assert "HDF5 99.997%, text 0.00333% of the volume" in text
    assert re.search(r"HDF5 +30,000  99.997% +99.997%", text)
    assert "(0.3% chosen)" in "\n".join(lines(tally, 0.003, 1.0, 1))
    sampled = FormatTally(tally.seen, {("nc", "HDF5"): Sums(1, 1, 1), ("", "text"): Sums(9999, 9999, 9999)})
    text = "\n".join(lines(sampled, 0.1, 1.0, 1))
    assert re.search(r"text +9,999  99\.99% \(99\.96%-99\.998%\) +99\.99% ", text), text
    assert re.search(r"HDF5 +1  0\.01% \(0\.00231%-0\.0433%\) ", text), text
    single = "\n".join(lines(FormatTally({"nc": Sums(1, 1)}, {("nc", "HDF5"): Sums(1, 1, 1)}), 1.0, 1.0, 1))
    assert "1 file recognised by content (100% chosen)\n1 operation in" in single
    one = "\n".join(lines(FormatTally({"nc": Sums(2, 2)}, {("nc", "HDF5"): Sums(2, 2, 2)}), 1.0, 1.0, 1))
    assert re.search(r"HDF5 100% of.*HDF5 +2  100.00% +100.00%", one, re.DOTALL)


class _Counted(dict[tuple[str, str], Sums]):
    """Counts how often its items are listed."""

    listed = 0

    def items(self) -> ItemsView[tuple[str, str], Sums]:
        self.listed += 1
        return super().items()


def test_contents_are_grouped_by_extension_once() -> None:
    content = _Counted({(f"e{number}", "text"): Sums(2, 20, 200) for number in range(100)})
    content["nc", "HDF5"], content["nc", "gzip"] = Sums(3, 1, 1), Sums(1, 1, 1)
    content["nc", "NetCDF-4"] = Sums(4, 1, 1)
    tally = FormatTally({name: Sums(10) for name, _ in content}, content)
    found = {one.name: one for one in extensions(tally)}
    assert found["nc"] == Extension("nc", 10, 8, 4, "HDF5")
    assert found["e7"] == Extension("e7", 10, 2, None, "text")
    assert content.listed == 1


def test_the_rate_is_kept_whatever_the_threads_do() -> None:
    now = [0.0]
    slept: list[float] = []
    pace = Pace(100, clock=lambda: now[0], sleep=slept.append)
    for _ in range(50):
        pace.wait()
    assert slept[-1] == pytest.approx(0.49)
    now[0] = 10.0  # a pause is not caught up with
    pace.wait()
    pace.wait()
    assert slept[-1] == pytest.approx(0.01)


def test_every_operation_waits_for_its_turn(tmp_path: Path) -> None:
    (tmp_path / "a/b/c").mkdir(parents=True)
    for name in ("one.txt", "a/two.txt", "a/b/c/three.txt"):
        (tmp_path / name).write_text("text")
    pace = Pace(FAST)
    scan_tree(tmp_path, EVERYTHING, pace, 1, None)
    entered, listed, looked_at, opened = 3, 4, 6, 3  # each directory is entered once, whatever its depth
    requested_hsm = 1  # the first answer is that there is none
    assert pace.operations == entered + listed + looked_at + opened + requested_hsm


def test_links_are_counted_and_not_followed_even_when_swapped_in(tmp_path: Path) -> None:
    tree, outside = tmp_path / "tree", tmp_path / "outside"
    make_tree(tree, 20)
    make_tree(outside, 20)
    (tree / "away").symlink_to(outside)
    (tree / "loop").symlink_to(tree)
    (tree / "name.nc").symlink_to(outside / "d0")
    os.mkfifo(tree / "pipe")  # opening it would wait for a writer
    tally = scanned(tree)
    assert (tally.files, tally.skipped["link"], tally.skipped["not a regular file"]) == (20, 3, 1)
    # A directory that becomes a link between its listing and its turn.
    (tree / "d0").rename(tmp_path / "moved")
    (tree / "d0").symlink_to(outside)
    assert scanned(tree).files == 0


def test_offline_files_are_not_opened(tmp_path: Path) -> None:
    assert is_offline(10**9, 0)
    assert is_offline(10**9, 1)  # Lustre's HSM shows a released file with one block
    assert not is_offline(0, 0)
    assert not is_offline(300, 1)
    with (tmp_path / "released.nc").open("wb") as file:
        file.truncate(10**6)
    tally = scanned(tmp_path)
    assert tally.skipped["file: offline (no blocks on disk)"] == 1
    assert not tally.content
    assert tally.files == 1


def test_a_file_that_hsm_released_is_opened_and_never_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a Lustre client answers: flags of exists, released and archived for one file, none for the other."""
    for name in ("here.nc", "on-tape.nc"):
        (tmp_path / name).write_bytes(b"CDF\x01" + bytes(200))
    reads: list[str] = []
    pread = os.pread

    def name_of(descriptor: int) -> str:
        return Path(os.readlink(f"/proc/self/fd/{descriptor}")).name

    def state(descriptor: int, request: int, found: bytearray) -> int:
        assert request == 0x802066D3  # _IOR('f', 211, 32 bytes)
        found[:4] = (0xD if name_of(descriptor) == "on-tape.nc" else 0).to_bytes(4, sys.byteorder)
        return 0

    def noted(descriptor: int, count: int, offset: int) -> bytes:
        reads.append(name_of(descriptor))
        return pread(descriptor, count, offset)

    monkeypatch.setattr("weir.survey.directory.fcntl.ioctl", state)
    monkeypatch.setattr("weir.survey.directory.os.pread", noted)
    pace = Pace(FAST)
    tally = scan_tree(tmp_path, EVERYTHING, pace, 1, None)
    assert reads == ["here.nc"]
    assert (tally.files, tally.skipped) == (2, {"file: offline (released by HSM)": 1})
    assert [key for key, _ in tally.content.items()] == [("nc", "NetCDF classic")]
    assert pace.operations == 1 + 2 + 2 + 2  # list, look, open, ask for the state


def interrupt(_: FormatTally) -> None:
    raise KeyboardInterrupt


@pytest.fixture
def interrupts() -> Iterator[None]:
    """An interrupt is that of Python, whatever began the tests."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_waits_for_no_operation_to_come(tree: Tree, interrupts: None) -> None:
    """The second one would begin after 1,000 s."""
    begun = threading.Event()

    def clock() -> float:
        if threading.current_thread() is not threading.main_thread():
            begun.set()
        return time.monotonic()

    def interrupt_the_main_thread() -> None:
        begun.wait()
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    pace = Pace(0.001, clock=clock)
    threading.Thread(target=interrupt_the_main_thread).start()
    with pytest.raises(KeyboardInterrupt):
        scan_tree(tree.folder, EVERYTHING, pace, 2, None)
    assert pace.operations < 5


def test_an_interrupt_comes_when_what_was_found_is_noted(tree: Tree, interrupts: None) -> None:
    noted: list[str] = []

    def interrupted(_: FormatTally) -> None:
        signal.raise_signal(signal.SIGINT)
        noted.append("noted")

    with pytest.raises(KeyboardInterrupt):
        scan_tree(tree.folder, EVERYTHING, Pace(FAST), 2, None, progress=interrupted)
    assert noted == ["noted"]
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == set()


def test_a_storage_that_does_not_answer_is_told_from_a_wait_for_ones_turn() -> None:
    now = [0.0]
    waits: list[float] = []
    pace = Pace(0.5, clock=lambda: now[0], sleep=lambda _: waits.append(pace.silent_s()))
    pace.wait()
    now[0] = 1.0
    assert pace.silent_s() == 1.0
    pace.wait()  # for one second more
    assert waits == [0.0]


def test_a_stopped_scan_goes_on_and_ends_with_the_same_table(tree: Tree, tmp_path: Path) -> None:
    file = tmp_path / "state"
    about = {"tree": str(tree.folder)}
    with opened(file, about) as state, pytest.raises(KeyboardInterrupt):
        scan_tree(tree.folder, EVERYTHING, Pace(FAST), 2, state, progress=interrupt)
    finished = len(file.read_text().splitlines()) - 1
    assert 0 < finished < 40
    with file.open("a") as lines:
        lines.write('{"directory": "d0", "inn')  # as a kill leaves it
    whole, pace = Pace(FAST), Pace(FAST)
    scan_tree(tree.folder, EVERYTHING, whole, 4, None)
    with opened(file, about) as again:
        assert len(again.finished) == finished
        tally = scan_tree(tree.folder, EVERYTHING, pace, 4, again)
    assert Counter({one.name: one.files for one in formats(tally)}) == tree.formats
    assert pace.operations < whole.operations
    with pytest.raises(WeirError, match="is the state of another scan"):
        State(file, {"tree": "/other"}).open()


def test_wrong_use_is_named(tree: Tree, tmp_path: Path, run_weir: RunWeir) -> None:
    error = run_weir("scan", tree.folder, "--state", tree.folder / "state", code=2).err
    assert "a scan writes nothing" in error
    run_weir("scan", tmp_path / "absent", code=2)
    assert "share above 0" in run_weir("scan", tmp_path, "--sample", "0", code=2).err


def test_names_without_an_extension_and_the_text(tree: Tree, run_weir: RunWeir) -> None:
    assert extension_of("a.NC") == "nc"
    assert not any(extension_of(name) for name in (".bashrc", "x", "a.b c", "a.toolongname"))
    text = run_weir("scan", tree.folder, "--rate", FAST, "--sample", "0.5").out
    assert f"2,000 files in 81 directories, {about_size(sum(tree.volume.values()))}" in text
    assert "95 % interval" in text
    assert chart(FormatTally()).startswith("<svg")
