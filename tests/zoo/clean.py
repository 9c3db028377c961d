"""make clean-records: many honest records, of memory and of the disk, in which the audit finds nothing.

RECORDS=500 is how many. What else the machine did is in the records, too: findings about it are counted and
listed apart, any other finding fails.
"""

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.zoo.animals import Animal
from tests.zoo.keeper import Keeper, planned
from weir.records.model import Row

# True of a machine that does other things meanwhile, or that moves 2 GiB in less than 0.1 s.
_OF_THE_MACHINE = ("machine-busy", "others-on-device", "phase-too-short", "slow-rank")
_RECORDS = 8  # of a target and suite: two transfers, two layouts, written and read


class _Clean(Keeper):
    """Plans a full factorial of honest cells instead of an animal."""

    rounds = 1

    def _configure(self, home: Path, animal: Animal, program: str) -> None:
        super()._configure(home, animal, program)
        file = home / f"config/suites/{animal.suite}.yaml"
        content: dict[str, Any] = yaml.safe_load(file.read_text())
        experiment = content["experiments"]["one"]
        experiment["fixed"] |= {"block": "1 GiB"}
        del experiment["fixed"]["xfer"]
        experiment["space"] = {"xfer": ["256 KiB", "4 MiB"], "layout": ["shared", "file-per-process"]}
        experiment["repetitions"] = {"rounds": self.rounds}
        file.write_text(yaml.safe_dump(content, sort_keys=False))


def findings(row: Row) -> list[str]:
    notes = (part.partition(":")[0] for part in (row["notes"] or "").split("; "))
    return [name for name in (*(row["reasons"] or "").split(";"), *notes) if name]


def measured(records: int) -> list[Row]:
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="weir-clean-") as folder, _Clean(Path(folder)) as keeper:
        keeper.rounds = -(-records // (4 * _RECORDS))
        for target in ("memory", "disk"):
            for suite in ("plain", "direct"):
                animal = Animal(f"{target}-{suite}", "", "read", (), target=target, suite=suite)
                rows += planned(keeper, animal)
    return rows


def counts(rows: list[Row]) -> Mapping[str, int]:
    return Counter(name for row in rows for name in findings(row))


def main() -> int:
    load = os.getloadavg()[0]
    rows = measured(int(os.environ.get("RECORDS") or 500))
    found = counts(rows)
    others = {name: count for name, count in found.items() if name not in _OF_THE_MACHINE}
    verdicts = Counter(str(row["verdict"]) for row in rows)
    silent = sum(not findings(row) for row in rows)
    print(f"{len(rows)} records, load {load:.1f} at the start and {os.getloadavg()[0]:.1f} at the end")
    print(", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common()))
    print(f"{silent} without any finding or note")
    for name, count in sorted(found.items()):
        print(f"  {count} x {name}" + (" (of the machine)" if name in _OF_THE_MACHINE else ""))
    return bool(others)


if __name__ == "__main__":
    sys.exit(main())
