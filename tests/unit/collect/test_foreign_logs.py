"""Logs as people have them: packed, mixed, of other programs, cut, in trees that resist."""

import bz2
import gzip
import json
import lzma
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.programs import write_file
from tests.unit.conftest import RunWeir
from tests.unit.decide.io500.results import IOR_LOG, new_summary
from tests.unit.imported import rows_of
from tests.unit.tools.test_mdtest_tables import DATE, V1, V3
from weir.base.errors import WeirError
from weir.collect.imported_files import Facts, read_facts
from weir.collect.importing import import_files, runs_in
from weir.collect.table import read_records

CAPTURE = ROOT / "tests/golden/ior/ior-posix-shared.txt"
TABLE = "api,access,bw_mib_s\nPOSIX,write,3\nPOSIX,write,4\n"
PACKED: dict[str, Callable[[str], bytes]] = {
    "gzip": lambda text: gzip.compress(text.encode()),
    "bzip2": lambda text: bz2.compress(text.encode()),
    "xz": lambda text: lzma.compress(text.encode()),
    "UTF-16": lambda text: text.encode("utf-16"),
    "UTF-16, big end first": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "UTF-16 in gzip": lambda text: gzip.compress(text.encode("utf-16")),
    "UTF-8 with a mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
}


@pytest.mark.parametrize("how", PACKED)
def test_a_packed_log_has_the_records_of_the_log(how: str, tmp_path: Path) -> None:
    plain, packed = tmp_path / "plain", tmp_path / "packed"
    plain.write_text(CAPTURE.read_text())
    packed.write_bytes(PACKED[how](CAPTURE.read_text()))
    rows = [import_files([file], Facts()).rows for file in (plain, packed)]
    assert len(rows[0]) == 6
    assert [row | {"source": "", "cell": ""} for row in rows[1]] == [
        row | {"source": "", "cell": ""} for row in rows[0]
    ]


def test_a_packed_file_that_is_cut_is_a_message(tmp_path: Path) -> None:
    packed = tmp_path / "log.gz"
    packed.write_bytes(gzip.compress(CAPTURE.read_bytes())[:-20])
    with pytest.raises(WeirError, match="cannot be unpacked"):
        import_files([packed], Facts())


@pytest.mark.slow
@pytest.mark.row("third-party log, table or records")
def test_a_small_file_that_unpacks_to_gigabytes_is_refused(tmp_path: Path) -> None:
    packed = tmp_path / "bomb.gz"
    packed.write_bytes(gzip.compress(bytes(65 * 2**20)))
    with pytest.raises(WeirError, match="more than 64 MiB"):
        import_files([packed], Facts())


def test_a_file_with_several_kinds_of_output_loses_none(tmp_path: Path, run_weir: RunWeir) -> None:
    """IOR, mdtest with a warning and a summary of IO500, whose phase ior-easy-write is the IOR log."""
    warned = V1.replace("4 tasks", "WARNING: unable to create tree directory '/s/mdtest_tree.0'\n4 tasks")
    log, out = tmp_path / "page.txt", tmp_path / "out/records.csv"
    log.write_text(IOR_LOG.format(stonewall=300) + DATE + warned + DATE + V3 + new_summary())
    assert "1 IO500 result sets" in run_weir("import", log, "--out", out).out
    rows = read_records(out)
    tools = [(row["tool"], row["access"]) for row in rows[:3]]
    assert tools == [("ior", "write"), ("mdtest", "create"), ("mdtest", "stat")]
    assert ["tree" in row["evidence"] for row in rows[:3]] == [False, True, False]
    assert len(rows) == 3 + 11  # the phase of the IOR log is not counted again


@pytest.mark.parametrize("margin", ["   ", "    ", "\t"])
def test_outputs_in_another_markup_than_markdown(tmp_path: Path, margin: str) -> None:
    """reStructuredText has no number signs: its indented outputs held no results."""
    dd = "$ dd if=/dev/zero of=/d/f bs=4M count=2\n2+0 records in\n2+0 records out\n"
    dd += "8388608 bytes (8.4 MB) copied, 0.5 s, 16.8 MB/s\n"
    fio = (
        "t: (g=0): rw=read, bs=4K-4K/4K-4K/4K-4K, ioengine=sync, iodepth=1\nfio-2.16\nStarting 1 process\n\n"
    )
    fio += "t: (groupid=0, jobs=1): err= 0: pid=7: Mon Apr 23 11:38:49 2018\n"
    fio += "  read : io=1024.0KB, bw=36571KB/s, iops=9142, runt=    28msec\n"
    fio += "     issued    : total=r=256/w=0/d=0, short=r=0/w=0/d=0, drop=r=0/w=0/d=0\n"
    for text, access in ((dd, "write"), (fio, "read")):
        block = "".join(margin * bool(line.strip()) + line for line in text.splitlines(keepends=True))
        (row,) = rows_of(tmp_path, f"Results\n=======\n\non the file system::\n\n{block}\nNotes\n-----\n")
        assert row["access"] == access


@pytest.mark.parametrize(
    ("first", "mark"),
    [
        ("`", "2020-07-27 01:36:{at:02},881 process          L0479 DEBUG| [stdout] "),
        ("", "{at:3}. "),  # a list, as pages number the lines of a block
        ("", "node4: "),
    ],
)
def test_a_page_that_quotes_lines_behind_marks(tmp_path: Path, first: str, mark: str) -> None:
    """A thread quotes what a logger printed, below a line of its author: no result had a record."""
    lines = V3.replace("NA\n\n", "NA\n").splitlines()
    quote = first + "\n".join(mark.format(at=at) + line for at, line in enumerate(lines, 1))
    (row,) = rows_of(tmp_path, f"# Slow\n\nIt was faster, see\n\n- a\n- b\n\nMaster:\n{quote}\n\nThanks\n")
    assert (row["access"], row["ops_s"], row["tasks"]) == ("stat", 81877.75, 4)


@pytest.mark.parametrize("mark", ["# ", "* ", "- ", "| ", "// "])
def test_marks_of_comments_and_lists_are_no_quote(tmp_path: Path, mark: str) -> None:
    lines = "".join(f"{mark}{line}\n" for line in V3.splitlines())
    with pytest.raises(WeirError, match="holds no results"):
        rows_of(tmp_path, f"It prints\n{lines}\nint main;\n")


def test_a_line_that_begins_with_warning_is_not_of_io_model() -> None:
    assert list(runs_in("Warning: the options may change\nwhen a job is read.\n")) == []


@pytest.mark.slow
def test_a_kind_has_few_lines(tmp_path: Path, run_weir: RunWeir) -> None:
    tree = tmp_path / "tree"
    write_file(tree / "log", CAPTURE.read_text())
    for number in range(619):
        (tree / f"{number:03d}.json").write_text('{"fio version" : "fio-3.33"}')
    shown = run_weir("import", tree, "--out", tmp_path / "out/records.csv", code=1).out
    assert shown.partition("\n")[0].endswith("; 1 of 620 files read, 619 refused")
    named = [line for line in shown.splitlines() if line.startswith("  refused: ")]
    assert named[0] == f"  refused: output of fio: not read: {tree}/000.json"
    assert named[-1] == f"  refused: and {619 - (len(named) - 1)} more of these (--json names all)"
    assert len(named) < 20


@pytest.mark.parametrize("name", ["io500.csv", "excluded.csv", "latencies.csv", "facts.json", "SHA256SUMS"])
def test_the_table_has_no_name_of_another_output(name: str, tmp_path: Path, run_weir: RunWeir) -> None:
    error = run_weir("import", CAPTURE, "--out", tmp_path / name, code=2).err
    assert "is the name of another output" in error
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["records.csv", "facts.json", "SHA256SUMS", "excluded.csv"])
def test_what_no_import_wrote_is_not_written_over(name: str, tmp_path: Path, run_weir: RunWeir) -> None:
    (tmp_path / name).write_text("mine\n")
    assert f"{name}: --out" in run_weir("import", CAPTURE, "--out", tmp_path / "records.csv", code=2).err
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [(name, "mine\n")]


def test_the_output_of_an_earlier_import_is_not_counted_again(tmp_path: Path, run_weir: RunWeir) -> None:
    (tmp_path / "log").write_text(CAPTURE.read_text())
    run_weir("import", tmp_path, "--out", tmp_path / "first.csv")
    printed = run_weir("import", tmp_path, "--out", tmp_path / "out" / "second.csv").out
    assert "output of an earlier import or of a study: " in printed
    tables = (tmp_path / "out" / "second.csv", tmp_path / "first.csv")
    assert [len(read_records(table)) for table in tables] == [6, 6]


def test_a_log_that_is_named_twice_counts_once(tmp_path: Path, run_weir: RunWeir) -> None:
    tree, out = tmp_path / "tree", tmp_path / "out/records.csv"
    tree.mkdir()
    log = tree / "log"
    log.write_text(CAPTURE.read_text())
    (tmp_path / "link").symlink_to(tree)
    run_weir("import", log, tree, tree / "../tree", tmp_path / "link", log, "--out", out)
    assert len(read_records(out)) == 6


@pytest.mark.row("third-party log, table or records")
def test_a_pipe_and_a_device_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for file, what in ((tmp_path / "pipe", "a pipe"), (Path("/dev/zero"), "a device")):
        with pytest.raises(WeirError, match=f"is {what}, not a file"):
            import_files([file], Facts())


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Path]:
    """Directories deeper than any path, which pytest cannot delete."""
    tree = tmp_path / "tree"
    tree.mkdir()
    here = os.open(tree, os.O_RDONLY)
    for _ in range(1_000):
        os.mkdir("deep", dir_fd=here)
        below = os.open("deep", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    yield tree
    subprocess.run(["rm", "-rf", tree], check=True)


@pytest.mark.slow
def test_a_tree_that_resists(
    tree: Path, tmp_path: Path, run_weir: RunWeir, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A directory that cannot be listed, directories deeper than any path, a name that is no UTF-8."""
    out = tmp_path / "out/records.csv"
    (tree / "closed").mkdir()
    log = os.fsencode(tree) + b"/log-\xff\x1b[2J.txt"
    Path(os.fsdecode(log)).write_text(CAPTURE.read_text())
    real = os.scandir

    def refused(path: Path) -> object:
        if Path(path).name == "closed":
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", refused)
    shown = run_weir("import", tree, "--out", out, code=1).out
    monkeypatch.undo()
    assert f"refused: {tree}/closed: cannot be listed: Permission denied" in shown
    assert "cannot be listed: File name too long" in shown
    assert "\x1b" not in shown
    assert {row["source"] for row in read_records(out)} == {f"{tree}/log-\\udcff\\x1b[2J.txt"}


@pytest.mark.slow
def test_a_sidecar_of_brackets_is_a_message(tmp_path: Path) -> None:
    sidecar = tmp_path / "facts.yaml"
    sidecar.write_text("[" * 100_000)
    with pytest.raises(WeirError, match="brackets within brackets"):
        read_facts(sidecar)


def test_a_table_need_not_number_its_iterations(tmp_path: Path) -> None:
    rows = rows_of(tmp_path, TABLE)
    assert [(row["run"], row["iteration"]) for row in rows] == [(0, 0), (1, 1)]


@pytest.mark.parametrize("name", ["api", "target"])
def test_a_control_character_in_a_table_is_refused(name: str, tmp_path: Path) -> None:
    header, values = "api,access,bw_mib_s,target\n", {"api": "POSIX", "target": "disk"}
    values[name] += "\0"
    with pytest.raises(WeirError, match=f"{name}: holds a control character"):
        rows_of(tmp_path, f"{header}{values['api']},write,3,{values['target']}\n")


def test_bytes_moved_in_transfers_of_none_are_a_finding(tmp_path: Path) -> None:
    (row,) = rows_of(tmp_path, "api,access,xfer_bytes,bw_mib_s\nPOSIX,write,0,3\n")
    assert (row["verdict"], row["reasons"]) == ("INVALID", "tool-error")
    assert "xfer_bytes is 0, and bytes were moved" in row["evidence"]


@pytest.mark.slow
def test_output_with_names_that_are_no_text_is_printed(tmp_path: Path) -> None:
    """In a process of its own, whose stdout is strict."""
    log = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.txt"))
    log.write_text("nothing\n")
    command = f"'{sys.executable}' -m weir import '{CAPTURE}' '{tmp_path}'/*.txt --out '{tmp_path}/out/r.csv'"
    assert os.system(f"cd '{ROOT}' && {command} >'{tmp_path}/shown' 2>&1") == 0
    assert "no results in" in (tmp_path / "shown").read_text()
    facts = json.loads((tmp_path / "out/facts.json").read_text())
    assert facts["records"] == 6
