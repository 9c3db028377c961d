"""Tables of IOR alone, as documentation quotes them below their commands."""

from __future__ import annotations

from pathlib import Path

from weir.records.imported_files import Facts
from weir.records.importing import import_files
from weir.terms.model import Row

QUOTED = """\
$ mpirun -n 16 ./ior -t 1m -b 8m -s 4{option}
...
access bw(MiB/s) block(KiB) xfer(KiB) open(s)  wr/rd(s) close(s) total(s) iter
------ --------- ---------- --------- -------- -------- -------- -------- ----
write  {rate}    8192       1024.00   0.107961 2.00     0.05     2.00     2
read   512.00    8192       1024.00   0.005789 1.00     0.05     1.00     2
remove -         -          -         -        -        -        0.534400 2
"""
SENTENCES = "\n\n".join(["One file of all ranks", "is written to the disks", "as fast as these can."] * 9)


def _rows(tmp_path: Path, text: str) -> list[Row]:
    page = tmp_path / "page.rst"
    page.write_text(text)
    return import_files([page], Facts()).rows


def _indented(text: str) -> str:
    return "".join(f"   {line}" for line in text.splitlines(keepends=True))


def test_tables_in_indented_blocks_are_read(tmp_path: Path) -> None:
    """A tutorial in reStructuredText indents its outputs; the rows of IOR begin at the margin."""
    blocks = [_indented(QUOTED.format(rate="256.00", option=one)) for one in ("", " -F")]
    rows = _rows(tmp_path, "".join(f"{SENTENCES}\n\n.. code-block:: shell\n\n{one}\n" for one in blocks))
    assert [row["bw_mib_s"] for row in rows] == [256, 512] * 2
    assert rows[0]["cell"] == rows[1]["cell"] != rows[2]["cell"] == rows[3]["cell"]


def test_the_command_above_a_table_has_a_prompt(tmp_path: Path) -> None:
    """With "$ " before it, tasks and layout were unknown."""
    rows = _rows(
        tmp_path, QUOTED.format(rate="256.00", option=" -F") + QUOTED.format(rate="256.00", option="")
    )
    told = [(row["tasks"], row["layout"], row["xfer_bytes"]) for row in rows]
    assert told == [(16, "file-per-process", 2**20)] * 2 + [(16, "shared", 2**20)] * 2
