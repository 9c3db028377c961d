"""Tables of elbencho in the output of a script that does not print its commands."""

from pathlib import Path

from tests.unit.imported import cells_of, rows_of

TABLE = """\
OPERATION RESULT TYPE        FIRST DONE  LAST DONE
========= ================   ==========  =========
WRITE     Elapsed ms       :       {at}480       {at}600
          Files/s          :     {at}2900     {at}2910
          Throughput MiB/s :         {size}         {size}
          Total files      :     500000     512000
          Total MiB        :     {size}000     {size}000
---
RMFILES   Elapsed ms       :       {at}480       {at}600
          Files/s          :     {at}2900     {at}2910
          Total files      :     500000     512000
---
"""


def test_names_of_files_of_two_sizes_are_not_one_cell(tmp_path: Path) -> None:
    """Three data sets had one cell for the removal of all their files."""
    log = "".join(TABLE.format(at=at, size=size) for at, size in ((1, 5), (2, 5), (3, 8)))
    rows = [row for row in rows_of(tmp_path, log) if row["access"] == "remove"]
    assert cells_of(rows) == [0, 0, 2]
    assert "512,000 files of 10KiB" in rows[0]["label"]
