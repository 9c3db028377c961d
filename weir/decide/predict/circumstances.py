"""The load under which records were measured, and whether this machine is in the same state now.

Records of a busy hour predict that hour. Elsewhere than on their machine nothing is known.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from weir.runs.files import read_run_file
from weir.terms.model import Row

OTHER_PROCESSES = 1.0  # load above or below that of every run: so many more processes compete, or fewer


@dataclass(frozen=True)
class Circumstances:
    """Days and loads of the runs behind a prediction. Loads are None where no run file of this machine has
    them."""

    first_day: str
    last_day: str
    lowest_load: float | None
    highest_load: float | None
    load_now: float

    @property
    def differ(self) -> bool:
        if self.lowest_load is None or self.highest_load is None:
            return False
        return not (
            self.lowest_load - OTHER_PROCESSES <= self.load_now <= self.highest_load + OTHER_PROCESSES
        )

    def __str__(self) -> str:
        days = self.first_day if self.first_day == self.last_day else f"{self.first_day} to {self.last_day}"
        text = f"measured {days}" if self.first_day else "measured at an unknown time"
        if self.lowest_load is None:
            return f"{text}; the load of this machine then is not known"
        loads = f"at load {self.lowest_load:.1f} to {self.highest_load:.1f}"
        return f"{text} {loads}; load now: {self.load_now:.1f}"


def circumstances_of(records: Path, rows: Iterable[Row]) -> Circumstances:
    """rows: of the cells that predict; records: their table in the folder of a study."""
    days, runs = set(), set()
    for row in rows:
        if row.get("began"):
            days.add(str(row["began"])[:10])
        if row.get("run") is not None:
            runs.add((row["cell"], row["run"]))
    documents = [read_run_file(records.resolve().parent.parent, *run) for run in sorted(runs)]
    hosts = [document["host"] for document in documents if document]
    loads = [
        host["load_1min"]
        for host in hosts
        if host.get("node") == socket.gethostname() and host.get("load_1min") is not None
    ]
    return Circumstances(
        min(days, default=""),
        max(days, default=""),
        min(loads, default=None),
        max(loads, default=None),
        os.getloadavg()[0],
    )
