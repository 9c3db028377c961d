"""excluded.csv: what is not in the records, counted by its reason; a header alone if nothing is."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path

from weir.records.table import write_whole

EXCLUDED_COLUMNS = ("suite", "experiment", "reason", "cells")
ExcludedLine = tuple[str, str, str, int]


def write_excluded(path: Path, lines: Iterable[ExcludedLine]) -> None:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(EXCLUDED_COLUMNS)
    writer.writerows(lines)
    write_whole(path, buffer.getvalue())
